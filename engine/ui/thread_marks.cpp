// SPDX-License-Identifier: MIT
#include "engine/ui/thread_marks.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/line_map.h"
#include "engine/ui/theme.h"
#include "gpu/inspect/trace_condition.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace lathe {

using theme::px;

const ThreadMarks::Mark* ThreadMarks::at(const KernelSlot* slot, int line) const {
    const auto found = std::ranges::find_if(
        marks_, [&](const Mark& mark) { return mark.slot == slot && mark.line == line; });
    return found == marks_.end() ? nullptr : &*found;
}

void ThreadMarks::set(const KernelSlot& slot, int line, std::string condition) {
    Mark mark{&slot, line, std::move(condition)};
    try {
        const gpu::TraceCondition read{mark.condition};
    } catch (const Error& error) { mark.problem = error.what(); }
    log::info("trace.mark({}{})", line,
              mark.condition.empty() ? "" : fmt::format(", \"{}\"", mark.condition));
    if (!mark.problem.empty()) log::warning("{}", mark.problem);
    std::erase_if(marks_, [&](const Mark& m) { return m.slot == &slot && m.line == line; });
    marks_.push_back(std::move(mark));
    if (std::ranges::find(texts_, &slot, &Text::slot) == texts_.end())
        texts_.push_back({&slot, slot.text_version(), slot.source()});
    ++changes_;
}

void ThreadMarks::remove(const KernelSlot& slot, int line) {
    if (!std::erase_if(marks_, [&](const Mark& m) { return m.slot == &slot && m.line == line; }))
        return;
    log::info("trace.unmark({})", line);
    ++changes_;
}

void ThreadMarks::toggle(const KernelSlot& slot, int line) {
    if (at(&slot, line)) remove(slot, line);
    else set(slot, line, {});
}

void ThreadMarks::draw_menu(const KernelSlot& slot, int line) {
    const Mark* const mark = at(&slot, line);
    if (ImGui::IsWindowAppearing() || edited_ != &slot || edited_line_ != line) {
        edited_ = &slot;
        edited_line_ = line;
        typed_ = mark ? mark->condition : std::string{};
    }
    theme::push_font(theme::Font::ui);
    bool is_on = mark != nullptr;
    if (ImGui::Checkbox(fmt::format("Stop at line {}", line).c_str(), &is_on)) {
        if (is_on) set(slot, line, typed_);
        else remove(slot, line);
    }
    ImGui::SetNextItemWidth(px(240));
    const bool is_typed = ImGui::InputTextWithHint("##condition", "if: isnan(u) && k > 3", &typed_,
                                                   ImGuiInputTextFlags_EnterReturnsTrue);
    if (is_typed ||
        (ImGui::IsItemDeactivatedAfterEdit() && typed_ != (mark ? mark->condition : "")))
        set(slot, line, typed_);
    if (is_typed || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    if (const Mark* const now = at(&slot, line); now && !now->problem.empty()) {
        ImGui::PushTextWrapPos(px(260));
        theme::text(now->problem, theme::kError);
        ImGui::PopTextWrapPos();
    }
    theme::pop_font();
}

void ThreadMarks::follow_texts() {
    for (Text& text : texts_) {
        if (text.version == text.slot->text_version()) continue;
        std::string now = text.slot->source();
        const LineMap map{text.text, now};
        for (Mark& mark : marks_)
            if (mark.slot == text.slot) mark.line = map(mark.line).value_or(0);
        std::erase_if(marks_, [](const Mark& mark) { return mark.line == 0; });
        text.text = std::move(now);
        text.version = text.slot->text_version();
        ++changes_;
    }
}

const std::vector<std::size_t>& ThreadMarks::stops(const ThreadWatch& watch) {
    if (std::exchange(counted_, changes_) == changes_ &&
        std::exchange(results_, watch.results()) == watch.results())
        return stops_;
    results_ = watch.results();
    stops_.clear();
    const KernelSlot* const slot = watch.thread().slot;
    if (!slot) return stops_;
    const LineMap then{slot->source(), watch.text()}; // the text that was followed
    for (Mark& mark : marks_) {
        const auto line = mark.slot == slot ? then(mark.line) : std::nullopt;
        if (!line) continue;
        try {
            const gpu::TraceCondition condition{mark.condition};
            condition.check_names(watch.lines());
            const auto met = gpu::lines_that_meet(watch.lines(), *line, watch.file(), condition);
            stops_.insert(stops_.end(), met.begin(), met.end());
            mark.problem.clear();
        } catch (const Error& error) { mark.problem = error.what(); }
    }
    std::ranges::sort(stops_);
    return stops_;
}

} // namespace lathe
