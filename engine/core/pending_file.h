// SPDX-License-Identifier: MIT
// A file that is written beside its place until it is whole: where writing fails what was there
// stays, and nothing half written is left.
#pragma once

#include "engine/core/api.h"

#include <filesystem>

namespace lathe {

class LATHE_API PendingFile {
public:
    /// Makes missing folders. A link stays one: the file behind it is replaced. What is no plain
    /// file, as a pipe, has no place beside it, nor has a file that may not be written or whose
    /// folder may not.
    explicit PendingFile(const std::filesystem::path& file);
    /// Without put_in_place() what was written goes.
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    /// What is to be opened and written; it has the file's ending.
    const std::filesystem::path& path() const noexcept { return path_; }
    /// The file has what was written, and keeps its permissions. Throws lathe::Error.
    void put_in_place();

private:
    std::filesystem::path file_, path_;
    bool is_pending_ = false;
};

} // namespace lathe
