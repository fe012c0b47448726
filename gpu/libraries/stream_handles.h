// SPDX-License-Identifier: MIT
// A library's handles, one for each context and stream, since a handle has one stream and one
// workspace. They are made at the first use and kept until the process ends, or their context does.
#pragma once

#include "gpu/context.h"
#include "gpu/stream.h"

#include <list>
#include <memory>
#include <mutex>

namespace lathe::gpu {

template <class LibraryHandle> class StreamHandles {
    struct Entry {
        Context context;
        CUstream stream;
        LibraryHandle handle{};
        bool is_made = false;
        std::mutex busy{};
    };

public:
    /// A handle for one thread's calls.
    class Lent {
    public:
        LibraryHandle get() const noexcept { return entry_->handle; }

    private:
        friend StreamHandles;
        explicit Lent(Entry& entry) : entry_{&entry}, lock_{entry.busy} {}
        Entry* entry_;
        std::unique_lock<std::mutex> lock_;
    };

    /// Of the calling thread's context. `make` gives a new handle; it may throw. Waits while
    /// another thread has the handle.
    template <class Make> Lent borrow(StreamView stream, const Make& make) {
        Entry& entry = entry_of(Context::ensure_current(), stream.get());
        Lent lent{entry};
        if (!entry.is_made) {
            entry.handle = make();
            entry.is_made = true;
        }
        return lent;
    }

private:
    // Contexts that were destroyed took their handles' memory with them.
    Entry& entry_of(const Context& context, CUstream stream) {
        std::lock_guard lock{mutex_};
        for (Entry& each : entries_)
            if (each.context == context && each.stream == stream) return each;
        Entry& made = entries_.emplace_back();
        made.context = context;
        made.stream = stream;
        return made;
    }

    std::mutex mutex_;
    std::list<Entry> entries_; // guarded by mutex_; entries stay where they are
};

} // namespace lathe::gpu
