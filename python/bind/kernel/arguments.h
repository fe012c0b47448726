// SPDX-License-Identifier: MIT
// Python values as kernel arguments: checked against the kernel's own parameters and packed by
// their types, which come from the DWARF of a -G compile; without it, by their sizes.
#pragma once

#include "engine/live/parameter_set.h"
#include "gpu/array/array.h"
#include "gpu/module.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

enum class ParameterType {
    boolean,
    integer,
    unsigned_integer,
    floating,
    pointer,
    structure,
    array, ///< within a structure
    unknown
};

struct ParameterInfo {
    std::string name;      ///< "parameter 3" where not known
    std::string type_name; ///< as declared; empty where not known
    ParameterType type = ParameterType::unknown;
    std::size_t bytes = 0;
    std::size_t pointee_bytes = 0;                  ///< of a pointer to numbers, else 0
    ParameterType pointee = ParameterType::unknown; ///< its kind of number
    bool is_read_only = false;                      ///< a pointer to const
    std::vector<ParameterInfo> members; ///< of a structure; of an array one, the element
    std::vector<std::size_t> member_offsets;
    std::size_t count = 0; ///< elements of an array, over all dimensions
    bool named = false;
};

/// What a kernel declares. `named`: the names and types are the source's.
struct Signature {
    std::string kernel;
    std::vector<ParameterInfo> parameters;
    bool named = false;
};

/// Whether a pointer to numbers of this kind and size takes an array of `type`. Arrays of
/// structures go anywhere.
bool takes_elements(ParameterType pointee, std::size_t pointee_bytes, const gpu::ElementType& type);

/// From the driver alone: sizes. Empty where the driver cannot say.
Signature signature_from_sizes(const gpu::Kernel& kernel);
/// The same offsets and sizes, so that values packed for one fit the other.
bool fits(const Signature& signature, const gpu::Kernel& kernel);

/// Whether the source lets the kernel write behind that pointer. False where it is not known.
inline bool is_written(const Signature& signature, const ParameterInfo& parameter) {
    return signature.named && parameter.type == ParameterType::pointer && !parameter.is_read_only;
}

/// Values packed for one launch.
class PackedArguments {
public:
    /// Positional values in order, then keywords by name, then what is missing by name from
    /// `parameters` (may be null). Throws TypeError, ValueError that name the parameter.
    PackedArguments(const Signature& signature, const py::tuple& values, const py::dict& named,
                    ParameterSet* parameters);
    void** pointers() { return pointers_.data(); }
    std::size_t count() const { return pointers_.size() - 1; }

private:
    struct alignas(16) Unit { // as aligned as any kernel parameter
        std::byte bytes[16];
    };
    std::vector<Unit> units_;
    std::vector<void*> pointers_;
};

/// "step(const float* u, int width)", for messages.
std::string to_text(const Signature& signature);

} // namespace lathe::bind
