// SPDX-License-Identifier: MIT
// The files hold records (compile_record.h).
#include "gpu/compile_cache.h"

#include "engine/core/resources.h"
#include "gpu/compile_record.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

std::size_t kept_bytes(const CompileResult& r) { return r.image.size() + r.log.size() + 512; }

} // namespace

CompileCache& CompileCache::instance() {
    static CompileCache* cache =
        new CompileCache{cache_directory() / "kernels"}; // outlives statics
    return *cache;
}

CompileCache::CompileCache(fs::path folder)
    : disk_{std::move(folder), ".kernel", "lathe kernel 2\n"} {}

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
    std::optional<CompileResult> result = read(key);
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
    disk_.write(key, serialize(key, result));
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
    const std::optional<std::string> payload = disk_.read(key);
    if (!payload) return std::nullopt;
    std::optional<CompileResult> result = deserialize(key, *payload);
    if (!result) disk_.discard(key);
    return result;
}

void CompileCache::clear_memory() {
    std::lock_guard lock{mutex_};
    memory_.clear();
    memory_bytes_ = 0;
}

void CompileCache::clear() {
    clear_memory();
    disk_.clear();
}

CompileCache::Stats CompileCache::stats() const {
    std::lock_guard lock{mutex_};
    Stats all = stats_;
    all.damaged_files = disk_.damaged_files();
    return all;
}

} // namespace lathe::gpu
