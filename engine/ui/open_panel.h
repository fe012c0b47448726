// SPDX-License-Identifier: MIT
// A list of folders, scripts and kernels, from which one is opened (Ctrl+O). A path may be typed,
// too.
#pragma once

#include "engine/app/input.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class OpenPanel {
public:
    bool is_open() const { return is_open_; }
    /// Shows this folder.
    void open(const std::filesystem::path& folder);

    /// While it is open: Escape closes it, Up and Down choose, Enter takes what is chosen. True
    /// where the key was one of them.
    bool handle(const KeyEvent& key);
    /// A window over all panels, within a frame. The file that the user took.
    std::optional<std::filesystem::path> draw();

private:
    struct Row {
        std::string name; ///< a folder's ends with a slash
        bool is_folder;
    };
    void show(const std::filesystem::path& folder);
    void take(const std::filesystem::path& path);
    void draw_rows();

    bool is_open_ = false, takes_keyboard_ = false, shows_chosen_ = false;
    std::filesystem::path folder_;
    std::string typed_; ///< the path in the field
    std::vector<Row> rows_;
    std::size_t chosen_ = 0;
    std::string problem_;
    std::optional<std::filesystem::path> taken_;
};

} // namespace lathe
