// SPDX-License-Identifier: MIT
// How Python values become a kernel's parameters where it must be quick: each parameter remembers
// the type of its last value and how such a value is copied. Whatever is not plain is refused, for
// PackedArguments to look at.
#pragma once

#include "python/bind/gpu/arguments.h"

#include <array>
#include <cstddef>
#include <vector>

namespace lathe::bind {

/// Writes a value of one type as one parameter, for a launch in `context`; false where it does not
/// fit.
using ConvertArgument = bool (*)(PyObject* value, std::byte* to, CUcontext context);

/// Makes objects of exactly this Python type device pointers: `read` writes the eight bytes of the
/// address.
void add_pointer_type(py::handle type, ConvertArgument read);

/// The C++ object behind an object of a bound class without bases; null before its __init__.
template <class T> T* bound_object(PyObject* object) noexcept {
    auto* instance = reinterpret_cast<py::detail::instance*>(object);
    return static_cast<T*>(instance->simple_layout ? instance->simple_value_holder[0]
                                                   : instance->nonsimple.values_and_holders[0]);
}

class ArgumentPlan {
public:
    static constexpr std::size_t kMost = 24; ///< parameters

    /// The values of one launch.
    struct Block {
        alignas(16) std::array<std::array<std::byte, 16>, kMost> bytes;
        std::array<void*, kMost + 1> pointers;
    };

    ArgumentPlan() = default; ///< refuses everything
    /// Refuses everything where the parameters are too many or too large.
    explicit ArgumentPlan(const Signature& signature);

    /// False where the values are not what a quick copy can do; nothing is thrown.
    bool pack(PyObject* const* values, std::size_t count, CUcontext context, Block& to) noexcept;

private:
    struct Parameter {
        PyTypeObject* type = nullptr; ///< of the last value
        ConvertArgument convert = nullptr;
        ParameterType wanted = ParameterType::unknown;
        std::size_t bytes = 0;
    };
    static ConvertArgument find(const Parameter& parameter, PyTypeObject* type) noexcept;

    bool usable_ = false;
    std::vector<Parameter> parameters_;
};

} // namespace lathe::bind
