// SPDX-License-Identifier: MIT
#include "python/bind/kernel/value_dtype.h"

#include <fmt/format.h>

namespace lathe::bind {

namespace py = pybind11;

py::object dtype_of(const ptx::ParameterType& type, std::size_t bytes) {
    using enum ptx::ParameterType::Kind;
    const auto plain = [&](char letter) {
        return py::str(fmt::format("{}{}", letter, type.bytes));
    };
    switch (type.kind) {
    case boolean: return py::str("?");
    case signed_integer:
    case enumeration: return plain('i');
    case unsigned_integer:
    case pointer: return plain('u');
    case floating: return plain('f');
    case array: {
        if (type.members.empty() || type.members.front().bytes == 0) break;
        const auto& element = type.members.front();
        return py::make_tuple(dtype_of(element, element.bytes), bytes / element.bytes);
    }
    case structure: {
        py::list names, formats, offsets;
        for (const auto& member : type.members) {
            if (member.name.empty() || member.offset + member.bytes > bytes) continue;
            names.append(member.name);
            formats.append(dtype_of(member, member.bytes));
            offsets.append(member.offset);
        }
        py::dict all;
        all["names"] = names;
        all["formats"] = formats;
        all["offsets"] = offsets;
        all["itemsize"] = bytes;
        return all;
    }
    case unknown: break;
    }
    return py::str(fmt::format("V{}", bytes));
}

} // namespace lathe::bind
