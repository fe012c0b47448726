// SPDX-License-Identifier: MIT
#include "gpu/array/array.h"

#include "gpu/driver/device_traits.h"

#include <fmt/format.h>

#include <list>
#include <mutex>
#include <utility>

namespace lathe::gpu {

namespace {

using Block = PooledMemory<DeviceBuffer>;

struct Pools {
    std::mutex mutex;
    std::list<std::pair<Context, std::shared_ptr<DevicePool>>> all; // guarded by mutex
};

} // namespace

const std::shared_ptr<DevicePool>& pool_of(const Context& context) {
    static auto* const pools = new Pools; // outlives statics
    std::lock_guard lock{pools->mutex};
    for (const auto& [of, pool] : pools->all)
        if (of == context) return pool;
    const CurrentContext scope{context};
    const BlockSizes sizes = device_traits().checks_bytes ? BlockSizes::exact : BlockSizes::binned;
    return pools->all.emplace_back(context, make_device_pool(sizes)).second;
}

Array Array::empty(ElementType type, const Extents& shape, Order order) {
    return empty(type, compact(shape, type.bytes, order));
}

Array Array::empty(ElementType type, const Layout& layout) {
    Array array;
    array.type_ = type;
    array.layout_ = layout;
    array.size_ = count_of(layout.shape);
    array.context_ = Context::ensure_current();
    if (array.size_ == 0) return array;
    auto block = std::make_shared<Block>(
        DevicePool::allocate(pool_of(array.context_), bytes_of(layout.shape, type.bytes)));
    array.block_ = block.get();
    array.address_ =
        block->memory().address() - static_cast<CUdeviceptr>(reach_of(layout, type.bytes).begin);
    array.owner_ = std::move(block);
    return array;
}

Array Array::over(CUdeviceptr address, ElementType type, const Layout& layout,
                  std::shared_ptr<const void> owner, Context context, bool writable) {
    Array array;
    array.type_ = type;
    array.layout_ = layout;
    array.size_ = count_of(layout.shape);
    array.address_ = array.size_ == 0 ? 0 : address;
    array.owner_ = std::move(owner);
    array.context_ = context;
    array.writable_ = writable;
    return array;
}

Array Array::over(std::shared_ptr<GraphicsMemory> memory, ElementType type, const Layout& layout,
                  Context context) {
    Array array;
    array.type_ = type;
    array.layout_ = layout;
    array.size_ = count_of(layout.shape);
    array.context_ = context;
    array.graphics_ = memory.get();
    array.owner_ = std::move(memory);
    return array;
}

Array Array::view(ElementType type, const Layout& layout, std::int64_t offset_bytes) const {
    Array array = *this;
    array.type_ = type;
    array.layout_ = layout;
    array.size_ = count_of(layout.shape);
    array.address_ = array.size_ == 0 ? 0 : address_ + static_cast<CUdeviceptr>(offset_bytes);
    return array;
}

CUdeviceptr Array::graphics_address() const {
    return size_ == 0 ? 0 : graphics_->address() + address_;
}

CUdeviceptr Array::present_address() const noexcept {
    if (!graphics_ || size_ == 0) return address_;
    const CUdeviceptr begin = graphics_->mapped_address();
    return begin ? begin + address_ : 0;
}

DType Array::dtype(const char* operation) const {
    if (type_.dtype) return *type_.dtype;
    throw TypeError{fmt::format("{} is not for elements that are structures ({} bytes)", operation,
                                type_.bytes)};
}

void check_device(const Array& array, std::string_view function) {
    const Context current = Context::current();
    if (!array.context() || !current || array.context() == current) return;
    const Device device = array.context().device(), here = current.device();
    if (device != here)
        throw lathe::Error{fmt::format("{}: an array of device {} in a context of device {}",
                                       function, device.get(), here.get())};
}

bool Array::may_share_memory(const Array& other) const noexcept {
    if (size_ == 0 || other.size_ == 0) return false;
    // What has no address has no other name on the device.
    const bool by_offset = graphics_ && graphics_ == other.graphics_;
    const CUdeviceptr own = by_offset ? address_ : present_address();
    const CUdeviceptr its = by_offset ? other.address_ : other.present_address();
    if (!by_offset && ((graphics_ && own == 0) || (other.graphics_ && its == 0))) return false;
    const Reach a = reach_of(layout_, type_.bytes), b = reach_of(other.layout_, other.type_.bytes);
    const auto at = [](CUdeviceptr first, std::int64_t offset) {
        return static_cast<std::int64_t>(first) + offset;
    };
    return at(own, a.begin) < at(its, b.end) && at(its, b.begin) < at(own, a.end);
}

} // namespace lathe::gpu
