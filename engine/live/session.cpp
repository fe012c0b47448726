// SPDX-License-Identifier: MIT
#include "engine/live/session.h"

#include "engine/core/cache_key.h"
#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "engine/live/kept_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <unistd.h>

namespace lathe {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMarker = "running.";
constexpr const char* kSettled = ".settled"; ///< names the version in a source's folder

/// A file name that is readable and, by the hash at its end, not shared by two names.
std::string file_name_of(std::string_view name) {
    std::string safe;
    for (const char c : name.substr(name.size() > 40 ? name.size() - 40 : 0))
        safe += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' ? c : '_';
    return fmt::format("{}-{}", safe, CacheKey{}.add(name).hex().substr(0, 8));
}

/// When the process began, in clock ticks since boot; empty where there is none of that id.
std::string start_of_process(long pid) {
    std::ifstream in{fmt::format("/proc/{}/stat", pid)};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto name_end = text.rfind(')'); // the second field may hold blanks
    if (name_end == text.npos) return {};
    std::size_t at = name_end + 1;
    for (int field = 3; field < 22 && at != text.npos; ++field) at = text.find(' ', at + 1);
    return at == text.npos ? std::string{} : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

std::string read_quietly(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

Session::Session(std::string_view name, const fs::path& directory)
    : directory_{directory / "autosave" / file_name_of(name)} {
    std::error_code failed;
    fs::create_directories(directory_, failed);
    for (fs::directory_iterator entries{directory_, failed}, end; !failed && entries != end;
         entries.increment(failed)) {
        const std::string file = entries->path().filename().string();
        if (!file.starts_with(kMarker)) continue;
        const long pid = std::atol(file.c_str() + kMarker.size());
        if (start_of_process(pid) == read_quietly(entries->path())) continue; // still runs
        crashed_ = true;
        std::error_code ignored;
        fs::remove(entries->path(), ignored);
    }
    marker_ = directory_ / fmt::format("{}{}", kMarker, getpid());
    std::ofstream out{marker_};
    out << start_of_process(getpid());
    out.close();
    writable_ = bool(out);
    if (!writable_)
        log::warning("edits are not kept between runs: {} cannot be written", directory_.string());
}

Session::~Session() { end(); }

void Session::end() noexcept {
    std::error_code ignored;
    fs::remove(marker_, ignored);
}

fs::path Session::folder_of(std::string_view source) const {
    return directory_ / file_name_of(source);
}

std::vector<fs::path> Session::versions(std::string_view source) const {
    std::vector<fs::path> files;
    std::error_code failed;
    for (fs::directory_iterator entries{folder_of(source), failed}, end; !failed && entries != end;
         entries.increment(failed))
        if (entries->path().filename().string().front() != '.') files.push_back(entries->path());
    std::sort(files.rbegin(), files.rend()); // names begin with the time
    return files;
}

fs::path Session::autosave(std::string_view source, std::string_view text) {
    if (!writable_) return {};
    auto old = versions(source);
    if (!old.empty() && read_quietly(old.front()) == text) return old.front();
    const auto now = std::chrono::system_clock::now();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
    const std::string extension = fs::path{source}.extension().string();
    std::string stem =
        fmt::format("{:%Y-%m-%dT%H-%M-%S}.{:03}",
                    fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms.count() % 1000);
    if (!old.empty() && old.front().filename().string() >= stem + extension) // same millisecond,
        stem = old.front().stem().string() + "_"; // or a clock that was set back
    const fs::path file = folder_of(source) / (stem + extension);
    if (const std::string why = replace_file(file, text); !why.empty()) {
        log::warning("{} was not autosaved: {}", source, why);
        return {};
    }
    old.insert(old.begin(), file);
    forget_old(old);
    return file;
}

bool Session::keep_beside(std::string_view source, std::string_view name,
                          std::string_view text) const {
    if (!writable_) return false;
    const std::string why = replace_file(folder_of(source) / fmt::format(".{}", name), text);
    if (!why.empty()) log::warning("{} of {} are not kept: {}", name, source, why);
    return why.empty();
}

std::string Session::kept_beside(std::string_view source, std::string_view name) const {
    return read_quietly(folder_of(source) / fmt::format(".{}", name));
}

void Session::settle(std::string_view source) {
    const auto files = versions(source);
    if (files.empty()) return;
    std::ofstream out{folder_of(source) / kSettled, std::ios::binary};
    out << files.front().filename().string();
}

std::optional<Session::Saved> Session::newer_than(std::string_view source,
                                                  std::string_view current) const {
    const auto files = versions(source);
    if (files.empty()) return {};
    if (read_quietly(folder_of(source) / kSettled) == files.front().filename()) return {};
    std::string text = read_quietly(files.front());
    if (text == current) return {};
    std::error_code ignored;
    return Saved{files.front(), fs::last_write_time(files.front(), ignored), std::move(text)};
}

} // namespace lathe
