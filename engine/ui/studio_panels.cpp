// SPDX-License-Identifier: MIT
// The studio's panels of one frame, and the words of its status bar.
#include "engine/ui/studio_panels.h"
#include "engine/app/frame_loop.h"
#include "engine/app/history.h"
#include "engine/app/run_control.h"
#include "engine/core/log.h"
#include "engine/core/zone.h"
#include "engine/interop/interop_mode.h"
#include "engine/plots/plots.h"
#include "engine/scene/drawn_copies.h"
#include "engine/scene/view.h"
#include "engine/ui/theme.h"
#include "engine/ui/widgets.h"
#include "gl/framebuffer.h"
#include "gpu/device.h"
#include "gpu/driver/api.h"
#include "gpu/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

namespace lathe {

namespace {

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 10'000) return fmt::format("{} B", bytes);
    if (bytes < 10'000'000) return fmt::format("{:.0f} kB", double(bytes) / 1e3);
    return fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

StatusItem compile_item(const std::vector<KernelSlot*>& slots) {
    using Tone = StatusItem::Tone;
    StatusItem item{"no kernels", {}, Tone::plain};
    for (const KernelSlot* each : slots) {
        const KernelSlot& slot = *each;
        const std::string tip =
            slot.diagnostics().empty() ? std::string{} : to_string(slot.diagnostics().front());
        switch (slot.state()) {
        case SlotState::failed: return {slot.name() + ": error", tip, Tone::error};
        case SlotState::faulted: return {slot.name() + ": faulted", tip, Tone::error};
        case SlotState::compiling: return {slot.name() + ": compiling", {}, Tone::plain};
        case SlotState::waiting: return {slot.name() + ": edited", {}, Tone::plain};
        case SlotState::empty: break;
        case SlotState::good:
            item = {fmt::format("{} {:.0f} ms", slot.compiled_from_cache() ? "cached" : "compiled",
                                slot.compile_milliseconds()),
                    slot.name(), Tone::good};
        }
    }
    return item;
}

/// "costs, 0.2 s ago · hazards, 3 s ago · 2 hazards": what is watched, and how old it is.
std::vector<StatusItem> inspection_item(Inspector& inspector,
                                        const std::vector<KernelSlot*>& slots) {
    if (inspector.mode() == Inspecting::off) return {};
    const auto ago = [](std::optional<double> seconds) {
        return !seconds       ? "no launch yet"
               : *seconds < 1 ? "now"
                              : fmt::format("{:.0f} s ago", *seconds);
    };
    std::string text = fmt::format("costs: {}", ago(inspector.age()));
    if (inspector.mode() == Inspecting::costs)
        return {{text, "Launches are counted, line by line; F9 searches hazards, too",
                 StatusItem::Tone::plain}};
    std::size_t found = 0;
    for (const KernelSlot* slot : slots)
        if (const auto* known = inspector.of(*slot)) found += known->findings.size();
    text += fmt::format(" · hazards: {}", ago(inspector.search_age()));
    if (found > 0) text += fmt::format(", {} found", found);
    return {{text,
             "Launches are counted, line by line. Hazards are searched in the first launches "
             "after each edit, and then now and then, since it is slow.",
             found > 0 ? StatusItem::Tone::warning : StatusItem::Tone::plain}};
}

/// "points, volume: kernels" where CUDA draws something that is shown.
std::vector<StatusItem> drawn_by_kernels(const std::vector<std::shared_ptr<View>>& views) {
    std::set<std::string_view> kinds;
    std::vector<std::string> names;
    for (const auto& view : views)
        for (const Thing& thing : view->things())
            if (thing.by_kernels && view->settings(thing.name).is_shown) {
                kinds.insert(thing.kind);
                names.push_back(thing.name);
            }
    if (kinds.empty()) return {};
    return {{fmt::format("{}: kernels", fmt::join(kinds, ", ")),
             fmt::format("CUDA draws {}, OpenGL the rest", fmt::join(names, ", ")),
             StatusItem::Tone::plain}};
}

std::string to_text(const gpu::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

/// "cells [12, 40] = 0.25", then where that is and which thread it belongs to.
std::string to_text(const Picked& picked) {
    std::string text = fmt::format("{} [{}]", picked.item, fmt::join(picked.index, ", "));
    if (picked.value.size() == 1) text += fmt::format(" = {:.6g}", picked.value[0]);
    else if (!picked.value.empty())
        text += fmt::format(" = ({:.4g})", fmt::join(picked.value, ", "));
    if (picked.kind != "image") {
        const glm::dvec3& p = picked.position;
        const int digits = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < 1e4 ? 4 : 11;
        text +=
            fmt::format("\nat ({:.{}g}, {:.{}g}, {:.{}g})", p.x, digits, p.y, digits, p.z, digits);
    }
    if (const auto& by = picked.thread)
        text += fmt::format("\nkernel {}, block {}, thread {}", by->kernel, to_text(by->block),
                            to_text(by->thread));
    return text;
}

} // namespace

std::vector<StatusItem> Studio::Panels::status_left() {
    using Tone = StatusItem::Tone;
    const auto& gl = studio.window().gl_info();
    const InteropMode mode = interop_mode();
    std::vector<StatusItem> items;
    items.push_back({studio.device().name(), gpu::driver().path.string(), Tone::plain});
    const auto short_gl = gl.renderer.substr(0, gl.renderer.find(" ("));
    items.push_back(
        {fmt::format("{} · GL {}.{}", short_gl, gl.major, gl.minor),
         fmt::format("{}\n{}\n{}", gl.renderer, gl.version, studio.window().description()),
         Tone::plain});
    if (mode == InteropMode::zero_copy)
        items.push_back({"zero copy", "CUDA and OpenGL share memory", Tone::good});
    else
        items.push_back({fmt::format("copies through the host: {}", interop_reason()),
                         "CUDA cannot register this OpenGL's buffers", Tone::warning});
    return items;
}

std::vector<StatusItem> Studio::Panels::status_right() {
    const DrawnBytes drawn = studio.drawn_bytes();
    const std::uint64_t shared = interop_stats().bytes_copied;
    std::vector<StatusItem> items = inspection_item(studio.inspector(), studio.kernels());
    for (StatusItem& item : drawn_by_kernels(studio.views())) items.push_back(std::move(item));
    items.push_back(
        {fmt::format("copied {}", bytes_text(shared + drawn.copied + drawn.uploaded)),
         fmt::format("Of what was drawn: {} where it lies, {} copied on the device, {} from the "
                     "host; shared memory that went through the host: {}",
                     bytes_text(drawn.in_place), bytes_text(drawn.copied),
                     bytes_text(drawn.uploaded), bytes_text(shared)),
         StatusItem::Tone::plain});
    items.push_back(compile_item(studio.kernels()));
    return items;
}

std::string Studio::Panels::picture_message() {
    if (step_seconds > 1)
        return fmt::format("this step has run for {:.0f} s{}", step_seconds,
                           gpu::can_cancel() ? ": Esc ends it" : "");
    for (const KernelSlot* slot : studio.kernels()) {
        if (!slot->shows_older()) continue;
        for (const auto& d : slot->diagnostics())
            if (d.severity == Diagnostic::Severity::error) return to_string(d);
    }
    if (!layout.has_panels() && ImGui::GetTime() < hint_until)
        return layout.stage() == Stage::presenter ? "Shift+F11 brings the panels back"
                                                  : "F11 brings the panels back";
    return paused_because;
}

/// Once the mouse rests over the picture; asked again every tenth of a second, since it takes
/// kernels.
void Studio::Panels::say_what_is_under_the_mouse() {
    constexpr double kEvery = 0.1;
    if (!view.has_resting_mouse() || step_seconds > 0) {
        looked_at = 0;
        return;
    }
    if (ImGui::GetTime() - looked_at >= kEvery) {
        looked_at = ImGui::GetTime();
        const auto picked = studio.picked();
        under_mouse = picked ? to_text(*picked) : std::string{};
    }
    if (under_mouse.empty()) return;
    theme::push_font(theme::Font::small);
    ImGui::SetTooltip("%s", under_mouse.c_str());
    theme::pop_font();
}

/// F7. The thread is that of the launch which was given the array last.
void Studio::Panels::follow_under_the_mouse() {
    if (!std::exchange(follows_picked, false) || step_seconds > 0) return;
    layout.show_panel(Place::thread);
    const auto picked = studio.picked();
    if (!picked) return log::warning("nothing is under the mouse whose thread could be followed");
    if (!picked->thread)
        return log::warning("{}: no launch with a thread for each of its elements is known",
                            picked->item);
    if (follow(*picked->thread)) step_replay.begin();
}

bool Studio::Panels::follow(const gpu::ThreadOfKernel& thread) {
    layout.show_panel(Place::thread);
    const bool is_known = thread_panel.follow(thread, studio.kernels());
    if (!is_known) log::warning("{} is none of the editor's kernels", thread.kernel);
    return is_known;
}

/// F2.
void Studio::Panels::go_to_prompt() {
    if (!console.prompt) return;
    layout.show_panel(Place::console);
    console.prompt.focus();
}

/// F6: the word at the cursor, after its line.
void Studio::Panels::watch_line_of_cursor() {
    const auto at = editor.at_cursor();
    if (!at) return;
    layout.show_panel(Place::values);
    line_panel.ask(*at->slot, at->line, at->word);
}

void Studio::Panels::draw_values(const std::vector<KernelSlot*>& slots) {
    if (layout.begin_panel(Place::values)) line_panel.draw(slots, studio.run_control().paused);
    layout.end_panel();
    const int line = studio.line_watch().line_now();
    editor.mark_watched(line > 0 ? studio.line_watch().line().slot : nullptr, line);
}

void Studio::Panels::draw_history() {
    if (layout.begin_panel(Place::history)) {
        KernelSlot* const slot = editor.current();
        if (const auto text = history_panel.draw(slot, editor.text())) editor.rewrite(*slot, *text);
    }
    layout.end_panel();
}

/// Without plots there is no panel.
void Studio::Panels::draw_plots() {
    if (studio.plots().all().empty()) return;
    if (plots_panel.is_new(studio.plots()) && layout.is_shown(Place::plots))
        layout.show_panel(Place::plots);
    if (layout.begin_panel(Place::plots))
        plots_panel.draw(studio.plots(), studio.history(), studio.steps(), studio.run_control());
    layout.end_panel();
}

void Studio::Panels::draw_thread(const std::vector<KernelSlot*>& slots) {
    follow_under_the_mouse();
    step_replay.update();
    if (layout.begin_panel(Place::thread)) thread_panel.draw(slots, studio.run_control().paused);
    layout.end_panel();
    const auto place = thread_panel.place();
    editor.mark_step(place ? place->slot : nullptr, place ? place->line : 0,
                     thread_panel.take_move());
}

void Studio::Panels::draw() {
    const FrameLoop& loop = studio.loop();
    run_control_panel.caption = studio.caption();
    run_control_panel.time = studio.time();
    run_control_panel.is_recording = studio.steps().movie().wanted();
    run_control_panel.steps = studio.steps().clock().next();
    if (layout.has_panels()) {
        draw_menu();
        layout.begin_toolbar(menu.width());
        run_control_panel.draw(loop.frame(), loop.stats().frames_per_second());
        if (studio.history().is_on())
            time_line.draw(studio.history(), studio.steps(), studio.run_control());
        layout.end_bar();
    }

    const auto slots = studio.kernels();
    const bool older = std::any_of(slots.begin(), slots.end(),
                                   [](const KernelSlot* slot) { return slot->shows_older(); });
    if (layout.begin_panel(Place::view)) view.draw(studio.picture(), older, picture_message());
    layout.end_panel();
    say_what_is_under_the_mouse();
    if (layout.begin_panel(Place::parameters)) parameter_panel.draw();
    layout.end_panel();
    if (layout.begin_panel(Place::things)) things_panel.draw(studio.views(), step_seconds > 0);
    layout.end_panel();
    draw_plots();
    profiler_panel.draw(loop.stats(), layout.begin_panel(Place::profiler));
    layout.end_panel();
    layout.set_alarm(Place::console, console.has_news());
    if (layout.begin_panel(Place::console)) console.draw();
    layout.end_panel();
    draw_thread(slots);
    draw_values(slots);
    draw_history();
    if (layout.begin_panel(Place::kernels)) {
        if (layout.has_panels()) editor.draw();
        else editor.draw_presented();
    }
    layout.end_panel();
    const std::exception_ptr failure = draw_of_script();

    if (std::exchange(run_control_panel.wants_keys, false)) key_map.toggle();
    key_map.draw();
    if (auto answer = file_panel.draw()) after_frame = std::move(answer);
    if (layout.has_panels()) {
        layout.begin_status_bar();
        status.draw(status_left(), status_right());
        layout.end_bar();
    }
    if (failure) std::rethrow_exception(failure);
}

/// The program's own panels: what the first that failed threw.
std::exception_ptr Studio::Panels::draw_of_script() {
    std::exception_ptr failure;
    for (auto& panel : panels) {
        const Zone zone{panel.title};
        const widgets::Panel open{panel.title};
        try {
            try {
                imgui->guard(panel.draw);
            } catch (...) {
                if (!panel.on_failure) throw;
                panel.on_failure(std::current_exception());
            }
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    }
    return failure;
}

void Studio::add_panel(std::string title, std::function<void()> draw,
                       std::function<void(const std::exception_ptr&)> on_failure) {
    p_->panels.push_back({std::move(title), std::move(draw), std::move(on_failure)});
}

void Studio::set_prompt(PromptHooks hooks) { p_->console.prompt.hooks = std::move(hooks); }

void Studio::show_code(CodeKind kind) {
    if (p_->imgui) p_->editor.code_pane().set(kind);
}

CodeKind Studio::shown_code() const { return p_->editor.code_pane().kind(); }

void Studio::show_kernel_alone(const KernelSlot& slot) { p_->editor.show_alone(slot); }

std::vector<std::string> Studio::status_lines() {
    std::vector<std::string> lines;
    for (const auto& item : p_->status_left()) lines.push_back(item.text);
    lines.push_back(fmt::format("{:.1f} frames/s", loop().stats().frames_per_second()));
    for (const auto& item : p_->status_right()) lines.push_back(item.text);
    return lines;
}

} // namespace lathe
