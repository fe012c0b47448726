// SPDX-License-Identifier: MIT
#include "engine/ui/thread_panel.h"

#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/line_costs.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <sstream>

namespace lathe {

namespace {

using theme::px;
using State = FollowState;

std::string triple(const gpu::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }
gpu::Dim3 dim_of(const std::array<int, 3>& d) {
    return {unsigned(d[0]), unsigned(d[1]), unsigned(d[2])};
}
std::array<int, 3> numbers_of(const gpu::Dim3& d) { return {int(d.x), int(d.y), int(d.z)}; }

void index_field(const char* label, const char* tip, std::array<int, 3>& index, float width) {
    ImGui::SameLine(0, px(7));
    ImGui::AlignTextToFramePadding();
    theme::text(label, theme::kDim);
    ImGui::SameLine(0, px(5));
    ImGui::SetNextItemWidth(px(width));
    ImGui::DragInt3(fmt::format("##{}", label).c_str(), index.data(), 0.1f, 0, 1 << 30, "%d");
    for (int& each : index) each = std::max(each, 0);
    theme::tooltip(tip);
}

std::string_view without_indent(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    return begin == line.npos ? std::string_view{} : line.substr(begin);
}

} // namespace

// -- which thread --------------------------------------------------------------------------------

void ThreadPanel::follow_chosen() {
    const WatchedThread thread{slot_, kernel_, dim_of(block_), dim_of(thread_)};
    log::info("with lathe.trace_thread({}, block={}, thread={}) as trace: ...", kernel_,
              triple(thread.block), triple(thread.thread));
    shows_warp_ = false;
    watch_.follow(thread);
}

void ThreadPanel::follow_warp() {
    const WatchedWarp warp{slot_, kernel_, dim_of(block_), dim_of(thread_)};
    log::info("with lathe.trace_warp({}, block={}, thread={}) as trace: ...", kernel_,
              triple(warp.block), triple(warp.thread));
    shows_warp_ = true;
    warps_.follow(warp);
}

bool ThreadPanel::follow(const gpu::ThreadOfKernel& thread, const std::vector<KernelSlot*>& slots) {
    for (const KernelSlot* slot : slots) {
        if (!slot->ready() || !slot->loaded()->kernels.contains(thread.kernel)) continue;
        slot_ = slot;
        kernel_ = thread.kernel;
        block_ = numbers_of(thread.block);
        thread_ = numbers_of(thread.thread);
        follow_chosen();
        return true;
    }
    return false;
}

void ThreadPanel::draw_choice(const std::vector<KernelSlot*>& slots) {
    const auto is_there = [&](const KernelSlot* slot) {
        return slot->ready() && slot->loaded()->kernels.contains(kernel_);
    };
    if (std::ranges::find(slots, slot_) == slots.end() || !is_there(slot_)) slot_ = nullptr;
    for (const KernelSlot* slot : slots)
        if (!slot_ && slot->ready()) slot_ = slot, kernel_ = slot->loaded()->entry();
    const float room = ImGui::GetContentRegionAvail().x;
    const bool is_narrow = room < px(480);
    ImGui::SetNextItemWidth(
        std::clamp(room - px(is_narrow ? 376 : 408), px(is_narrow ? 60 : 72), px(220)));
    if (ImGui::BeginCombo("##kernel", slot_ ? kernel_.c_str() : "no kernel")) {
        for (const KernelSlot* slot : slots)
            for (const std::string& name : slot->kernel_names()) {
                const bool is_chosen = slot == slot_ && name == kernel_;
                const std::string label = fmt::format("{}   {}", name, slot->name());
                if (ImGui::Selectable(label.c_str(), is_chosen)) slot_ = slot, kernel_ = name;
            }
        ImGui::EndCombo();
    }
    const float width = is_narrow ? 76 : 92;
    index_field("block", "blockIdx: x, y, z", block_, width);
    index_field("thread", "threadIdx: x, y, z", thread_, width);
    ImGui::SameLine(0, px(7));
    ImGui::BeginDisabled(!slot_);
    if (ImGui::Button("Follow")) follow_chosen();
    ImGui::EndDisabled();
    theme::tooltip("The kernel's next launch writes down what this thread does. F7 does so for the "
                   "thread that wrote what is under the mouse.");
    ImGui::SameLine(0, px(5));
    ImGui::BeginDisabled(!slot_);
    if (ImGui::Button("Warp")) follow_warp();
    ImGui::EndDisabled();
    theme::tooltip(
        "The next launch writes down what the 32 threads of this thread's warp do: which "
        "of them run a line, and which memory they access there.");
}

/// True where there are steps to be shown; else words say how things are.
bool ThreadPanel::draw_state(FollowState state, const std::string& problem, bool is_paused) {
    switch (state) {
    case State::off:
        theme::text("F7 over the picture follows the thread that wrote what is there.",
                    theme::kDim);
        return false;
    case State::compiling:
        theme::text(shows_warp_ ? "compiling: the program goes on"
                                : "compiling without optimisation: the program goes on",
                    theme::kAccent);
        return false;
    case State::waiting:
        theme::text(is_paused ? "waits for a launch, and the program is paused: . makes a step"
                              : "waits for the kernel's next launch",
                    theme::kAccent);
        return false;
    case State::failed:
        ImGui::PushTextWrapPos(0);
        theme::text(problem, theme::kError);
        ImGui::PopTextWrapPos();
        return false;
    case State::done: break;
    }
    const bool is_there = shows_warp_ ? !warps_.trace().steps.empty() : !watch_.lines().empty();
    if (!is_there) theme::text("The launch had no such thread.", theme::kWarning);
    return is_there;
}

void ThreadPanel::draw(const std::vector<KernelSlot*>& slots, bool is_paused) {
    marks_.follow_texts();
    draw_choice(slots);
    if (!(shows_warp_ ? draw_state(warps_.state(), warps_.problem(), is_paused)
                      : draw_state(watch_.state(), watch_.problem(), is_paused)))
        return;
    if (shows_warp_) return warp_.draw();
    take_result();
    draw_steps();
}

// -- its steps -----------------------------------------------------------------------------------

void ThreadPanel::take_result() {
    if (std::exchange(seen_, watch_.results()) == watch_.results()) return;
    text_.clear();
    std::istringstream lines{watch_.text()};
    for (std::string line; std::getline(lines, line);) text_.push_back(line);
    step_ = 0;
    has_moved_ = scrolls_ = true;
    values_.begin(watch_.lanes());
}

bool ThreadPanel::is_of_text(const gpu::TraceLine& line) const {
    const int here = line_in(watch_.file(), line.file, line.line, {});
    return here > 0 && std::size_t(here) <= text_.size();
}

std::optional<ThreadPanel::Place> ThreadPanel::place() {
    if (shows_warp_) {
        const KernelSlot* const slot = warps_.warp().slot;
        const bool is_there =
            warps_.state() == State::done && slot && slot->source() == warps_.text();
        const int line = is_there ? warp_.line() : 0;
        return line > 0 ? std::optional{Place{slot, line}} : std::nullopt;
    }
    if (watch_.state() != State::done || seen_ != watch_.results()) return {};
    const auto& lines = watch_.lines();
    const KernelSlot* const slot = watch_.thread().slot;
    if (std::size_t(step_) >= lines.size() || !is_of_text(lines[std::size_t(step_)]) ||
        slot->source() != watch_.text())
        return {};
    return Place{slot, lines[std::size_t(step_)].line};
}

void ThreadPanel::go(int step) {
    step = std::clamp(step, 0, int(watch_.lines().size()) - 1);
    if (std::exchange(step_, step) == step) return;
    has_moved_ = scrolls_ = true;
}

/// The slot whose text has the line, if that text is still the one that was followed.
const KernelSlot* ThreadPanel::slot_of_text(const gpu::TraceLine& line) const {
    const KernelSlot* const slot = watch_.thread().slot;
    return slot && is_of_text(line) && slot->source() == watch_.text() ? slot : nullptr;
}

void ThreadPanel::go_to_mark(bool back) {
    const auto& stops = marks_.stops(watch_);
    const auto here = std::size_t(step_);
    log::info("step = trace.run(step{})", back ? ", back=True" : "");
    const auto behind = std::ranges::upper_bound(stops, here);
    if (!back && behind != stops.end()) return go(int(*behind));
    const auto before = std::ranges::lower_bound(stops, here);
    if (back && before != stops.begin()) return go(int(*(before - 1)));
    for (const ThreadMarks::Mark& mark : marks_.all())
        if (!mark.problem.empty()) return log::warning("{}", mark.problem);
    log::warning("{}", marks_.all().empty()
                           ? "no line is marked: a right click on its number marks it"
                       : back ? "no step before this one is at a mark"
                              : "no step behind this one is at a mark");
}

/// Behind, or before, what a line calls.
void ThreadPanel::go_over(bool back) {
    const auto& lines = watch_.lines();
    const int by = back ? -1 : 1, depth = lines[std::size_t(step_)].depth;
    int step = step_ + by;
    while (step >= 0 && step < int(lines.size()) && lines[std::size_t(step)].depth > depth)
        step += by;
    log::info("step = trace.over(step{})", back ? ", back=True" : "");
    if (step >= 0 && step < int(lines.size())) go(step);
}

void ThreadPanel::take_keys() {
    if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) || ImGui::GetIO().WantTextInput)
        return;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
    if (ImGui::GetIO().KeyCtrl) {
        if (pressed(ImGuiKey_DownArrow)) go_over(false);
        if (pressed(ImGuiKey_UpArrow)) go_over(true);
        if (pressed(ImGuiKey_RightArrow)) values_.go_to_lane(watch_.lanes(), values_.lane() + 1);
        if (pressed(ImGuiKey_LeftArrow)) values_.go_to_lane(watch_.lanes(), values_.lane() - 1);
        return;
    }
    if (pressed(ImGuiKey_DownArrow) || pressed(ImGuiKey_RightArrow)) go(step_ + 1);
    if (pressed(ImGuiKey_UpArrow) || pressed(ImGuiKey_LeftArrow)) go(step_ - 1);
    if (pressed(ImGuiKey_PageDown)) go(step_ + 10);
    if (pressed(ImGuiKey_PageUp)) go(step_ - 10);
    if (pressed(ImGuiKey_Home)) go(0);
    if (pressed(ImGuiKey_End)) go(int(watch_.lines().size()));
    if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeypadEnter))
        go_to_mark(ImGui::GetIO().KeyShift);
}

void ThreadPanel::draw_step_row() {
    const auto button = [](const char* id, ImGuiDir direction, const char* tip) {
        const bool is_clicked = ImGui::ArrowButton(id, direction);
        theme::tooltip(tip);
        ImGui::SameLine(0, px(3));
        return is_clicked;
    };
    if (button("##over back", ImGuiDir_Up, "Back over what a line calls (Ctrl+Up)")) go_over(true);
    if (button("##over", ImGuiDir_Down, "Over what the line calls (Ctrl+Down)")) go_over(false);
    ImGui::SameLine(0, px(10));
    if (button("##mark back", ImGuiDir_Left, "To the mark before (Shift+Enter)")) go_to_mark(true);
    ImGui::AlignTextToFramePadding();
    const std::size_t stops = marks_.stops(watch_).size();
    const bool has_problem = std::ranges::any_of(
        marks_.all(), [](const ThreadMarks::Mark& mark) { return !mark.problem.empty(); });
    theme::text(stops == 1 ? "1 stop" : fmt::format("{} stops", stops), has_problem ? theme::kError
                                                                        : marks_.all().empty()
                                                                            ? theme::kDim
                                                                            : theme::kText);
    std::string tip = "A right click on a line's number marks it, here and in the editor";
    for (const ThreadMarks::Mark& mark : marks_.all())
        tip += fmt::format("\nline {}{}{}", mark.line, mark.condition.empty() ? "" : ": ",
                           mark.problem.empty() ? mark.condition : mark.problem);
    theme::tooltip(tip);
    ImGui::SameLine(0, px(3));
    if (button("##mark", ImGuiDir_Right, "To the next mark (Enter)")) go_to_mark(false);
    ImGui::SameLine(0, px(10));
    const int count = int(watch_.lines().size());
    ImGui::SetNextItemWidth(-1);
    int shown = step_ + 1;
    const std::string format =
        fmt::format("step %d of {}{}", count, watch_.is_cut() ? ", of which there were more" : "");
    if (ImGui::SliderInt("##step", &shown, 1, count, format.c_str(), ImGuiSliderFlags_AlwaysClamp))
        go(shown - 1);
    theme::tooltip("Arrows, Page Up, Page Down, Home and End go through the steps, too");
}

void ThreadPanel::draw_steps() {
    take_keys();
    draw_step_row();
    const float right = std::max(ImGui::GetContentRegionAvail().x * 0.42f, px(220));
    if (ImGui::BeginChild("lines", {-right - px(8), 0})) draw_lines();
    ImGui::EndChild();
    ImGui::SameLine(0, px(8));
    if (ImGui::BeginChild("values"))
        values_.draw(watch_.lanes(), watch_.lines()[std::size_t(step_)]);
    ImGui::EndChild();
}

void ThreadPanel::draw_lines() {
    theme::push_font(theme::Font::code);
    const float row = ImGui::GetTextLineHeight() + px(2);
    if (std::exchange(scrolls_, false)) {
        const float top = float(step_) * row, height = ImGui::GetWindowHeight();
        if (top < ImGui::GetScrollY() || top + row > ImGui::GetScrollY() + height)
            ImGui::SetScrollY(std::max(top - height / 2, 0.0f));
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{px(8), px(2)});
    const float width = ImGui::GetContentRegionAvail().x;
    ImGuiListClipper clipper;
    clipper.Begin(int(watch_.lines().size()), row);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(i, width);
    ImGui::PopStyleVar();
    theme::pop_font();
    if (!ImGui::BeginPopup("mark")) return;
    if (const KernelSlot* const slot = watch_.thread().slot) marks_.draw_menu(*slot, menu_line_);
    ImGui::EndPopup();
}

void ThreadPanel::draw_row(int number, float width) {
    const gpu::TraceLine& line = watch_.lines()[std::size_t(number)];
    const KernelSlot* const slot = slot_of_text(line);
    const float glyph = ImGui::CalcTextSize("0").x, row = ImGui::GetTextLineHeight() + px(2);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable(fmt::format("##{}", number).c_str(), number == step_)) go(number);
    if (slot && ImGui::IsItemClicked(ImGuiMouseButton_Right)) {
        menu_line_ = line.line;
        ImGui::OpenPopup("mark");
    }
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const bool is_hovered = ImGui::IsItemHovered();
    const auto write = [&](float x, unsigned rgb, std::string_view text, float to) {
        const auto room = std::size_t(std::max((to - x) / glyph, 1.0f)); // letters
        std::string cut;
        if (text.size() > room) {
            if (is_hovered && ImGui::IsMouseHoveringRect({corner.x + x, corner.y},
                                                         {corner.x + to, corner.y + row}))
                theme::tooltip(text);
            text = cut = fmt::format("{}…", text.substr(0, room - 1));
        }
        draw.AddText({corner.x + x, corner.y}, theme::packed(rgb), text.data(),
                     text.data() + text.size());
    };
    const auto& stops = marks_.stops(watch_);
    if (slot && marks_.at(slot, line.line)) {
        const bool stops_here = std::ranges::binary_search(stops, std::size_t(number));
        draw.AddCircleFilled({corner.x + glyph / 2, corner.y + ImGui::GetTextLineHeight() / 2},
                             px(4), theme::packed(theme::kCostly, stops_here ? 1.0f : 0.4f));
    }
    // Where it is narrow the editor, which marks the line, has to do for its text.
    const bool has_code = width > 48 * glyph;
    const float code = (6 + 2 * float(line.depth)) * glyph,
                changes = has_code ? std::max(width * 0.55f, code + 8 * glyph) : code;
    write(glyph, theme::kDim, fmt::format("{:4}", line.line), 6 * glyph);
    if (has_code && is_of_text(line))
        write(code, theme::kText, without_indent(text_[std::size_t(line.line) - 1]),
              changes - glyph);
    else if (has_code) write(code, theme::kDim, line.function, changes - glyph);
    write(changes, theme::kAccent, gpu::changes_in_words(line), width);
}

} // namespace lathe
