// SPDX-License-Identifier: MIT
#include "engine/ui/file_panel.h"

#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace lathe {

namespace fs = std::filesystem;

namespace {

constexpr ImVec2 kSize{560, 400};

} // namespace

void FilePanel::ask(FileQuestion question, const fs::path& folder) {
    question_ = std::move(question);
    is_open_ = true;
    show(folder);
}

bool FilePanel::fits(const fs::path& path) const {
    return question_.endings.empty() ||
           std::ranges::find(question_.endings, path.extension().string()) !=
               question_.endings.end();
}

/// Folders first, then files, each by name.
void FilePanel::show(const fs::path& folder) {
    std::error_code failed;
    fs::path whole = fs::weakly_canonical(folder, failed);
    fs::directory_iterator entries{whole, failed};
    if (failed) {
        problem_ = fmt::format("{}: {}", folder.string(), failed.message());
        return;
    }
    ++lists_shown_;
    rows_.clear();
    for (const fs::directory_iterator end; !failed && entries != end; entries.increment(failed)) {
        const std::string name = entries->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || name == "__pycache__") continue;
        if (entries->is_directory(ignored)) rows_.push_back({name + "/", true});
        else if (fits(name)) rows_.push_back({name, false});
    }
    std::ranges::sort(rows_, {},
                      [](const Row& row) { return std::pair{!row.is_folder, row.name}; });
    if (whole.has_relative_path()) rows_.insert(rows_.begin(), {"../", true});
    folder_ = std::move(whole);
    typed_ = (folder_ / "").string();
    problem_.clear();
    to_replace_.clear();
    // The first file: what is wanted most.
    const auto file = std::ranges::find(rows_, false, &Row::is_folder);
    chosen_ = file == rows_.end() ? 0 : std::size_t(file - rows_.begin());
    takes_keyboard_ = shows_chosen_ = true;
}

void FilePanel::take(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return show(path);
    if (question_.is_new) return take_new(path);
    if (!fits(path))
        problem_ = fmt::format("{}: the file has to end in {}", path.string(),
                               fmt::join(question_.endings, " or "));
    else if (!fs::exists(path, ignored))
        problem_ = fmt::format("there is no file {}", path.string());
    else taken_ = path;
}

/// Where a file has that name already, the second time counts.
void FilePanel::take_new(fs::path path) {
    std::error_code ignored;
    if (!fits(path)) path += question_.endings.front();
    if (!fs::is_directory(path.parent_path(), ignored))
        problem_ = fmt::format("there is no folder {}", path.parent_path().string());
    else if (fs::exists(path, ignored) && to_replace_ != path) {
        to_replace_ = path;
        problem_ = fmt::format("{} is there already: Enter replaces it", path.string());
    } else taken_ = path;
}

bool FilePanel::handle(const KeyEvent& key) {
    if (!is_open_ || !key.down || key.modifiers) return false;
    const std::size_t last = rows_.empty() ? 0 : rows_.size() - 1;
    switch (key.key) {
    case Key::escape: is_open_ = false; return true;
    case Key::up: chosen_ -= chosen_ > 0; break;
    case Key::down: chosen_ = std::min(chosen_ + 1, last); break;
    case Key::enter:
    case Key::keypad_enter: {
        const bool is_typed = typed_ != (folder_ / "").string();
        if (is_typed) take(folder_ / typed_); // an absolute one stays itself
        else if (!rows_.empty()) take(folder_ / rows_[chosen_].name);
        return true;
    }
    default: return false;
    }
    return shows_chosen_ = true;
}

void FilePanel::draw_rows() {
    std::optional<fs::path> clicked;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        ImGui::PushStyleColor(ImGuiCol_Text,
                              theme::color(row.is_folder ? theme::kDim : theme::kText));
        if (ImGui::Selectable(row.name.c_str(), i == chosen_)) clicked = folder_ / row.name;
        ImGui::PopStyleColor();
        if (i == chosen_ && std::exchange(shows_chosen_, false)) ImGui::SetScrollHereY();
    }
    if (clicked) take(*clicked);
}

std::function<void()> FilePanel::draw() {
    if (!is_open_) {
        question_ = {}; // it may hold what asks
        return {};
    }
    if (takes_keyboard_) ImGui::SetNextWindowFocus();
    if (theme::begin_over_panels(question_.title.c_str(), is_open_, kSize)) {
        if (std::exchange(takes_keyboard_, false)) ImGui::SetKeyboardFocusHere();
        ImGui::SetNextItemWidth(-1);
        // A field that has the keyboard keeps its own text: a new list has a new field.
        ImGui::PushID(lists_shown_);
        ImGui::InputText("##path", &typed_);
        ImGui::PopID();
        theme::push_font(theme::Font::small);
        if (problem_.empty()) theme::text(question_.hint, theme::kDim);
        else theme::text(problem_, theme::kError);
        theme::pop_font();
        ImGui::BeginChild("files");
        draw_rows();
        ImGui::EndChild();
    }
    theme::end_over_panels();
    if (!taken_) return {};
    is_open_ = false;
    return [then = question_.then, file = *std::exchange(taken_, std::nullopt)] { then(file); };
}

} // namespace lathe
