// SPDX-License-Identifier: MIT
// How Python values become a kernel's parameters where it must be quick: each parameter remembers
// the type of its last value and how such a value is copied. Whatever is not plain is refused, for
// PackedArguments to look at.
#pragma once

#include "gpu/memory_pool.h"
#include "gpu/stream.h"
#include "python/bind/gpu/arguments.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lathe::bind {

/// A launch whose values are being converted.
class PlainLaunch {
public:
    static constexpr std::size_t kMostValues = 24;
    using Block = gpu::PooledMemory<gpu::DeviceBuffer>;

    PlainLaunch(CUcontext context, gpu::StreamView stream)
        : context_{context}, is_legacy_{stream == gpu::StreamView::legacy()} {}

    /// False if memory of context `its` is no plain value: another context's, perhaps a peer's.
    /// An empty one is everybody's.
    bool reaches(const gpu::Context& its) const noexcept { return !its || its.get() == context_; }
    /// A pool's block among the values. On the legacy default stream nobody has to know.
    void uses(Block* block) noexcept {
        if (block && !is_legacy_ && block_count_ < blocks_.size()) blocks_[block_count_++] = block;
    }
    bool is_legacy() const noexcept { return is_legacy_; }
    std::span<Block* const> blocks() const noexcept { return {blocks_.data(), block_count_}; }

private:
    CUcontext context_;
    bool is_legacy_;
    std::size_t block_count_ = 0;
    std::array<Block*, kMostValues> blocks_; // the first block_count_
};

/// Writes a value of one type as one parameter; false if it does not fit. Nothing is thrown, and no
/// Python error left.
using ConvertArgument = bool (*)(PyObject* value, std::byte* to, PlainLaunch& launch);

/// Makes objects of exactly this Python type device pointers: `read` writes the eight bytes of the
/// address.
void add_pointer_type(py::handle type, ConvertArgument read);
/// The same for this type and all that derive from it.
void add_pointer_base(py::handle type, ConvertArgument read);

/// The C++ object behind an object of a bound class; null before its __init__. `T` is the class or
/// its first, non-virtual base.
template <class T> T* bound_object(PyObject* object) noexcept {
    auto* instance = reinterpret_cast<py::detail::instance*>(object);
    return static_cast<T*>(instance->simple_layout ? instance->simple_value_holder[0]
                                                   : instance->nonsimple.values_and_holders[0]);
}

class ArgumentPlan {
public:
    static constexpr std::size_t kMost = PlainLaunch::kMostValues; ///< parameters

    /// The values of one launch.
    struct Block {
        alignas(16) std::array<std::array<std::byte, 16>, kMost> bytes;
        std::array<void*, kMost + 1> pointers;
    };

    ArgumentPlan() = default; ///< refuses everything
    /// Refuses everything where the parameters are too many or too large.
    explicit ArgumentPlan(const Signature& signature);

    /// False where the values are not what a quick copy can do; nothing is thrown.
    bool pack(PyObject* const* values, std::size_t count, PlainLaunch& launch, Block& to) noexcept;

private:
    struct Parameter {
        py::object kept_type; ///< of the last value, so that no other type gets its address
        PyTypeObject* type = nullptr;
        ConvertArgument convert = nullptr;
        ParameterType wanted = ParameterType::unknown;
        std::size_t bytes = 0;
    };
    static ConvertArgument find(const Parameter& parameter, PyTypeObject* type) noexcept;
    static ConvertArgument copy_as(ParameterType kind, const Parameter& parameter) noexcept;

    bool usable_ = false;
    std::vector<Parameter> parameters_;
};

} // namespace lathe::bind
