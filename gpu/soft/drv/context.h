// SPDX-License-Identifier: MIT
// A context: streams, limits, and the order in which its commands run.
#pragma once

#include "gpu/soft/drv/event.h"
#include "gpu/soft/drv/objects.h"
#include "gpu/soft/drv/stream.h"

#include <atomic>
#include <map>
#include <thread>
#include <unordered_map>

namespace lathe::soft {

class Context {
public:
    explicit Context(unsigned flags, bool primary);
    ~Context();

    /// Waits for its work and frees everything made in it. The object itself may live on in the
    /// hands of commands.
    void destroy();

    /// The stream of a handle: null and CU_STREAM_LEGACY are the legacy stream,
    /// CU_STREAM_PER_THREAD (and null under a PerThreadDefaultStream) the calling thread's own.
    /// Fails with CUDA_ERROR_INVALID_HANDLE.
    std::shared_ptr<Stream> stream(CUstream handle);
    const std::shared_ptr<Stream>& legacy_stream() const { return legacy_; }
    /// `priority` is brought into kLeastPriority .. kGreatestPriority.
    std::shared_ptr<Stream> create_stream(unsigned flags, int priority);
    void destroy_stream(const std::shared_ptr<Stream>& stream);

    /// Appends a command to a stream.
    void submit(const std::shared_ptr<Stream>& stream, const CommandPtr& command,
                const CommandPtr& also_after = nullptr);
    /// Runs an action at once on this thread, in a place of the stream: what others ask for
    /// meanwhile comes after it. False, with nothing done, where something is before it.
    bool run_now(const std::shared_ptr<Stream>& stream, const std::function<CUresult()>& action);
    /// Runs an action in stream order: as run_now where it can and `may_run_now`, else queued.
    void run(const std::shared_ptr<Stream>& stream, bool may_run_now,
             std::function<CUresult()> action);
    /// Runs an action in the order of `stream` and waits for it; fails with its code, or with that
    /// of a command that failed before it.
    void run_and_wait(const std::shared_ptr<Stream>& stream, std::function<CUresult()> action);

    /// Waits for all commands of the stream; its error stays to be found by others.
    void wait(const std::shared_ptr<Stream>& stream);
    /// Waits until a new command of the stream could run: for those of others before it, too.
    void wait_turn(const std::shared_ptr<Stream>& stream);
    /// As wait, but not beyond that time, and printf waits: false where some are not done then.
    bool wait_until(const std::shared_ptr<Stream>& stream, Command::Clock::time_point end);
    /// As wait; returns (and clears) the error.
    CUresult synchronize(const std::shared_ptr<Stream>& stream);
    /// Waits for all commands of all streams; returns (and clears) the first error.
    CUresult synchronize();
    /// As synchronize, but leaves errors to be found by others.
    void wait_idle();
    bool idle(const Stream& stream);
    /// Waits for all commands and runs f while none can be added.
    void run_idle(const std::function<void()>& f);
    /// Cancels grids and waits for values: of one stream, or of all where null.
    void cancel(Stream* stream);

    const bool primary;
    const std::uint64_t id;
    std::atomic<int> uses{1}; ///< of cuCtxAttach and cuCtxDetach
    // Settings: any thread may change one while others launch.
    std::atomic<unsigned> flags;
    std::map<CUlimit, std::atomic<std::size_t>> limits; ///< the keys stay as they are
    std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE};
    std::atomic<CUsharedconfig> shared_config{CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE};

private:
    void forget_ended_streams();         ///< with order_ held
    std::vector<CommandPtr> last_ones(); ///< the same: of all streams
    std::vector<CommandPtr> predecessors(Stream& stream);
    CommandPtr place_now(Stream& stream);
    std::vector<CommandPtr> pending(Stream& stream);
    void track_grid(const std::shared_ptr<Stream>& stream, const CommandPtr& command);
    CUresult take_errors(Stream& stream);

    std::mutex order_;
    std::shared_ptr<Stream> legacy_;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::unordered_map<std::thread::id, std::shared_ptr<Stream>> per_thread_;
    std::vector<std::pair<std::weak_ptr<Stream>, CommandPtr>> grids_; ///< not known to be done
};

/// Current contexts of the calling thread, the last one on top.
std::vector<std::shared_ptr<Context>>& context_stack();
/// The calling thread's current context; null where there is none or it was destroyed.
std::shared_ptr<Context> current_context();

/// While it lives, stream 0 of the calling thread's calls is the thread's own and not the legacy
/// one.
class PerThreadDefaultStream {
public:
    PerThreadDefaultStream() { active() = true; }
    ~PerThreadDefaultStream() { active() = false; }
    PerThreadDefaultStream(const PerThreadDefaultStream&) = delete;
    PerThreadDefaultStream& operator=(const PerThreadDefaultStream&) = delete;
    static bool& active();
};

/// The primary context of the device: made on first retain, destroyed with the last release.
class PrimaryContext {
public:
    static PrimaryContext& instance();
    std::shared_ptr<Context> retain();
    void release(); ///< fails with CUDA_ERROR_INVALID_CONTEXT where not retained
    void reset();
    void set_flags(unsigned flags);
    unsigned flags();
    bool active();

private:
    std::mutex mutex_;
    std::shared_ptr<Context> context_;
    unsigned count_ = 0;
    unsigned flags_ = CU_CTX_SCHED_AUTO;
};

} // namespace lathe::soft
