// SPDX-License-Identifier: MIT
// Something of the caller's that graphs keep: it ends, by the caller's own function, when nobody
// refers to it any more.
#pragma once

#include "gpu/soft/drv/cuda_abi.h"

#include <memory>
#include <mutex>
#include <vector>

namespace lathe::soft {

class UserObject {
public:
    UserObject(void* data, CUhostFn end, unsigned references)
        : data_{data}, end_{end}, references_{references} {}

    void retain(unsigned count);
    /// The last one ends it: its function runs on this thread, its handle is gone before. Fails
    /// with CUDA_ERROR_INVALID_VALUE where there are not as many.
    void release(unsigned count);

private:
    std::mutex mutex_;
    void* data_;
    CUhostFn end_;
    unsigned references_;
};

/// References of a graph; a copy refers, too.
class UserReferences {
public:
    UserReferences(std::shared_ptr<UserObject> object, unsigned count, bool moved);
    UserReferences(const UserReferences& other);
    UserReferences& operator=(const UserReferences&) = delete;
    ~UserReferences();

    const UserObject* object() const { return object_.get(); }
    unsigned count() const { return count_; }
    /// Gives some back; fails as UserObject::release.
    void release(unsigned count);

private:
    std::shared_ptr<UserObject> object_;
    unsigned count_;
};

/// What one graph keeps; shared with its launches under way.
using KeptObjects = std::vector<std::shared_ptr<UserReferences>>;

} // namespace lathe::soft
