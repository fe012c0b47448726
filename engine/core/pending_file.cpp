// SPDX-License-Identifier: MIT
#include "engine/core/pending_file.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <atomic>
#include <system_error>

#include <unistd.h>

namespace lathe {

namespace fs = std::filesystem;

PendingFile::PendingFile(const fs::path& file) {
    std::error_code ignored;             // who opens the path is told the reason
    file_ = fs::absolute(file, ignored); // the program may go to another folder meanwhile
    fs::path folder = file_.parent_path();
    fs::create_directories(folder, ignored);
    path_ = file_;
    if (const fs::file_status there = fs::status(file_, ignored); fs::exists(there)) {
        file_ = fs::canonical(file_, ignored);
        folder = file_.parent_path();
        if (!fs::is_regular_file(there) || access(file_.c_str(), W_OK) != 0 ||
            access(folder.c_str(), W_OK) != 0)
            return;
    }
    static std::atomic<unsigned> made{0}; // threads may write the same file
    path_ = folder / fmt::format(".{}.{}-{}{}", file_.stem().string(), getpid(), ++made,
                                 file_.extension().string());
    is_pending_ = true;
}

PendingFile::~PendingFile() {
    std::error_code ignored;
    if (is_pending_) fs::remove(path_, ignored);
}

void PendingFile::put_in_place() {
    if (!is_pending_) return;
    std::error_code failed;
    const fs::file_status there = fs::status(file_, failed);
    if (fs::exists(there)) fs::permissions(path_, there.permissions(), failed);
    fs::rename(path_, file_, failed);
    if (failed) throw Error{fmt::format("cannot write {}: {}", file_.string(), failed.message())};
    is_pending_ = false;
}

} // namespace lathe
