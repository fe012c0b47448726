// SPDX-License-Identifier: MIT
// An array in device memory: type, layout, and a share in the memory. Copies and views share the
// memory; what computes with arrays is in elementwise.h, reduction.h and the other files here.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/array/graphics_memory.h"
#include "gpu/array/layout.h"
#include "gpu/context.h"
#include "gpu/memory_pool.h"

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace lathe::gpu {

/// Types that do not fit an operation.
class LATHE_API TypeError : public lathe::Error {
    using Error::Error;
};

/// Something to be written that must not be.
class LATHE_API ReadOnlyError : public lathe::Error {
    using Error::Error;
};

/// Of elements: one of DType's, or a structure of which only the size is known.
struct LATHE_API ElementType {
    ElementType(DType type) : dtype{type}, bytes{item_bytes(type)} {}
    static ElementType structure(std::size_t bytes) { return ElementType{bytes}; }

    std::optional<DType> dtype; ///< empty: a structure
    std::size_t bytes;
    bool operator==(const ElementType&) const = default;

private:
    explicit ElementType(std::size_t size) : bytes{size} {}
};

class LATHE_API Array {
public:
    Array() : type_{DType::float64} {} ///< empty: no memory, shape (0,)
    /// Contents undefined. From the current context's pool (pool_of), whose blocks are for work on
    /// the legacy default stream and on streams that order themselves against it; PooledMemory says
    /// what others have to do. Throws gpu::Error (out of memory), ShapeError.
    static Array empty(ElementType type, const Extents& shape, Order order = Order::c);
    static Array empty(ElementType type, const Layout& layout);
    /// Memory that somebody else has; `owner` is kept until no array uses it.
    static Array over(CUdeviceptr address, ElementType type, const Layout& layout,
                      std::shared_ptr<const void> owner, Context context = {},
                      bool writable = true);
    /// Memory of a graphics API, mapped when the array's address is asked for.
    static Array over(std::shared_ptr<GraphicsMemory> memory, ElementType type,
                      const Layout& layout, Context context);
    /// The same memory seen otherwise: `offset_bytes` from the first element.
    Array view(ElementType type, const Layout& layout, std::int64_t offset_bytes = 0) const;

    const ElementType& type() const noexcept { return type_; }
    /// Throws TypeError, naming `operation`, for structures.
    DType dtype(const char* operation) const;
    const Layout& layout() const noexcept { return layout_; }
    const Extents& shape() const noexcept { return layout_.shape; }
    const Extents& strides() const noexcept { return layout_.strides; }
    std::size_t dimensions() const noexcept { return layout_.shape.size(); }
    std::int64_t size() const noexcept { return size_; }
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * type_.bytes; }
    /// Of the first element; 0 where there are no elements. Memory of a graphics API is mapped, and
    /// may have another address when it was handed back; this then may throw gpu::Error.
    CUdeviceptr address() const { return graphics_ ? graphics_address() : address_; }
    /// The same where that maps nothing; 0 where it would.
    CUdeviceptr present_address() const noexcept;
    bool is_c_contiguous() const noexcept { return gpu::is_c_contiguous(layout_, type_.bytes); }
    bool is_f_contiguous() const noexcept { return gpu::is_f_contiguous(layout_, type_.bytes); }
    bool writable() const noexcept { return writable_; }
    void make_read_only() noexcept { writable_ = false; }
    /// Empty where that is not known.
    const Context& context() const noexcept { return context_; }
    const std::shared_ptr<const void>& owner() const noexcept { return owner_; }
    /// The block of the pool that it lies in; null for other memory.
    PooledMemory<DeviceBuffer>* block() const noexcept { return block_; }
    /// What it lies in where that is memory of a graphics API; null for other memory.
    GraphicsMemory* graphics() const noexcept { return graphics_; }
    /// Of the first element in that memory.
    std::size_t graphics_offset() const noexcept { return address_; }

    /// Whether a write to one may change the other.
    bool may_share_memory(const Array& other) const noexcept;

private:
    CUdeviceptr graphics_address() const;

    ElementType type_;
    Layout layout_{{0}, {8}};
    std::int64_t size_ = 0;
    CUdeviceptr address_ = 0; ///< from the beginning of graphics_ where there is one
    bool writable_ = true;
    Context context_{};
    PooledMemory<DeviceBuffer>* block_ = nullptr;
    GraphicsMemory* graphics_ = nullptr;
    std::shared_ptr<const void> owner_;
};

/// Throws lathe::Error where the memory is another device's than the current context's, whose
/// kernels would fault; `function` comes first in the message.
LATHE_API void check_device(const Array& array, std::string_view function);

/// The pool that arrays of a context come from; made at the first call.
LATHE_API const std::shared_ptr<DevicePool>& pool_of(const Context& context);

} // namespace lathe::gpu
