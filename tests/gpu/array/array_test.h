// SPDX-License-Identifier: MIT
// Fixture of tests with arrays: to the device and back.
#pragma once

#include "gpu/array/array.h"
#include "gpu/array/elementwise.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"

#include <vector>

namespace lathe::gpu {

class ArrayTest : public DeviceTest {
protected:
    template <class T>
    static Array array_of(DType dtype, const Extents& shape, const std::vector<T>& values) {
        Array made = Array::empty(dtype, shape);
        copy_to_device(DeviceSpan<T>{made.address(), values.size()}, std::span<const T>{values});
        return made;
    }
    template <class T> static std::vector<T> values_of(const Array& array) {
        const Array compact = copy(array, Order::c);
        std::vector<T> values(static_cast<std::size_t>(array.size()));
        Context::current().synchronize();
        copy_to_host(std::span<T>{values}, DeviceSpan<const T>{compact.address(), values.size()});
        return values;
    }
};

} // namespace lathe::gpu
