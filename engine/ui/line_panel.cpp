// SPDX-License-Identifier: MIT
#include "engine/ui/line_panel.h"

#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lathe {

namespace {

using theme::px;
using LineState = LineWatch::State;

std::string words_of_index(const gpu::Dim3& d) {
    return d.z ? fmt::format("({}, {}, {})", d.x, d.y, d.z) : fmt::format("({}, {})", d.x, d.y);
}

} // namespace

// -- what is asked -------------------------------------------------------------------------------

void LinePanel::ask(const KernelSlot& slot, int line, std::string word) {
    typed_ = {};
    typed_.slot = &slot;
    typed_.line = line;
    typed_.shown = std::move(word);
    is_word_ = true;
    ++asked_;
    watch_as_typed();
}

void LinePanel::watch_as_typed() {
    watch_.watch(typed_);
    if (!is_word_) say();
}

/// The word at the cursor is known to be a variable, or not, when the kernel is compiled.
void LinePanel::look_at_word() {
    if (!is_word_) return;
    const LineState state = watch_.state();
    if (state != LineState::watching && state != LineState::failed) return;
    is_word_ = false;
    if (state == LineState::watching &&
        !std::ranges::count(watch_.known(), typed_.shown, &ptx::ParameterType::name)) {
        typed_.shown.clear();
        watch_.watch(typed_);
    }
    say();
}

/// The call that does the same.
void LinePanel::say() const {
    std::string more;
    if (!typed_.shown.empty()) more += fmt::format(", \"{}\"", typed_.shown);
    if (!typed_.mark.empty()) more += fmt::format(", mark=\"{}\"", typed_.mark);
    if (typed_.stops) more += ", pause=True";
    const auto running = typed_.slot->loaded();
    log::info("app.watch_line({}, {}{})", running ? running->entry() : typed_.slot->name(),
              typed_.line, more);
}

void LinePanel::draw_field(const char* label, const char* tip, std::string& text) {
    ImGui::AlignTextToFramePadding();
    theme::text(label, theme::kDim);
    ImGui::SameLine(px(44));
    ImGui::SetNextItemWidth(-ImGui::GetFrameHeight() - px(4));
    const bool is_typed = ImGui::InputText(fmt::format("##{}", label).c_str(), &text,
                                           ImGuiInputTextFlags_EnterReturnsTrue);
    theme::tooltip(tip);
    if (is_typed || ImGui::IsItemDeactivatedAfterEdit()) watch_as_typed();
}

/// An arrow behind the field opens what can be shown.
void LinePanel::draw_variables() {
    ImGui::SameLine(0, px(4));
    if (ImGui::ArrowButton("##variables", ImGuiDir_Down)) ImGui::OpenPopup("variables");
    theme::tooltip("Variables that have a value after the line");
    if (!ImGui::BeginPopup("variables")) return;
    if (watch_.known().empty()) theme::text("none is known yet", theme::kDim);
    for (const ptx::ParameterType& type : watch_.known())
        if (ImGui::MenuItem(type.name.c_str(), type.type_name.c_str())) {
            typed_.shown = type.name;
            watch_as_typed();
        }
    ImGui::EndPopup();
}

void LinePanel::draw_question() {
    ImGui::PushID(asked_); // a field that is typed into ends with its question
    ImGui::AlignTextToFramePadding();
    theme::text("line", theme::kDim);
    ImGui::SameLine(px(44));
    ImGui::SetNextItemWidth(px(56));
    if (const int now = watch_.line_now(); now > 0) typed_.line = now; // it moves with its text
    int line = typed_.line;
    if (ImGui::InputInt("##line", &line, 0, 0, ImGuiInputTextFlags_EnterReturnsTrue)) {
        typed_.line = std::max(line, 1);
        watch_as_typed();
    }
    ImGui::SameLine(0, px(6));
    const std::string& kernel = watch_.kernel();
    const char* const button = watch_.state() != LineState::off ? "Stop" : "Watch";
    const float end = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x -
                      ImGui::CalcTextSize(button).x - 2 * ImGui::GetStyle().FramePadding.x;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = end - ImGui::GetCursorPosX() - px(6);
    ImGui::PushClipRect(corner, {corner.x + width, corner.y + ImGui::GetFrameHeight()}, true);
    theme::text(kernel.empty() ? typed_.slot->name() : kernel, theme::kDim);
    ImGui::PopClipRect();
    theme::tooltip(typed_.slot->name());
    ImGui::SameLine(end);
    if (watch_.state() != LineState::off) {
        if (ImGui::Button(button)) watch_.forget();
        theme::tooltip("The kernel runs as usual again");
    } else if (ImGui::Button(button)) {
        watch_as_typed();
    }
    draw_field("show", "An expression of the line's variables in CUDA C++: v, sqrtf(u * u + v * v)",
               typed_.shown);
    draw_variables();
    draw_field("mark", "Threads for which this is true are red: isnan(u), v > 1", typed_.mark);
    ImGui::SameLine(0, px(4));
    if (ImGui::Checkbox("##pause", &typed_.stops)) watch_as_typed();
    theme::tooltip("Pause when a thread meets it: each launch is looked at then");
    ImGui::PopID();
}

// -- what is found -------------------------------------------------------------------------------

std::string LinePanel::state_in_words(bool is_paused) {
    is_problem_ = false;
    switch (watch_.state()) {
    case LineState::off: return "F6 in the text shows the variable at the cursor after its line.";
    case LineState::compiling: return "compiling without optimisation: the program goes on";
    case LineState::failed: is_problem_ = true; return watch_.problem();
    case LineState::watching: break;
    }
    if (!watch_.problem().empty()) {
        is_problem_ = true;
        return watch_.problem();
    }
    if (!picture_.empty()) return {};
    return is_paused ? "waits for a launch, and the program is paused: . makes a step"
                     : "waits for the kernel's next launch";
}

std::string LinePanel::words_of(std::size_t thread) const {
    const LinePicture& p = watch_.picture();
    const auto [block, index] = p.thread_at(thread);
    const auto times = p.visits[thread];
    std::string text =
        fmt::format("block {}, thread {}", words_of_index(block), words_of_index(index));
    if (times == 0) return text + "\nnever comes to the line";
    const double value = p.shown[thread];
    if (watch_.line().shown.empty()) return text + fmt::format("\ncomes {} times", times);
    text += fmt::format("\n{} = {:.9g}", watch_.line().shown, value);
    if (times > 1) text += fmt::format(", the last of {} times", times);
    return text;
}

void LinePanel::wish_thread(std::size_t thread) {
    const auto [block, index] = watch_.picture().thread_at(thread);
    if (follow) follow({watch_.kernel(), block, index});
}

void LinePanel::draw_picture(float width) {
    const auto under = picture_.draw({width, ImGui::GetContentRegionAvail().y});
    if (!under) return;
    theme::push_font(theme::Font::small);
    ImGui::SetTooltip("%s\nclick: follow this thread", words_of(*under).c_str());
    theme::pop_font();
    if (ImGui::IsItemClicked()) wish_thread(*under);
}

/// Range, how many came, and how many are marked.
void LinePanel::draw_answer() {
    const LinePicture& p = watch_.picture();
    theme::push_font(theme::Font::small);
    const ImVec2 bar = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::GetWindowDrawList()->AddImage(ImTextureID(picture_.colormap().texture().id()),
                                         {bar.x, bar.y + px(2)}, {bar.x + width, bar.y + px(8)});
    ImGui::Dummy({width, px(9)});
    const std::string high = fmt::format("{:.5g}", picture_.range().high);
    theme::text(fmt::format("{:.5g}", picture_.range().low));
    ImGui::SameLine(std::max(width - ImGui::CalcTextSize(high.c_str()).x, px(60)));
    theme::text(high);
    const std::string came =
        fmt::format("{} of {} threads come to the line", picture_.came(), p.shown.size());
    if (watch_.line().mark.empty()) {
        theme::text(came, theme::kDim);
    } else {
        theme::text(fmt::format("{} marked", p.marked.size()),
                    p.marked.empty() ? theme::kDim : theme::kError);
        theme::tooltip(came);
        ImGui::SameLine(0, px(8));
        if (!p.marked.empty() && ImGui::SmallButton("Follow the first"))
            wish_thread(p.marked.front());
        if (!p.marked.empty()) theme::tooltip(words_of(p.marked.front()));
    }
    theme::pop_font();
}

void LinePanel::draw(const std::vector<KernelSlot*>& slots, bool is_paused) {
    if (std::ranges::find(slots, typed_.slot) == slots.end()) {
        typed_ = {};
        for (const KernelSlot* slot : slots)
            if (!typed_.slot && slot->ready()) typed_.slot = slot, typed_.line = 1;
    }
    if (!typed_.slot) return theme::text("No kernels to look into yet.", theme::kDim);
    look_at_word();
    if (watch_.state() == LineState::off) picture_ = {};
    else if (watch_.results() != seen_ && watch_.picture().threads.total() > 0)
        picture_.take(watch_.picture());
    seen_ = watch_.results();

    const std::string words = state_in_words(is_paused);
    const float all = ImGui::GetContentRegionAvail().x;
    const float right = std::clamp(all * 0.5f, px(220), px(380));
    if (ImGui::BeginChild("picture", {all - right - px(8), 0})) {
        if (!picture_.empty()) draw_picture(ImGui::GetContentRegionAvail().x);
        else {
            ImGui::PushTextWrapPos(0);
            theme::text(words, is_problem_ ? theme::kError : theme::kDim);
            ImGui::PopTextWrapPos();
        }
    }
    ImGui::EndChild();
    ImGui::SameLine(0, px(8));
    if (ImGui::BeginChild("question")) {
        draw_question();
        if (!picture_.empty() && words.empty()) draw_answer();
        else if (!picture_.empty()) {
            ImGui::PushTextWrapPos(0);
            theme::text(words, is_problem_ ? theme::kError : theme::kAccent);
            ImGui::PopTextWrapPos();
        }
    }
    ImGui::EndChild();
}

} // namespace lathe
