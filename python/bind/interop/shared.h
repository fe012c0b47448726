// SPDX-License-Identifier: MIT
// Memory of an App that CUDA and GL share, as a MapPool maps it: an array's buffer or a texture.
#pragma once

#include "engine/interop/mapping.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace lathe::bind {

struct Engine;

class Shared {
public:
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    virtual ~Shared() = default;

    /// Null for an array that no App draws.
    const std::shared_ptr<Engine>& engine() const { return engine_; }

protected:
    explicit Shared(std::shared_ptr<Engine> engine) : engine_{std::move(engine)} {}
    /// Before GL memory is made: the App's context is the thread's, and registering need not wait.
    void before_making();
    /// Calls `release` with the App's context current, and tells the log where it throws.
    void release_with(const std::function<void()>& release) noexcept;

private:
    friend class MapPool;
    virtual SharedObject& object() = 0;
    /// Takes the CUDA side, valid until the pool gives everything back.
    virtual void on_map(const Mapping& mapping, std::size_t index) = 0;

    std::shared_ptr<Engine> engine_;
    bool used_ = false; ///< asked for since it was mapped
};

} // namespace lathe::bind
