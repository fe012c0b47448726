// SPDX-License-Identifier: MIT
// A cache file: the magic, a hash of the payload, the payload (compile_record.h).
#include "gpu/compile_cache.h"

#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "gpu/compile_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "lathe kernel 1\n";
constexpr std::uintmax_t kTrimAfterBytes = 32ull << 20;

std::string checksum(std::string_view payload) { return CacheKey{}.add(payload).hex(); }

std::size_t kept_bytes(const CompileResult& r) { return r.image.size() + r.log.size() + 512; }

} // namespace

CompileCache& CompileCache::instance() {
    static CompileCache* cache =
        new CompileCache{cache_directory() / "kernels"}; // outlives statics
    return *cache;
}

CompileCache::CompileCache(fs::path folder) : folder_{std::move(folder)} {}

fs::path CompileCache::file_of(const std::string& key) const { return folder_ / (key + ".kernel"); }

std::optional<CompileResult> CompileCache::find(const std::string& key) {
    {
        std::lock_guard lock{mutex_};
        if (const auto kept = memory_.find(key); kept != memory_.end()) {
            kept->second.last_use = ++clock_;
            ++stats_.memory_hits;
            CompileResult result = kept->second.result;
            result.from_cache = true;
            return result;
        }
    }
    std::optional<CompileResult> result = folder_.empty() ? std::nullopt : read(key);
    std::lock_guard lock{mutex_};
    if (!result) {
        ++stats_.misses;
        return result;
    }
    ++stats_.disk_hits;
    keep(key, *result);
    result->from_cache = result->from_disk = true;
    return result;
}

void CompileCache::store(const std::string& key, const CompileResult& result) {
    if (!result.ok) return;
    {
        std::lock_guard lock{mutex_};
        keep(key, result);
    }
    if (!folder_.empty()) write(key, result);
}

// Under the lock.
void CompileCache::keep(const std::string& key, const CompileResult& result) {
    const auto [kept, added] = memory_.try_emplace(key, Kept{result, ++clock_});
    if (!added) return;
    memory_bytes_ += kept_bytes(result);
    if (memory_bytes_ <= memory_limit_bytes) return;
    std::vector<std::pair<std::uint64_t, std::string>> by_age;
    for (const auto& [k, v] : memory_) by_age.emplace_back(v.last_use, k);
    std::sort(by_age.begin(), by_age.end());
    for (const auto& [age, k] : by_age) {
        if (memory_bytes_ <= memory_limit_bytes / 4 * 3 || k == key) break;
        const auto old = memory_.find(k);
        memory_bytes_ -= kept_bytes(old->second.result);
        memory_.erase(old);
    }
}

std::optional<CompileResult> CompileCache::read(const std::string& key) {
    const fs::path file = file_of(key);
    std::ifstream in{file, std::ios::binary};
    if (!in) return std::nullopt;
    const std::string content{std::istreambuf_iterator<char>{in}, {}};
    constexpr std::size_t kHead = kMagic.size() + 32;
    std::optional<CompileResult> result;
    if (content.size() > kHead && content.starts_with(kMagic)) {
        const std::string_view payload = std::string_view{content}.substr(kHead);
        if (std::string_view{content}.substr(kMagic.size(), 32) == checksum(payload))
            result = deserialize(key, payload);
    }
    std::error_code ignored;
    if (result) {
        fs::last_write_time(file, fs::file_time_type::clock::now(), ignored); // recently used
    } else {
        log::debug("removing the damaged cache file {}", file.string());
        fs::remove(file, ignored);
        std::lock_guard lock{mutex_};
        ++stats_.damaged_files;
    }
    return result;
}

// Written aside and renamed: another process sees the whole file or none.
void CompileCache::write(const std::string& key, const CompileResult& result) {
    static std::atomic<unsigned> serial{0};
    const std::string payload = serialize(key, result);
    const fs::path aside = folder_ / fmt::format("{}.{}.{}.part", key, getpid(), ++serial);
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (!failed) {
        std::ofstream out{aside, std::ios::binary};
        out << kMagic << checksum(payload) << payload;
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
    trim_disk();
}

void CompileCache::trim_disk() {
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
        if (file.path.extension() != ".kernel") continue;
        total += file.bytes;
        files.push_back(file);
    }
    if (total <= disk_limit_bytes) return;
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (total <= disk_limit_bytes / 4 * 3) break;
        std::error_code ignored;
        if (fs::remove(file.path, ignored)) total -= file.bytes;
    }
}

void CompileCache::clear_memory() {
    std::lock_guard lock{mutex_};
    memory_.clear();
    memory_bytes_ = 0;
}

void CompileCache::clear() {
    clear_memory();
    std::error_code failed;
    for (fs::directory_iterator it{folder_, failed}, end; !failed && it != end;
         it.increment(failed)) {
        std::error_code ignored;
        if (it->path().extension() == ".kernel") fs::remove(it->path(), ignored);
    }
}

CompileCache::Stats CompileCache::stats() const {
    std::lock_guard lock{mutex_};
    return stats_;
}

} // namespace lathe::gpu
