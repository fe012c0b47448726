// SPDX-License-Identifier: MIT
// What outlives a run: every edited source is kept under cache_directory()/autosave, and a run
// that ended without saying so is noticed by the next one, which opens paused.
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// What became of a version when it was compiled and ran.
enum class Outcome { unknown, good, failed, faulted };

class LATHE_API Session {
public:
    /// Of each source. The newest version is kept, however large it is.
    static constexpr std::size_t kVersionsKept = 50;
    static constexpr std::uintmax_t kBytesKept = 8 << 20;

    /// One saved version of a source.
    struct Saved {
        std::filesystem::path file;
        std::filesystem::file_time_type time;
        std::string text;
    };

    /// A version of a source among others.
    struct Version {
        std::filesystem::path file;
        std::chrono::system_clock::time_point time;
        Outcome outcome = Outcome::unknown;
        bool operator==(const Version&) const = default;
    };
    struct Text {
        std::string text;
        std::string problem; ///< not empty: why there is no text
    };

    /// Opens the session `name` (an app's name or a script's path) below `directory`, normally
    /// cache_directory(). A folder that cannot be written is reported once in the log; the session
    /// then keeps nothing.
    Session(std::string_view name, const std::filesystem::path& directory);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    /// An orderly end: removes the mark of the run.
    ~Session();

    /// The same before the object dies: the run ends in order, whatever becomes of the process.
    void end() noexcept;

    /// The last run of this session ended without an orderly end, and no process still runs it.
    bool crashed_last_time() const { return crashed_; }

    /// Keeps `text` as the newest version of `source` (a slot's key) unless it is the newest
    /// already; of older ones those stay that the limits above leave room for. Written whole or not
    /// at all. Returns the file, or an empty path where it could not be written (the reason is
    /// logged).
    std::filesystem::path autosave(std::string_view source, std::string_view text);

    /// Newest first.
    std::vector<std::filesystem::path> versions(std::string_view source) const;
    /// The same, with what is known of them.
    std::vector<Version> history(std::string_view source) const;
    /// What became of a version, which is kept beside it. A file that is gone meanwhile is ignored.
    void note(const std::filesystem::path& version, Outcome outcome) const;
    /// A small file beside a source's versions: "folds". False where it cannot be written, which
    /// is logged.
    bool keep_beside(std::string_view source, std::string_view name, std::string_view text) const;
    std::string kept_beside(std::string_view source, std::string_view name) const;
    /// A version's text, which another program may have removed or spoilt.
    static Text read(const std::filesystem::path& version);

    /// The newest version where it differs from `current` and is not settled.
    std::optional<Saved> newer_than(std::string_view source, std::string_view current) const;

    /// The newest version was saved to its file, or the user declined it: newer_than does not
    /// offer it any more, whatever becomes of the file. A later version is offered again.
    void settle(std::string_view source);

    const std::filesystem::path& directory() const { return directory_; }

private:
    std::filesystem::path folder_of(std::string_view source) const;
    void forget_old(const std::vector<std::filesystem::path>& versions) const;

    std::filesystem::path directory_; ///< …/autosave/<name>
    std::filesystem::path marker_;
    bool crashed_ = false;
    bool writable_ = true;
};

} // namespace lathe
