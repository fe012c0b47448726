// SPDX-License-Identifier: MIT
// Memory: DeviceBuffer and PinnedBuffer own, DeviceSpan<T> borrows; copies and fills, synchronous
// without a stream and stream-ordered with one. CUDA arrays are in cuda_array.h.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace lathe::gpu {

/// Borrows `size()` elements of device memory. The host must not dereference data().
template <class T> class DeviceSpan {
public:
    using Element = T;

    constexpr DeviceSpan() = default;
    constexpr DeviceSpan(CUdeviceptr address, std::size_t count) noexcept
        : address_{address}, count_{count} {}
    /// A span of T is a span of const T.
    template <class U>
        requires std::is_same_v<const U, T>
    constexpr DeviceSpan(DeviceSpan<U> other) noexcept
        : address_{other.address()}, count_{other.size()} {}

    constexpr CUdeviceptr address() const noexcept { return address_; }
    T* data() const noexcept { return reinterpret_cast<T*>(address_); }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr std::size_t bytes() const noexcept { return count_ * sizeof(T); }
    constexpr bool empty() const noexcept { return count_ == 0; }

    /// Elements [first, first + count), which must lie inside.
    constexpr DeviceSpan subspan(std::size_t first, std::size_t count) const noexcept {
        return {address_ + first * sizeof(T), count};
    }

private:
    CUdeviceptr address_ = 0;
    std::size_t count_ = 0;
};

namespace detail {
struct DeviceMemory {
    CUdeviceptr value = 0;
    Context context{};
    bool in_order = false; ///< freed in the order of `stream`
    CUstream stream = nullptr;
    bool operator==(const DeviceMemory&) const = default;
};
struct LATHE_API DeviceMemoryTraits {
    using Type = DeviceMemory;
    static constexpr Type null{};
    static void destroy(Type memory) noexcept;
};
struct LATHE_API PinnedMemoryTraits {
    using Type = InContext<void*>;
    static constexpr Type null{};
    static void destroy(Type memory) noexcept;
};
} // namespace detail

struct PitchedBuffer;

/// Linear device memory, aligned to 256 bytes at least, contents undefined at first. Freed
/// synchronously: the driver waits for the work that uses it.
class LATHE_API DeviceBuffer {
public:
    DeviceBuffer() = default; ///< empty
    /// Zero bytes make an empty buffer. Throws gpu::Error (out of memory). (cuMemAlloc)
    explicit DeviceBuffer(std::size_t bytes);
    /// Memory that host and device both address. `flags`: CU_MEM_ATTACH_GLOBAL, or _HOST for memory
    /// that no device touches until it is attached. (cuMemAllocManaged)
    static DeviceBuffer managed(std::size_t bytes, unsigned flags = CU_MEM_ATTACH_GLOBAL);
    /// Allocated and freed in the order of `stream`, which must outlive the buffer: nobody waits.
    /// Later work of the stream may use it, other streams once they waited for it.
    /// (cuMemAllocAsync, cuMemFreeAsync)
    static DeviceBuffer in_order(std::size_t bytes, StreamView stream);
    /// Rows with gaps between them, so that each begins where the device reads it best.
    /// `access_bytes` is what a thread reads at once: 4, 8 or 16. Throws gpu::Error for other
    /// values, for an empty size and out of memory. (cuMemAllocPitch)
    static PitchedBuffer pitched(std::size_t width_bytes, std::size_t height,
                                 unsigned access_bytes);
    static DeviceBuffer wrap(CUdeviceptr address, std::size_t bytes) noexcept;

    CUdeviceptr address() const noexcept { return handle_.get().value; }
    std::size_t bytes() const noexcept { return handle_ ? bytes_ : 0; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    /// Where it was allocated; empty for borrowed memory.
    Context context() const noexcept { return handle_.get().context; }
    /// Frees it in the order of a stream, whatever it was allocated by; the buffer is empty then.
    /// (cuMemFreeAsync)
    void free_in_order(StreamView stream);
    /// The caller frees it with cuMemFree.
    [[nodiscard]] CUdeviceptr release() noexcept { return handle_.release().value; }

    /// As many whole elements as fit.
    template <class T = std::byte> DeviceSpan<T> span() const noexcept {
        return {address(), bytes() / sizeof(T)};
    }

private:
    Handle<detail::DeviceMemoryTraits> handle_;
    std::size_t bytes_ = 0;
};

struct PitchedBuffer {
    DeviceBuffer buffer;
    std::size_t pitch_bytes = 0; ///< from row to row
};

struct PinnedConfig {
    bool mapped = false;         ///< device_address() is available
    bool portable = false;       ///< pinned for every context
    bool write_combined = false; ///< faster for the device to read, slow for the host to read
};

/// Page-locked host memory: copies to and from it run at full speed, and asynchronously.
class LATHE_API PinnedBuffer {
public:
    PinnedBuffer() = default; ///< empty
    /// Zero bytes make an empty buffer. (cuMemHostAlloc)
    explicit PinnedBuffer(std::size_t bytes, const PinnedConfig& config = {});

    void* data() const noexcept { return handle_.get().value; }
    std::size_t bytes() const noexcept { return handle_ ? bytes_ : 0; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    /// Throws gpu::Error unless made with `mapped`. (cuMemHostGetDevicePointer)
    CUdeviceptr device_address() const;

    template <class T = std::byte> std::span<T> span() const noexcept {
        return {static_cast<T*>(data()), bytes() / sizeof(T)};
    }

private:
    Handle<detail::PinnedMemoryTraits> handle_;
    std::size_t bytes_ = 0;
};

// Copies of bytes. Without a stream: done on return, ordered as the legacy default stream. With
// one: ordered on it, and asynchronous where the host memory is pinned; host memory must then live
// until the stream has passed the copy. Zero bytes do nothing. Ranges must not overlap.

LATHE_API void copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes);
LATHE_API void copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes,
                              StreamView stream);
LATHE_API void copy_to_host(void* to, CUdeviceptr from, std::size_t bytes);
LATHE_API void copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, StreamView stream);
LATHE_API void copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
LATHE_API void copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              StreamView stream);

namespace detail {
/// Throws lathe::Error unless both are equal.
LATHE_API void check_same_size(const char* function, std::size_t to, std::size_t from);
} // namespace detail

// The same for elements; both sides must have the same count, else lathe::Error.

template <class T>
void copy_to_device(DeviceSpan<T> to, std::type_identity_t<std::span<const T>> from) {
    detail::check_same_size("copy_to_device", to.size(), from.size());
    copy_to_device(to.address(), from.data(), to.bytes());
}
template <class T>
void copy_to_device(DeviceSpan<T> to, std::type_identity_t<std::span<const T>> from,
                    StreamView stream) {
    detail::check_same_size("copy_to_device", to.size(), from.size());
    copy_to_device(to.address(), from.data(), to.bytes(), stream);
}
template <class T>
void copy_to_host(std::type_identity_t<std::span<std::remove_const_t<T>>> to, DeviceSpan<T> from) {
    detail::check_same_size("copy_to_host", to.size(), from.size());
    copy_to_host(to.data(), from.address(), from.bytes());
}
template <class T>
void copy_to_host(std::type_identity_t<std::span<std::remove_const_t<T>>> to, DeviceSpan<T> from,
                  StreamView stream) {
    detail::check_same_size("copy_to_host", to.size(), from.size());
    copy_to_host(to.data(), from.address(), from.bytes(), stream);
}
template <class T>
void copy_on_device(DeviceSpan<T> to, std::type_identity_t<DeviceSpan<const T>> from) {
    detail::check_same_size("copy_on_device", to.size(), from.size());
    copy_on_device(to.address(), from.address(), to.bytes());
}
template <class T>
void copy_on_device(DeviceSpan<T> to, std::type_identity_t<DeviceSpan<const T>> from,
                    StreamView stream) {
    detail::check_same_size("copy_on_device", to.size(), from.size());
    copy_on_device(to.address(), from.address(), to.bytes(), stream);
}

// Fills every element with a value of 1, 2 or 4 bytes. `unit_bytes` is that size; the address must
// be a multiple of it. Without a stream the call may return before the fill is done, but is ordered
// as the legacy default stream.

LATHE_API void fill_units(CUdeviceptr to, std::uint32_t value, std::size_t unit_bytes,
                          std::size_t count);
LATHE_API void fill_units(CUdeviceptr to, std::uint32_t value, std::size_t unit_bytes,
                          std::size_t count, StreamView stream);

// The same for `height` rows of `width` elements that begin every `pitch_bytes`, which must be a
// multiple of the element and at least a row.

LATHE_API void fill_rows(CUdeviceptr to, std::size_t pitch_bytes, std::uint32_t value,
                         std::size_t unit_bytes, std::size_t width, std::size_t height);
LATHE_API void fill_rows(CUdeviceptr to, std::size_t pitch_bytes, std::uint32_t value,
                         std::size_t unit_bytes, std::size_t width, std::size_t height,
                         StreamView stream);

namespace detail {
template <class T> std::uint32_t bits_of(const T& value) noexcept {
    static_assert(std::is_trivially_copyable_v<T> &&
                      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4),
                  "fill takes elements of 1, 2 or 4 bytes");
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
} // namespace detail

template <class T> void fill(DeviceSpan<T> to, std::type_identity_t<T> value) {
    fill_units(to.address(), detail::bits_of(value), sizeof(T), to.size());
}
template <class T> void fill(DeviceSpan<T> to, std::type_identity_t<T> value, StreamView stream) {
    fill_units(to.address(), detail::bits_of(value), sizeof(T), to.size(), stream);
}

} // namespace lathe::gpu
