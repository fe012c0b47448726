// SPDX-License-Identifier: MIT
// Handles of the driver API are addresses of objects in a table: a handle that is not in it is
// reported, never followed.
#pragma once

#include "gpu/soft/drv/status.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace lathe::soft {

template <class T> class Objects {
public:
    /// The table of this type; lives until the process ends.
    static Objects& instance() {
        static Objects* table = new Objects;
        return *table;
    }

    T* add(std::shared_ptr<T> object) {
        T* handle = object.get();
        std::unique_lock lock{mutex_};
        map_.emplace(handle, std::move(object));
        return handle;
    }
    /// For handles that are not the object's address.
    void add_as(const void* handle, std::shared_ptr<T> object) {
        std::unique_lock lock{mutex_};
        map_.emplace(handle, std::move(object));
    }
    /// Null where the handle is unknown.
    std::shared_ptr<T> find(const void* handle) const {
        std::shared_lock lock{mutex_};
        auto it = map_.find(handle);
        return it == map_.end() ? nullptr : it->second;
    }
    std::shared_ptr<T> remove(const void* handle) {
        std::unique_lock lock{mutex_};
        auto it = map_.find(handle);
        if (it == map_.end()) return nullptr;
        auto object = std::move(it->second);
        map_.erase(it);
        return object;
    }
    std::vector<std::shared_ptr<T>> all() const {
        std::vector<std::shared_ptr<T>> found;
        std::shared_lock lock{mutex_};
        for (const auto& [handle, object] : map_) found.push_back(object);
        return found;
    }
    /// Removes all that `belongs` accepts and returns them.
    template <class F> std::vector<std::shared_ptr<T>> remove_if(F&& belongs) {
        std::vector<std::shared_ptr<T>> removed;
        std::unique_lock lock{mutex_};
        for (auto it = map_.begin(); it != map_.end();) {
            if (belongs(*it->second)) {
                removed.push_back(std::move(it->second));
                it = map_.erase(it);
            } else {
                ++it;
            }
        }
        return removed;
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<const void*, std::shared_ptr<T>> map_;
};

/// The object of a handle; fails with CUDA_ERROR_INVALID_HANDLE where there is none.
template <class T> std::shared_ptr<T> object(const void* handle) {
    auto found = Objects<T>::instance().find(handle);
    if (!found)
        fail(CUDA_ERROR_INVALID_HANDLE,
             fmt::format("{} stands for nothing: never made, or destroyed", fmt::ptr(handle)));
    return found;
}

} // namespace lathe::soft
