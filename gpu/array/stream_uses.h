// SPDX-License-Identifier: MIT
// Arrays that a function needs for its work on a stream and lets go of before that is done.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/elementwise.h"
#include "gpu/stream.h"

#include <list>

namespace lathe::gpu {

/// While it lives its arrays are held back from the pool's other users until the work issued on the
/// stream is done; see PooledMemory.
class LATHE_API StreamUses {
public:
    explicit StreamUses(StreamView stream) : stream_{stream} {}
    StreamUses(const StreamUses&) = delete;
    StreamUses& operator=(const StreamUses&) = delete;
    ~StreamUses() {
        for (const Array& each : arrays_)
            if (each.block()) try {
                    each.block()->end_use(stream_);
                } catch (const lathe::Error&) { // of a context that is gone
                }
    }

    /// A new array, contents undefined. The reference is valid as long as this object.
    Array& empty(ElementType type, const Extents& shape) { return add(Array::empty(type, shape)); }
    Array& add(Array array) {
        if (array.block()) array.block()->begin_use(stream_);
        return arrays_.emplace_back(std::move(array));
    }
    /// The array itself, or its copy in C order. Throws as check_device.
    Array in_c_order(const Array& array, std::string_view function) {
        check_device(array, function);
        if (array.is_c_contiguous()) return array;
        Array& made = empty(array.type(), array.shape());
        assign(made, array, stream_);
        return made;
    }
    StreamView stream() const noexcept { return stream_; }

private:
    StreamView stream_;
    std::list<Array> arrays_;
};

} // namespace lathe::gpu
