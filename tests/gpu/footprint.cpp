// SPDX-License-Identifier: MIT
#include "tests/gpu/footprint.h"

#include "gpu/context.h"
#include "gpu/driver/api.h"
#include "gpu/soft/soft_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <malloc.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#define LATHE_TEST_SANITIZED
#endif

namespace lathe::test {
namespace {

std::size_t entries(const char* folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder},
                                                  std::filesystem::directory_iterator{}));
}

#ifndef LATHE_TEST_SANITIZED
std::size_t lines(const char* file) {
    std::ifstream in{file};
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}, '\n'));
}
#endif

/// What is more in `b` than a settled program may have; empty where nothing is.
std::string more(const Footprint& a, const Footprint& b, std::size_t count) {
    std::string text;
    const auto look = [&](const char* what, std::size_t before, std::size_t after,
                          std::size_t allowed) {
        if (after > before + allowed)
            text += fmt::format("{}{}: {} before, {} after {} cycles", text.empty() ? "" : "; ",
                                what, before, after, count);
    };
    look("bytes of the heap", a.heap_bytes, b.heap_bytes, 4096 + count / 2);
    look("resident bytes", a.resident_bytes, b.resident_bytes, (1u << 20) + count * 8);
    look("mappings", a.mappings, b.mappings, 8);
    look("open files", a.handles, b.handles, 0);
    look("threads", a.threads, b.threads, 0);
    look("bytes of the device", a.device_bytes, b.device_bytes, 0);
    return text;
}

} // namespace

Footprint Footprint::now() {
    gpu::Context::primary().synchronize(); // what a stream has not come to yet holds memory
    Footprint f;
#ifdef LATHE_TEST_SANITIZED
    f.heap_bytes = __sanitizer_get_current_allocated_bytes();
#else
    malloc_trim(0); // else what is free counts as resident, too
    const struct mallinfo2 info = mallinfo2();
    f.heap_bytes = info.uordblks + info.hblkhd;
    std::size_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages >> pages; // the second one
    f.resident_bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    f.mappings = lines("/proc/self/maps");
#endif
    f.handles = entries("/proc/self/fd");
    f.threads = entries("/proc/self/task");
    const auto soft =
        gpu::driver().find<decltype(latheSoftGetVersionString)>("latheSoftGetVersionString");
    if (soft) {
        const gpu::MemoryInfo memory = gpu::Context::primary().memory();
        f.device_bytes = memory.total_bytes - memory.free_bytes;
    }
    return f;
}

std::string growth(std::size_t count, const std::function<void(std::size_t)>& cycle) {
    constexpr std::size_t kLeastToSettle = 50;
    for (std::size_t i = 0; i < std::max(count / 10, std::min(count, kLeastToSettle)); ++i)
        cycle(i);
    std::string text;
    for (int round = 0; round < 8; ++round) {
        const Footprint before = Footprint::now();
        for (std::size_t i = 0; i < count; ++i) cycle(i);
        text = more(before, Footprint::now(), count);
        if (text.empty()) return text;
    }
    return text;
}

std::size_t cycles(std::size_t full) {
    const char* wanted = std::getenv("LATHE_ENDURANCE");
    return wanted && std::string_view{wanted} == "1" ? full : full / 100;
}

} // namespace lathe::test
