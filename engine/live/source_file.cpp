// SPDX-License-Identifier: MIT
#include "engine/live/source_file.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/output_file.h"
#include "engine/core/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lathe {

namespace fs = std::filesystem;

SourceFile::SourceFile(fs::path file) : path_{std::move(file)} {
    watch_.add(path_); // first: what is saved while it is read counts as a change
    saved_ = read_text(path_);
}

void SourceFile::write(const std::string& text) {
    write_file(path_, text);
    saved_ = text;
    theirs_.reset();
}

std::optional<std::string> SourceFile::take_theirs() {
    return std::exchange(theirs_, std::nullopt);
}

void SourceFile::watch_included(std::vector<fs::path> files, FileWatch::Time began) {
    for (const fs::path& old : included_)
        if (std::find(files.begin(), files.end(), old) == files.end() && old != path_)
            watch_.remove(old);
    for (const fs::path& header : files) watch_.add_read_since(header, began);
    included_ = std::move(files);
}

SourceFile::Changes SourceFile::look(const std::string& text, std::chrono::milliseconds interval) {
    Changes found;
    watch_.interval = interval;
    const bool was_empty = std::exchange(seems_empty_, false);
    bool is_changed = was_empty;
    for (const fs::path& changed : watch_.changed()) {
        if (changed == path_) is_changed = true;
        else found.included = true;
    }
    if (is_changed) found.text = read_again(text, was_empty);
    return found;
}

std::optional<std::string> SourceFile::read_again(const std::string& text, bool was_empty) {
    std::string now;
    try {
        now = read_text(path_);
    } catch (const Error& e) {
        log::warning("{}", e.what());
        return {};
    }
    if (now == saved_) return {};
    // Some editors truncate, then write: an empty file is believed at the second look.
    if (now.empty() && !was_empty) {
        seems_empty_ = true;
        return {};
    }
    const bool modified = text != saved_;
    saved_ = now;
    if (now == text) theirs_.reset();
    else if (modified) theirs_ = std::move(now);
    else return now;
    return {};
}

} // namespace lathe
