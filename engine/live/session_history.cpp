// SPDX-License-Identifier: MIT
// The versions of a Session's sources: what is known of each, and which of them stay.
#include "engine/core/log.h"
#include "engine/live/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

namespace lathe {

namespace fs = std::filesystem;

namespace {

/// The mark is an empty file: it is there or not, and cannot be half written.
constexpr std::array<std::pair<Outcome, std::string_view>, 3> kMarks{
    {{Outcome::good, ".good"}, {Outcome::failed, ".failed"}, {Outcome::faulted, ".faulted"}}};

fs::path mark_of(const fs::path& version, std::string_view ending) {
    return version.parent_path() / fmt::format(".{}{}", version.filename().string(), ending);
}

Outcome outcome_of(const fs::path& version) {
    std::error_code ignored;
    for (const auto& [outcome, ending] : kMarks)
        if (fs::exists(mark_of(version, ending), ignored)) return outcome;
    return Outcome::unknown;
}

void remove_marks(const fs::path& version) {
    std::error_code ignored;
    for (const auto& [outcome, ending] : kMarks) fs::remove(mark_of(version, ending), ignored);
}

/// How many bytes a character of UTF-8 has that begins so; 0: none begins so.
std::size_t bytes_of_character(unsigned char first) {
    if (first < 0x80) return first == 0 ? 0 : 1;
    if (first < 0xc2) return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

bool is_text(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t count = bytes_of_character(static_cast<unsigned char>(bytes[0]));
        if (count == 0 || count > bytes.size()) return false;
        for (std::size_t i = 1; i < count; ++i)
            if ((static_cast<unsigned char>(bytes[i]) & 0xc0) != 0x80) return false;
        bytes.remove_prefix(count);
    }
    return true;
}

} // namespace

std::vector<Session::Version> Session::history(std::string_view source) const {
    std::vector<Version> found;
    for (fs::path& file : versions(source)) {
        std::error_code gone;
        const auto time = fs::last_write_time(file, gone);
        if (gone) continue;
        const Outcome outcome = outcome_of(file);
        found.push_back({std::move(file),
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(
                             std::chrono::file_clock::to_sys(time)),
                         outcome});
    }
    return found;
}

void Session::note(const fs::path& version, Outcome outcome) const {
    std::error_code ignored;
    if (!fs::exists(version, ignored)) return;
    remove_marks(version);
    for (const auto& [each, ending] : kMarks)
        if (each == outcome) std::ofstream{mark_of(version, ending)};
}

Session::Text Session::read(const fs::path& version) {
    std::ifstream in{version, std::ios::binary};
    if (!in) return {{}, fmt::format("{} is gone", version.string())};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (in.bad()) return {{}, fmt::format("{} cannot be read", version.string())};
    if (!is_text(text)) return {{}, fmt::format("{} holds no text", version.string())};
    return {std::move(text), {}};
}

/// Those that are too many, or too large together: the oldest ones.
void Session::forget_old(const std::vector<fs::path>& versions) const {
    std::uintmax_t bytes = 0;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        std::error_code ignored;
        const std::uintmax_t size = fs::file_size(versions[i], ignored);
        if (!ignored) bytes += size;
        if (i == 0 || (i < kVersionsKept && bytes <= kBytesKept)) continue;
        fs::remove(versions[i], ignored);
        remove_marks(versions[i]);
    }
}

} // namespace lathe
