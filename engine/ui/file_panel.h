// SPDX-License-Identifier: MIT
// Asks for a file: one that is there, from a list of folders and files, or a new one. A path may be
// typed, too.
#pragma once

#include "engine/app/input.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct FileQuestion {
    std::string title = "Open";
    std::string hint{};                 ///< what becomes of the file
    std::vector<std::string> endings{}; ///< that it may have, such as ".png"; none: any
    bool is_new = false;                ///< the file will be written
    /// Called after the frame in which the user took the file.
    std::function<void(const std::filesystem::path&)> then{};
};

class FilePanel {
public:
    bool is_open() const { return is_open_; }
    /// Shows this folder. Another question that is open is forgotten.
    void ask(FileQuestion question, const std::filesystem::path& folder);

    /// While it is open: Escape closes it, Up and Down choose, Enter takes what is chosen. True
    /// where the key was one of them.
    bool handle(const KeyEvent& key);
    /// A window over all panels, within a frame. What is to be done with the file that the user
    /// took; empty where none was.
    std::function<void()> draw();

private:
    struct Row {
        std::string name; ///< a folder's ends with a slash
        bool is_folder;
    };
    void show(const std::filesystem::path& folder);
    void take(const std::filesystem::path& path);
    void take_new(std::filesystem::path path);
    bool fits(const std::filesystem::path& path) const;
    void draw_rows();

    FileQuestion question_;

    bool is_open_ = false, takes_keyboard_ = false, shows_chosen_ = false;
    std::filesystem::path folder_;
    std::string typed_; ///< the path in the field
    std::vector<Row> rows_;
    int lists_shown_ = 0;
    std::size_t chosen_ = 0;
    std::string problem_;
    std::filesystem::path to_replace_; ///< the user was told that it is there
    std::optional<std::filesystem::path> taken_;
};

} // namespace lathe
