// SPDX-License-Identifier: MIT
// The versions of the text in front that a Session has kept: when, what each changed, whether it
// compiled; the difference between one of them and the text now; the way back to it.
#pragma once

#include "engine/live/session.h"
#include "engine/ui/line_diff.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class KernelSlot;

class HistoryPanel {
public:
    /// `session` may be null: nothing is kept, then.
    explicit HistoryPanel(const Session* session) : session_{session} {}

    /// Inside the panel's window; `slot` may be null, `text` is what its editor has. The text of a
    /// version that is to take its place, once.
    std::optional<std::string> draw(const KernelSlot* slot, const std::string& text);

private:
    struct Change {
        std::size_t added = 0, removed = 0;
    };
    void look(const KernelSlot& slot);
    void compare(const std::string& text, std::uint64_t text_version);
    void choose(const std::filesystem::path& version);
    Change change_of(std::size_t row);
    void draw_list(float width);
    void draw_row(std::size_t row);
    void take_keys();
    bool draw_head();
    void draw_diff() const;

    const Session* session_;
    const KernelSlot* slot_ = nullptr;
    double looked_at_ = -1; ///< by Dear ImGui's clock
    std::vector<Session::Version> rows_;
    std::map<std::filesystem::path, Change> changes_; ///< to the version before
    std::filesystem::path chosen_; ///< by the user; empty: the newest that is not the text

    std::filesystem::path selected_; ///< what the difference is of
    std::uint64_t text_version_ = 0; ///< the same
    bool is_stale_ = false;
    std::string now_, problem_;
    Session::Text then_;
    std::vector<DiffLine> diff_;
    std::vector<std::size_t> shown_; ///< of diff_; kGap between places that are far apart
    static constexpr std::size_t kGap = ~std::size_t{};
};

} // namespace lathe
