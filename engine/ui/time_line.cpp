// SPDX-License-Identifier: MIT
#include "engine/ui/time_line.h"

#include "engine/app/history.h"
#include "engine/app/run_control.h"
#include "engine/app/step_loop.h"
#include "engine/core/log.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace lathe {

namespace {

using theme::px;

/// Branches beside the current one have so many rows below it, and share them.
constexpr int kRows = 2;

class Strip {
public:
    Strip(const Timeline& line, ImVec2 low, ImVec2 high)
        : line_{line}, steps_{line.steps()}, low_{low}, high_{high} {
        for (const auto& [number, branch] : line.branches()) last_ = std::max(last_, branch.end());
    }

    float x_of(std::uint64_t step) const {
        return low_.x + (high_.x - low_.x) * float(step) / float(last_);
    }
    float main_y() const { return low_.y + px(4); }
    float y_of(const Branch& branch) const {
        return main_y() + px(5) + px(3) * float(branch.number % kRows);
    }

    /// The kept step that is nearest.
    std::uint64_t step_at(float x) const {
        const double wanted = double(x - low_.x) / double(high_.x - low_.x) * double(last_);
        return *std::ranges::min_element(
            steps_, {}, [&](std::uint64_t step) { return std::abs(double(step) - wanted); });
    }
    /// Another branch than the current one.
    std::optional<int> branch_at(ImVec2 mouse) const {
        for (const auto& [number, branch] : line_.branches())
            if (is_aside(branch) && std::abs(mouse.y - y_of(branch)) < px(2) &&
                mouse.x >= x_of(begin_of(branch)) - px(3) && mouse.x <= x_of(branch.end()) + px(3))
                return number;
        return {};
    }
    /// The last moment that is a branch's own, else where it begins.
    std::uint64_t last_of(int number) const {
        const Branch& branch = line_.branches().at(number);
        return branch.moments.empty() ? branch.fork : branch.moments.rbegin()->first;
    }
    bool is_empty() const { return steps_.empty(); }

    void draw(ImDrawList& draw, std::uint64_t now) const {
        for (const auto& [number, branch] : line_.branches()) {
            if (!is_aside(branch)) continue;
            const float y = y_of(branch), from = x_of(begin_of(branch));
            const ImU32 ink = theme::packed(theme::kDim, 0.7f);
            draw.AddLine({from, main_y()}, {from, y}, ink, px(1));
            draw.AddLine({from, y}, {x_of(branch.end()), y}, ink, px(1));
        }
        draw.AddLine({low_.x, main_y()}, {high_.x, main_y()}, theme::packed(theme::kLine), px(3));
        draw.AddLine({x_of(steps_.front()), main_y()}, {x_of(line_.current().end()), main_y()},
                     theme::packed(theme::kAccent, 0.45f), px(3));
        float drawn = -px(4);
        for (const std::uint64_t step : steps_)
            if (const float x = x_of(step); x - drawn >= px(4)) {
                drawn = x;
                draw.AddLine({x, main_y() - px(2)}, {x, main_y() + px(2)},
                             theme::packed(theme::kAccent), px(1));
            }
        draw.AddCircleFilled({x_of(now), main_y()}, px(4), theme::packed(theme::kText));
    }

private:
    /// Where it leaves the current branch, or that leaves it.
    std::uint64_t begin_of(const Branch& branch) const {
        for (const Branch* on = &line_.current(); on->parent;
             on = &line_.branches().at(*on->parent))
            if (*on->parent == branch.number) return on->fork;
        return branch.fork;
    }
    bool is_aside(const Branch& branch) const {
        return branch.number != line_.current().number && branch.end() > begin_of(branch);
    }

    const Timeline& line_;
    std::vector<std::uint64_t> steps_;
    ImVec2 low_, high_;
    std::uint64_t last_ = 1;
};

} // namespace

float TimeLine::height() { return px(16); }

void TimeLine::draw(const History& history, const StepLoop& loop, RunControl& control) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x, px(16)), px(14)};
    ImGui::InvisibleButton("##time line", size);
    const float side = px(5); // of the mark
    const Strip strip{
        history.timeline(), {low.x + side, low.y}, {low.x + size.x - side, low.y + size.y}};
    if (strip.is_empty()) return;
    const std::uint64_t now = loop.has_stepped() ? loop.step().index : 0;
    const ImVec2 mouse = ImGui::GetMousePos();
    const auto branch = strip.branch_at(mouse);
    strip.draw(*ImGui::GetWindowDrawList(), now);
    if (ImGui::IsItemActivated() && branch) {
        control.paused = true;
        control.request_go_to(strip.last_of(*branch), *branch);
        log::info("app.run_control.go_to({}, branch={})", strip.last_of(*branch), *branch);
    } else if (ImGui::IsItemActivated()) {
        is_dragged_ = true;
    }
    if (is_dragged_) {
        const std::uint64_t wanted = strip.step_at(mouse.x);
        control.paused = true;
        if (wanted != now && !loop.is_catching_up()) control.request_go_to(wanted);
        if (!ImGui::IsItemActive()) {
            is_dragged_ = false;
            log::info("app.run_control.go_to({})", wanted);
        }
    }
    if (branch)
        theme::tooltip(fmt::format("Another branch, up to step {}: a click goes there",
                                   history.timeline().branches().at(*branch).end() - 1));
    else theme::tooltip(fmt::format("Step {}: drag to go back", strip.step_at(mouse.x)));
}

} // namespace lathe
