// SPDX-License-Identifier: MIT
// How Python values become a kernel's parameters where it must be quick: each parameter remembers
// the type of its last value and how such a value is copied. Whatever is not plain is refused, for
// PackedArguments to look at.
#pragma once

#include "gpu/memory_pool.h"
#include "gpu/stream.h"
#include "python/bind/kernel/arguments.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lathe::bind {

/// A launch whose values are being converted.
class PlainLaunch {
public:
    static constexpr std::size_t kMostValues = 24;
    using Block = gpu::PooledMemory<gpu::DeviceBuffer>;

    /// `is_free`: the stream may become that of an App whose array is among the values.
    PlainLaunch(CUcontext context, gpu::StreamView stream, bool is_free)
        : context_{context}, stream_{stream}, is_free_{is_free} {}

    /// False if memory of context `its` is no plain value: another context's, perhaps a peer's.
    /// An empty one is everybody's.
    bool reaches(const gpu::Context& its) const noexcept { return !its || its.get() == context_; }
    /// For memory that an App draws: whether the launch is in the order of its stream.
    bool follows(gpu::StreamView stream) noexcept {
        if (is_free_) stream_ = stream;
        is_free_ = false;
        return stream_ == stream || is_legacy();
    }
    /// A pool's block among the values. On the legacy default stream nobody has to know.
    void uses(Block* block) noexcept {
        if (block && (is_free_ || !is_legacy()) && block_count_ < blocks_.size())
            blocks_[block_count_++] = block;
    }
    gpu::StreamView stream() const noexcept { return stream_; }
    bool is_legacy() const noexcept { return stream_ == gpu::StreamView::legacy(); }
    std::span<Block* const> blocks() const noexcept {
        return {blocks_.data(), is_legacy() ? 0 : block_count_};
    }
    /// An array that the kernel may write.
    void writes(const gpu::Array& array) noexcept { written_[written_count_++] = &array; }
    std::span<const gpu::Array* const> written() const noexcept {
        return {written_.data(), written_count_};
    }

private:
    CUcontext context_;
    gpu::StreamView stream_;
    bool is_free_;
    std::size_t block_count_ = 0;
    std::array<Block*, kMostValues> blocks_; // the first block_count_
    std::size_t written_count_ = 0;
    std::array<const gpu::Array*, kMostValues> written_; // likewise
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

/// The values of a call as Python hands them over: those without a name, then those with one.
struct GivenValues {
    PyObject* const* values = nullptr;
    std::size_t count = 0;     ///< without a name
    PyObject* names = nullptr; ///< a tuple of strings; null: none
};

class ArgumentPlan {
public:
    static constexpr std::size_t kMost = PlainLaunch::kMostValues; ///< parameters

    /// The values of one launch.
    struct Block {
        alignas(16) std::array<std::array<std::byte, 16>, kMost> bytes;
        std::array<void*, kMost + 1> pointers;
    };

    ArgumentPlan() = default; ///< refuses everything
    /// Refuses everything where the parameters are too many or too large. `by_name`: values may
    /// have names.
    ArgumentPlan(const Signature& signature, bool by_name);

    /// False where the values are not what a quick copy can do; nothing is thrown. `parameters`
    /// (may be null) has the values that are not given.
    bool pack(const GivenValues& given, const ParameterSet* parameters, PlainLaunch& launch,
              Block& to) noexcept;

    /// What PackedArguments packed: it has told the App which parameters the program gives, and
    /// the others have values of this version of the App's.
    void learn(std::size_t count, const py::dict& named, PackedArguments& packed,
               std::uint64_t parameters_version);

private:
    struct Parameter {
        py::object kept_type; ///< of the last value, so that no other type gets its address
        PyTypeObject* type = nullptr;
        ConvertArgument convert = nullptr;
        ParameterType wanted = ParameterType::unknown;
        std::size_t bytes = 0;
        ParameterType pointee = ParameterType::unknown;
        std::size_t pointee_bytes = 0;
        bool is_written = false;      ///< a pointer of a known signature, not to const
        bool is_array = false;        ///< the last value
        bool checks_elements = false; ///< `convert` is that of arrays, the pointer is typed
        std::optional<gpu::ElementType> elements; ///< of the last array
        py::object name{};                        ///< interned; null: it has none
        bool is_given = false;                    ///< by the program, of which the App was told
        bool has_value = false;                   ///< of the App's
        alignas(16) std::array<std::byte, 16> value{};
    };
    static ConvertArgument find(const Parameter& parameter, PyTypeObject* type) noexcept;
    static ConvertArgument copy_as(ParameterType kind, const Parameter& parameter) noexcept;

    bool usable_ = false;
    std::vector<Parameter> parameters_;
    std::uint64_t parameters_version_ = 0; ///< of the App's values
};

} // namespace lathe::bind
