// SPDX-License-Identifier: MIT
// Named stretches of a thread's time for whoever measures them, as a Profiler (engine/app) does:
//
//   const Zone zone{"unmap"};
//
// Zones nest. Where nobody measures, one costs a comparison.
#pragma once

#include "engine/core/api.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace lathe {

/// Who does the work that a zone gives out, beside the thread itself.
enum class ZoneWork : std::uint8_t {
    host,   ///< nobody else
    cuda,   ///< a stream
    opengl, ///< the commands of the current context
};

/// Takes the zones of the threads that it is set for.
class LATHE_API ZoneSink {
public:
    ZoneSink() = default;
    ZoneSink(const ZoneSink&) = delete;
    ZoneSink& operator=(const ZoneSink&) = delete;
    virtual ~ZoneSink();

    /// `stream`: the CUstream of ZoneWork::cuda. Returns what end_zone() takes. Throws nothing.
    virtual std::uint64_t begin_zone(std::string_view name, ZoneWork work,
                                     void* stream) noexcept = 0;
    /// Ends it, and what is still open in it. Does nothing where it has ended.
    virtual void end_zone(std::uint64_t zone) noexcept = 0;

    /// That of this thread; null where nobody measures.
    static ZoneSink* current() noexcept {
        return count_.load(std::memory_order_relaxed) == 0 ? nullptr : of_this_thread();
    }
    /// Takes this thread's zones from now on; returns who took them until now. Null: nobody.
    static ZoneSink* exchange(ZoneSink* sink) noexcept;

private:
    static ZoneSink* of_this_thread() noexcept;
    static std::atomic<int> count_; ///< threads that have one
};

class Zone {
public:
    explicit Zone(std::string_view name, ZoneWork work = ZoneWork::host, void* stream = nullptr)
        : sink_{ZoneSink::current()} {
        if (sink_) id_ = sink_->begin_zone(name, work, stream);
    }
    ~Zone() {
        if (sink_ && sink_ == ZoneSink::current()) sink_->end_zone(id_);
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

private:
    ZoneSink* sink_;
    std::uint64_t id_ = 0;
};

} // namespace lathe
