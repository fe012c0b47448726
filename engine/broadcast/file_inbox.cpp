// SPDX-License-Identifier: MIT
#include "engine/broadcast/file_inbox.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lathe {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestFileName = 100;

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The name itself, or with a number where the folder has it.
fs::path free_name(const fs::path& folder, const fs::path& name) {
    fs::path file = folder / name;
    for (int k = 2; fs::exists(file); ++k)
        file = folder / fmt::format("{}-{}{}", name.stem().string(), k, name.extension().string());
    return file;
}

bool is_source_file(const fs::path& file) {
    return file.extension() == ".cu" || file.extension() == ".py";
}

} // namespace

std::string safe_file_name(std::string_view name) {
    name = name.substr(name.find_last_of("/\\") + 1);
    std::string safe;
    for (const char c : name)
        if (static_cast<unsigned char>(c) >= ' ' && c != 127) safe += c;
    safe.erase(0, std::min(safe.find_first_not_of(". "), safe.size()));
    if (safe.size() > kLongestFileName) { // its ending says what it is
        std::string ending = fs::path{safe}.extension().string();
        if (ending.size() > kLongestFileName / 2) ending.clear();
        std::size_t length = kLongestFileName - ending.size();
        while (length > 0 && is_inside_character(safe[length])) --length;
        safe = safe.substr(0, length) + ending;
    }
    return safe.empty() ? "file" : safe;
}

FileInbox::~FileInbox() {
    end_file();
    std::error_code ignored;
    for (const fs::path& folder : folders_) {
        for (const auto& file : fs::directory_iterator{folder, ignored})
            if (!is_source_file(file.path())) fs::remove_all(file.path(), ignored);
        fs::remove(folder, ignored); // where it is empty
    }
}

/// Forgets what is not whole.
void FileInbox::end_file() {
    std::error_code ignored;
    output_.close();
    if (left_ > 0 && !file_.empty()) fs::remove(file_, ignored);
    file_.clear();
    left_ = 0;
}

std::optional<std::string> FileInbox::give_up(std::string_view why) {
    const std::string name = file_.filename().string();
    const std::uint64_t left = left_;
    end_file();
    left_ = left;
    return fmt::format("{} was not taken: {}", name, why);
}

std::optional<std::string> FileInbox::begin(std::uint64_t bytes, const std::string& name) {
    end_file();
    left_ = bytes;
    const std::string safe = safe_file_name(name);
    if (++files_ > kMostFiles)
        return fmt::format("{} was not taken: {} files at once are the most", safe, kMostFiles);
    if (bytes > kMostBytes - bytes_)
        return fmt::format("{} was not taken: files of {} MiB at once are the most", safe,
                           kMostBytes >> 20);
    if (folder_.empty()) {
        std::error_code failed;
        std::string made = (fs::temp_directory_path(failed) / "lathe-dropped-XXXXXX").string();
        if (failed || !mkdtemp(made.data()))
            return fmt::format("{} was not taken: no folder for it: {}", safe,
                               failed ? failed.message() : std::strerror(errno));
        folder_ = folders_.emplace_back(made);
    }
    file_ = free_name(folder_, safe);
    output_.open(file_, std::ios::binary);
    if (!output_) return give_up(std::strerror(errno));
    bytes_ += bytes;
    if (bytes == 0) return add("");
    return {};
}

void FileInbox::skip(std::uint64_t bytes) {
    end_file();
    left_ = bytes;
}

std::optional<std::string> FileInbox::add(std::string_view bytes) {
    if (bytes.size() > left_)
        throw Error{
            fmt::format("{} bytes of a file came, and {} were to come", bytes.size(), left_)};
    left_ -= bytes.size();
    if (file_.empty()) return {};
    if (!output_.write(bytes.data(), std::streamsize(bytes.size())) ||
        (left_ == 0 && !output_.flush()))
        return give_up(std::strerror(errno));
    if (left_ > 0) return {};
    whole_.push_back(file_);
    end_file();
    return {};
}

std::vector<fs::path> FileInbox::take() {
    end_file();
    folder_.clear();
    bytes_ = files_ = 0;
    return std::exchange(whole_, {});
}

} // namespace lathe
