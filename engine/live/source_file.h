// SPDX-License-Identifier: MIT
// The file behind an edited text: what it holds, what another program made of it meanwhile, and
// the files that it includes.
#pragma once

#include "engine/core/api.h"
#include "engine/core/file_watch.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class LATHE_API SourceFile {
public:
    /// No file: nothing is read or written, included files are watched nevertheless.
    SourceFile() = default;
    /// Reads and watches the file. Throws lathe::Error where it cannot be read.
    explicit SourceFile(std::filesystem::path file);

    const std::filesystem::path& path() const { return path_; } ///< empty: no file
    /// The text as last read or written.
    const std::string& saved() const { return saved_; }
    bool is_modified(const std::string& text) const { return !path_.empty() && text != saved_; }
    /// Replaces the file, whole or not at all. Throws lathe::Error where that fails.
    void write(const std::string& text);

    /// Another program's text, which waits because the editor's was modified.
    bool conflict() const { return theirs_.has_value(); }
    /// That text, which no longer waits.
    std::optional<std::string> take_theirs();
    void drop_theirs() { theirs_.reset(); }

    /// The files that the text includes; they replace those named before. They need not exist. Of
    /// new ones a change since `began` is reported, when a compiler began to read them.
    void watch_included(std::vector<std::filesystem::path> files, FileWatch::Time began);

    const std::vector<std::filesystem::path>& included() const { return included_; }

    struct Changes {
        std::optional<std::string> text; ///< to be taken: the editor's was not modified
        bool included = false;           ///< of an included file
    };
    /// What changed on disk since the last call; looks no more often than `interval`. `text` is
    /// the editor's.
    Changes look(const std::string& text, std::chrono::milliseconds interval);

private:
    std::optional<std::string> read_again(const std::string& text, bool was_empty);

    std::filesystem::path path_;
    std::string saved_;
    std::optional<std::string> theirs_;
    FileWatch watch_;
    bool seems_empty_ = false; ///< at the last look
    std::vector<std::filesystem::path> included_;
};

} // namespace lathe
