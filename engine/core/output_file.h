// SPDX-License-Identifier: MIT
// A file that a user wants, written from its beginning: it is there as a whole, or as it was.
#pragma once

#include "engine/core/api.h"
#include "engine/core/pending_file.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace lathe {

class LATHE_API OutputFile {
public:
    /// Missing folders are made.
    explicit OutputFile(std::filesystem::path file);

    /// False once something has failed.
    explicit operator bool() const { return bool(out_); }
    OutputFile& operator<<(std::string_view bytes);
    /// The next bytes go there, from the file's beginning.
    void seek(std::streamoff to) { out_.seekp(to); }
    /// The file has what was written. Throws lathe::Error, with the system's reason, where that is
    /// not all; the file is as before then.
    void close();

private:
    void note_failure();

    std::filesystem::path file_;
    PendingFile pending_;
    std::ofstream out_;
    int reason_ = 0; ///< errno of the first failure
};

/// A file of this text. Throws as OutputFile::close() does.
LATHE_API void write_file(const std::filesystem::path& file, std::string_view text);

} // namespace lathe
