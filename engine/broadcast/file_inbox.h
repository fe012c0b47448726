// SPDX-License-Identifier: MIT
// Files that a page sends, piece by piece. They are written to a folder that is new with each drop,
// under names that are safe there.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// The last part of `name`, without what file systems or terminals stumble over, 100 bytes at most;
/// "file" where nothing is left. `name` is UTF-8.
LATHE_API std::string safe_file_name(std::string_view name);

class LATHE_API FileInbox {
public:
    /// Of a drop: bytes of all files together, and files.
    static constexpr std::uint64_t kMostBytes = 256 << 20;
    static constexpr std::size_t kMostFiles = 100;

    FileInbox() = default;
    FileInbox(const FileInbox&) = delete;
    FileInbox& operator=(const FileInbox&) = delete;
    /// Removes all that were taken but kernels and programs: they may have been edited since.
    ~FileInbox();

    /// A file comes; one that is not whole is forgotten. If it cannot be taken, returns why, and
    /// its bytes are thrown away.
    std::optional<std::string> begin(std::uint64_t bytes, const std::string& name);
    /// The next bytes of the file. Why not, where they cannot be written. Throws lathe::Error where
    /// no file has so many left.
    std::optional<std::string> add(std::string_view bytes);
    /// The same for a file of a viewer who may not: its bytes are thrown away.
    void skip(std::uint64_t bytes);
    bool has_files() const { return !folders_.empty(); }
    /// Those that are whole, since the last call.
    std::vector<std::filesystem::path> take();

private:
    std::optional<std::string> give_up(std::string_view why);
    void end_file();

    std::vector<std::filesystem::path> folders_, whole_;
    std::filesystem::path folder_, file_; ///< empty: none
    std::ofstream output_;
    std::uint64_t left_ = 0, bytes_ = 0; ///< of the file; of the drop
    std::size_t files_ = 0;              ///< of the drop
};

} // namespace lathe
