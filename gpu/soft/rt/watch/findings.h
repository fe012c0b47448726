// SPDX-License-Identifier: MIT
// What those who watch launches have found: one row for each kind, kernel and pair of lines, with
// the first example and how often it came. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace lathe::soft {

/// Bits: what is looked for.
enum Hazard : std::uint32_t {
    kRaceShared = 1,
    kRaceGlobal = 2,
    kUnwrittenShared = 4,
    kUnwrittenGlobal = 8,
    kBarrierApart = 16,
    kAllHazards = 31,
};

/// One of the threads that a finding names.
struct FoundThread {
    std::array<std::uint32_t, 3> block{}, thread{};
    std::string file{}; ///< empty: there is no such thread
    std::uint32_t line = 0;
    std::string inlined_at{};
    std::uint8_t access = 0; ///< WatchedKind
};

struct Finding {
    std::uint32_t hazard = 0;
    std::string kernel{};
    FoundThread first{}, second{}; ///< in the order in which they ran
    std::uint64_t address = 0, offset = 0;
    std::uint32_t bytes = 0;
    std::string memory{};  ///< "shared memory", "a 400-byte allocation of device memory"
    std::string message{}; ///< what happened, and what mends it
    std::uint64_t count = 1;
};

class Findings {
public:
    /// Of the process. LATHE_SOFT_HAZARDS=1: all are looked for from the start.
    static Findings& instance();

    /// What is looked for in launches from now on.
    std::uint32_t kinds() const { return kinds_.load(std::memory_order_relaxed); }
    void set_kinds(std::uint32_t kinds) { kinds_.store(kinds, std::memory_order_relaxed); }
    void reset();
    /// `make` is called for the first of its kind and lines only. (Its example is kept.)
    template <class Make>
    void add(std::uint32_t hazard, const void* first_site, const void* second_site,
             std::uint64_t launch, Make make) {
        std::lock_guard lock{mutex_};
        const auto [known, is_new] =
            of_launches_.try_emplace({hazard, launch, first_site, second_site}, nullptr);
        if (is_new) known->second = &merge(make());
        else ++known->second->count;
    }
    /// Sites may be gone now.
    void forget_launch(std::uint64_t launch);
    std::vector<Finding> all();

private:
    Findings();
    struct Place {
        std::uint32_t hazard;
        std::uint64_t launch;
        const void *first, *second;
        auto operator<=>(const Place&) const = default;
    };
    struct Lines {
        std::uint32_t hazard;
        std::string kernel, first_file, second_file;
        std::uint32_t first_line, second_line;
        auto operator<=>(const Lines&) const = default;
    };
    Finding& merge(Finding finding);

    std::atomic<std::uint32_t> kinds_{0};
    std::mutex mutex_;
    std::map<Place, Finding*> of_launches_;
    std::map<Lines, Finding> found_; ///< a row stays where it is until reset()
};

} // namespace lathe::soft
