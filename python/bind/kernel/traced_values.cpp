// SPDX-License-Identifier: MIT
#include "python/bind/kernel/traced_values.h"

#include "python/bind/kernel/value_dtype.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

namespace {

using Kind = ptx::ParameterType::Kind;

template <class T> T read(const std::byte* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

py::object integer(const std::byte* from, std::size_t bytes, bool is_signed) {
    std::int64_t value = 0;
    std::memcpy(&value, from, std::min<std::size_t>(bytes, 8));
    if (!is_signed) return py::int_(static_cast<std::uint64_t>(value));
    const unsigned shift = bytes < 8 ? 64 - 8 * static_cast<unsigned>(bytes) : 0;
    return py::int_(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift);
}

/// float32 as NumPy's, which is written with as many digits as it has.
py::object real(const std::byte* from, std::size_t bytes) {
    if (bytes == 8) return py::float_(read<double>(from));
    if (bytes != 4) return py::none();
    static const auto* const float32 =
        new py::object{py::module_::import("numpy").attr("float32")}; // lives as long as Python
    return (*float32)(read<float>(from));
}

/// None where so few bytes do not tell the value.
py::object to_python(const ptx::ParameterType& type, const std::byte* from, std::size_t bytes) {
    if (type.kind != Kind::array && type.kind != Kind::structure &&
        (type.bytes == 0 || type.bytes > bytes))
        return py::none();
    switch (type.kind) {
    case Kind::boolean: return py::bool_(read<std::uint8_t>(from) != 0);
    case Kind::signed_integer: return integer(from, type.bytes, true);
    case Kind::unsigned_integer:
    case Kind::pointer: return integer(from, type.bytes, false);
    case Kind::floating: return real(from, type.bytes);
    case Kind::enumeration: {
        const py::object value = integer(from, type.bytes, true);
        for (const auto& each : type.enumerators)
            if (value.equal(py::int_(each.value))) return py::str(each.name);
        return value;
    }
    case Kind::structure: {
        py::dict members;
        for (const auto& member : type.members)
            if (member.offset < bytes)
                members[py::str(member.name)] =
                    to_python(member, from + member.offset, bytes - member.offset);
        return members;
    }
    case Kind::array: {
        py::list items;
        if (type.members.empty() || type.members.front().bytes == 0) return py::none();
        const auto& element = type.members.front();
        for (std::size_t at = 0; at + element.bytes <= bytes; at += element.bytes)
            items.append(to_python(element, from + at, bytes - at));
        return items;
    }
    case Kind::unknown: break;
    }
    return py::none();
}

bool is_array(const gpu::TracedValue& value) {
    return value.type->kind == Kind::array && !value.type->members.empty() &&
           value.type->members.front().bytes > 0;
}

/// Read-only, of the memory that the trace has.
py::object shared_array(const gpu::TracedValue& value) {
    const auto& element = value.type->members.front();
    const py::dtype dtype = py::dtype::from_args(dtype_of(element, element.bytes));
    std::vector<py::ssize_t> shape;
    std::size_t count = 1;
    for (const std::uint64_t size : value.type->shape) {
        shape.push_back(static_cast<py::ssize_t>(size));
        count *= size;
    }
    if (count != gpu::elements_of(value))
        shape = {static_cast<py::ssize_t>(gpu::elements_of(value))};
    auto* const owner = new std::shared_ptr<const void>{value.bytes.owner()};
    const py::capsule base{owner,
                           [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); }};
    py::array array{dtype, shape, {}, value.bytes.data(), base};
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

/// By name, with arrays of shared memory made once for the lines that have the same.
class ValueWriter {
public:
    py::dict by_name(const std::vector<gpu::TracedValue>& values) {
        py::dict known;
        for (const gpu::TracedValue& value : values)
            known[py::str(value.type->name)] = written(value);
        return known;
    }

private:
    py::object written(const gpu::TracedValue& value) {
        if (!value.is_shared || !is_array(value))
            return to_python(*value.type, value.bytes.data(), value.bytes.size());
        auto& known = arrays_[{value.bytes.data(), value.type.get()}];
        if (!known) known = shared_array(value);
        return known;
    }

    std::map<std::pair<const std::byte*, const ptx::ParameterType*>, py::object> arrays_;
};

/// An int, with more than one dimension a tuple, and () where the variable is no array.
py::object index_of(const ptx::ParameterType& type, std::size_t number) {
    if (type.kind != Kind::array) return py::tuple{};
    if (type.shape.size() < 2) return py::int_(number);
    py::tuple index{type.shape.size()};
    for (std::size_t k = type.shape.size(); k-- > 0;) {
        const std::size_t size = std::max<std::size_t>(type.shape[k], 1);
        index[k] = k == 0 ? number : number % size;
        number /= size;
    }
    return index;
}

py::dict touched(const gpu::TraceLine& line, bool gpu::TracedTouch::* how) {
    py::dict all;
    gpu::TraceLine only;
    for (const gpu::TracedTouch& touch : line.touched)
        if (touch.*how) only.touched.push_back(touch);
    for (const gpu::TracedTouch& touch : only.touched) {
        const py::str name{touch.type->name};
        if (all.contains(name)) continue;
        py::list elements;
        for (const std::size_t number : gpu::touched_elements(only, touch.type->name))
            elements.append(index_of(*touch.type, number));
        all[name] = elements;
    }
    return all;
}

py::dict row_of(const gpu::TraceLine& line, ValueWriter& writer) {
    py::dict row;
    row["function"] = line.function;
    row["file"] = line.file;
    row["line"] = line.line;
    row["depth"] = line.depth;
    row["values"] = writer.by_name(line.values);
    row["changes"] = writer.by_name(line.changes);
    row["reads"] = touched(line, &gpu::TracedTouch::reads);
    row["writes"] = touched(line, &gpu::TracedTouch::writes);
    return row;
}

} // namespace

py::list to_python(const std::vector<gpu::TraceLine>& lines) {
    ValueWriter writer;
    py::list rows;
    for (const gpu::TraceLine& line : lines) rows.append(row_of(line, writer));
    return rows;
}

} // namespace lathe::bind
