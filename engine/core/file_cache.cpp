// SPDX-License-Identifier: MIT
// A file: the magic, a hash of key and payload, the payload.
#include "engine/core/file_cache.h"

#include "engine/core/cache_key.h"
#include "engine/core/log.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace lathe {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kTrimAfterBytes = 32ull << 20;
constexpr std::size_t kHashDigits = 32;

std::string checksum(const std::string& key, std::string_view payload) {
    return CacheKey{}.add(key).add(payload).hex();
}

} // namespace

FileCache::FileCache(fs::path folder, std::string kind, std::string magic)
    : folder_{std::move(folder)}, kind_{std::move(kind)}, magic_{std::move(magic)} {}

fs::path FileCache::file_of(const std::string& key) const { return folder_ / (key + kind_); }

std::optional<std::string> FileCache::read(const std::string& key) {
    if (folder_.empty()) return std::nullopt;
    const fs::path file = file_of(key);
    std::ifstream in{file, std::ios::binary | std::ios::ate};
    if (!in) return std::nullopt;
    std::string content(static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0)), '\0');
    in.seekg(0);
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    const std::size_t head = magic_.size() + kHashDigits;
    const std::string_view all{content};
    if (!in || all.size() < head || !all.starts_with(magic_) ||
        all.substr(magic_.size(), kHashDigits) != checksum(key, all.substr(head))) {
        discard(key);
        return std::nullopt;
    }
    std::error_code ignored;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored); // recently used
    return content.substr(head);
}

void FileCache::discard(const std::string& key) {
    const fs::path file = file_of(key);
    log::debug("removing the damaged cache file {}", file.string());
    std::error_code ignored;
    fs::remove(file, ignored);
    std::lock_guard lock{mutex_};
    ++damaged_;
}

// Written aside and renamed: another process sees the whole file or none.
void FileCache::write(const std::string& key, std::string_view payload) {
    if (folder_.empty()) return;
    static std::atomic<unsigned> serial{0};
    const fs::path aside = folder_ / fmt::format("{}.{}.{}.part", key, getpid(), ++serial);
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (!failed) {
        std::ofstream out{aside, std::ios::binary};
        out << magic_ << checksum(key, payload) << payload;
        out.close();
        if (!out) failed = std::make_error_code(std::errc::io_error);
    }
    if (!failed) fs::rename(aside, file_of(key), failed);
    std::unique_lock lock{mutex_};
    if (failed) {
        std::error_code ignored;
        fs::remove(aside, ignored);
        if (!std::exchange(warned_, true))
            log::warning("compiled kernels are not kept in {}: {}", folder_.string(),
                         failed.message());
        return;
    }
    written_since_trim_ += payload.size();
    if (std::exchange(looked_at_disk_, true) && written_since_trim_ < kTrimAfterBytes) return;
    written_since_trim_ = 0;
    lock.unlock();
    trim();
}

void FileCache::trim() {
    struct File {
        fs::file_time_type used;
        std::uintmax_t bytes;
        fs::path path;
    };
    std::vector<File> files;
    std::uintmax_t total = 0;
    std::error_code failed;
    for (fs::directory_iterator it{folder_, failed}, end; !failed && it != end;
         it.increment(failed)) {
        std::error_code ignored;
        const fs::directory_entry& entry = *it;
        const File file{entry.last_write_time(ignored), entry.file_size(ignored), entry.path()};
        if (ignored) continue; // another process removed it
        const bool part = file.path.extension() == ".part";
        if (part && fs::file_time_type::clock::now() - file.used > std::chrono::hours{1})
            fs::remove(file.path, ignored); // of a process that died
        if (file.path.extension() != kind_) continue;
        total += file.bytes;
        files.push_back(file);
    }
    if (total <= limit_bytes) return;
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (total <= limit_bytes / 4 * 3) break;
        std::error_code ignored;
        if (fs::remove(file.path, ignored)) total -= file.bytes;
    }
}

void FileCache::clear() {
    std::error_code failed;
    for (fs::directory_iterator it{folder_, failed}, end; !failed && it != end;
         it.increment(failed)) {
        std::error_code ignored;
        if (it->path().extension() == kind_) fs::remove(it->path(), ignored);
    }
}

std::uint64_t FileCache::damaged_files() const {
    std::lock_guard lock{mutex_};
    return damaged_;
}

} // namespace lathe
