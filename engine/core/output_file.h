// SPDX-License-Identifier: MIT
// A file that a user wants, written from its beginning; missing folders are made.
#pragma once

#include "engine/core/api.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace lathe {

class LATHE_API OutputFile {
public:
    explicit OutputFile(std::filesystem::path file);

    /// False once something has failed.
    explicit operator bool() const { return bool(out_); }
    OutputFile& operator<<(std::string_view bytes);
    /// The next bytes go there, from the file's beginning.
    void seek(std::streamoff to) { out_.seekp(to); }
    /// Throws lathe::Error, with the system's reason, where the file does not have all that was
    /// written.
    void close();

private:
    std::filesystem::path file_;
    std::ofstream out_;
};

} // namespace lathe
