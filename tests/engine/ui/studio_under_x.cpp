// SPDX-License-Identifier: MIT
// A studio in a real window, for under_x.py: says on standard output what changed, so that the
// script sees what its keys and clicks did. Ends when the window is closed or told to stop.
#include "inspected_kernels.h"
#include "painting.h"

#include "engine/live/inspector.h"
#include "engine/ui/imgui_layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <set>
#include <string_view>
#include <unistd.h>

namespace {

std::string mouse(const lathe::ImGuiLayer& layer) {
    layer.make_current();
    const ImGuiIO& io = ImGui::GetIO();
    return fmt::format("mouse={:.0f},{:.0f} pressed={} pointer={}", io.MousePos.x, io.MousePos.y,
                       int(io.MouseDown[0]), ImGui::GetMouseCursor());
}

/// The first line of a text, with no blanks.
std::string first_line(std::string text) {
    text.resize(std::min(text.find('\n'), text.size()));
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
}

/// "inspect=hazards hazards=6,7": the lines with a hazard.
std::string inspection(lathe::Inspector& inspector, const lathe::KernelSlot& slot) {
    std::set<int> lines;
    if (const auto* known = inspector.of(slot))
        for (const lathe::LineFinding& f : known->findings) lines.insert({f.first, f.second});
    lines.erase(0);
    return fmt::format("inspect={} hazards={}", name_of(inspector.mode()),
                       lines.empty() ? "none" : fmt::format("{}", fmt::join(lines, ",")));
}

/// "stage=panels view=753x662": what the window shows, and how large the picture is in it.
std::string stage(lathe::Studio& studio) {
    const char* const name = studio.is_presenter()      ? "presenter"
                             : studio.is_picture_only() ? "picture"
                                                        : "panels";
    return fmt::format("stage={} view={}x{}", name, studio.picture().width(),
                       studio.picture().height());
}

bool told_to_stop() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

} // namespace

int main(int argc, char** argv) try {
    lathe::AppConfig config;
    config.title = "Lathe under X";
    config.headless = false;
    config.vsync = false;
    const bool is_racy = argc > 2 && std::string_view{argv[2]} == "racy";
    lathe::Painting painting{config, is_racy ? lathe::kRacySource : lathe::kPaintSource};
    std::string last;
    while (!told_to_stop() && painting.frame()) {
        const auto [r, g, b] = painting.middle();
        const lathe::MovedLiteral* const moved = painting.slot.moved_literal();
        const std::string now = fmt::format(
            "red={} blue={} state={} held={} paused={} typing={} {} {} line={} {}", r, b,
            name_of(painting.slot.state()), int(moved && moved->held),
            int(painting.studio.run_control().paused), int(painting.studio.imgui()->wants_text()),
            stage(painting.studio), inspection(painting.studio.inspector(), painting.slot),
            first_line(painting.slot.source()), mouse(*painting.studio.imgui()));
        if (now != last) {
            std::puts(now.c_str());
            std::fflush(stdout);
        }
        last = now;
    }
    if (argc > 1) lathe::save_png(argv[1], painting.studio.screenshot(true));
    return lathe::ImGuiLayer::errors() == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
