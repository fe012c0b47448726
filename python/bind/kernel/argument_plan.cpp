// SPDX-License-Identifier: MIT
#include "python/bind/kernel/argument_plan.h"

#include "gpu/array/launch_notes.h"
#include "python/bind/array/gpu_array.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lathe::bind {

namespace {

template <class T> void put(std::byte* to, T value) { std::memcpy(to, &value, sizeof value); }

// A NumPy scalar's value lies right behind the object's head (numpy/arrayscalars.h).
template <std::size_t bytes> bool copy_scalar(PyObject* value, std::byte* to, PlainLaunch&) {
    std::memcpy(to, reinterpret_cast<const std::byte*>(value) + sizeof(PyObject), bytes);
    return true;
}

template <class T> bool convert_number(PyObject* value, std::byte* to, PlainLaunch&) {
    const double number = PyFloat_AS_DOUBLE(value);
    if (std::is_same_v<T, float> && std::isfinite(number) &&
        std::abs(number) > std::numeric_limits<float>::max())
        return false;
    put(to, static_cast<T>(number));
    return true;
}

template <class T> bool convert_integer(PyObject* value, std::byte* to, PlainLaunch&) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) return false; // of 64 unsigned bits the upper half, too
    if constexpr (std::is_floating_point_v<T>) {
        constexpr long long exact = 1LL << std::numeric_limits<T>::digits;
        if (number > exact || number < -exact) return false;
    } else if (number < 0
                   ? std::is_unsigned_v<T> || number < std::int64_t{std::numeric_limits<T>::min()}
                   : std::uint64_t(number) > std::uint64_t(std::numeric_limits<T>::max())) {
        return false;
    }
    put(to, static_cast<T>(number));
    return true;
}

template <class Float> ConvertArgument number_converter(PyTypeObject* type) {
    return type == &PyFloat_Type ? &convert_number<Float> : &convert_integer<Float>;
}

/// For Python's own numbers, which take the type of the parameter.
ConvertArgument converter_of_number(ParameterType wanted, std::size_t bytes, PyTypeObject* type) {
    switch (wanted) {
    case ParameterType::floating:
        return bytes == 4   ? number_converter<float>(type)
               : bytes == 8 ? number_converter<double>(type)
                            : nullptr;
    case ParameterType::integer:
        if (type != &PyLong_Type) return nullptr;
        return bytes == 4   ? &convert_integer<std::int32_t>
               : bytes == 8 ? &convert_integer<std::int64_t>
               : bytes == 2 ? &convert_integer<std::int16_t>
               : bytes == 1 ? &convert_integer<std::int8_t>
                            : nullptr;
    case ParameterType::unsigned_integer:
    case ParameterType::pointer:
        if (type != &PyLong_Type) return nullptr;
        return bytes == 8   ? &convert_integer<std::uint64_t>
               : bytes == 4 ? &convert_integer<std::uint32_t>
               : bytes == 2 ? &convert_integer<std::uint16_t>
               : bytes == 1 ? &convert_integer<std::uint8_t>
                            : nullptr;
    default: return nullptr;
    }
}

struct ScalarType {
    PyTypeObject* type;
    ParameterType kind;
    std::size_t bytes;
};

/// NumPy's scalars of numbers. They live as long as the interpreter, and so does this.
const std::vector<ScalarType>& scalar_types() {
    static const auto* const all = [] {
        auto* made = new std::vector<ScalarType>;
        const py::module_ numpy = py::module_::import("numpy");
        const auto add = [&](const char* name, ParameterType kind, std::size_t bytes) {
            const py::object type = numpy.attr(name);
            made->push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), kind, bytes});
        };
        add("float32", ParameterType::floating, 4);
        add("float64", ParameterType::floating, 8);
        add("float16", ParameterType::floating, 2);
        add("int32", ParameterType::integer, 4);
        add("int64", ParameterType::integer, 8);
        add("int16", ParameterType::integer, 2);
        add("int8", ParameterType::integer, 1);
        add("uint32", ParameterType::unsigned_integer, 4);
        add("uint64", ParameterType::unsigned_integer, 8);
        add("uint16", ParameterType::unsigned_integer, 2);
        add("uint8", ParameterType::unsigned_integer, 1);
        add("bool_", ParameterType::boolean, 1);
        add("longlong", ParameterType::integer, 8); // beside int64 where that is a long
        add("ulonglong", ParameterType::unsigned_integer, 8);
        return made;
    }();
    return *all;
}

ConvertArgument copy_of(std::size_t bytes) {
    return bytes == 8   ? &copy_scalar<8>
           : bytes == 4 ? &copy_scalar<4>
           : bytes == 2 ? &copy_scalar<2>
                        : &copy_scalar<1>;
}

/// An address in a NumPy integer.
bool copy_address(PyObject* value, std::byte* to, PlainLaunch& launch) {
    std::int64_t address = 0;
    copy_scalar<8>(value, to, launch);
    std::memcpy(&address, to, sizeof address);
    return address >= 0;
}

struct PointerType {
    PyTypeObject* type;
    ConvertArgument read;
    bool and_derived;
};
std::vector<PointerType>& pointer_types() {
    static auto* const all = new std::vector<PointerType>;
    return *all;
}

} // namespace

void add_pointer_type(py::handle type, ConvertArgument read) {
    pointer_types().push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read, false});
    type.inc_ref();
}

void add_pointer_base(py::handle type, ConvertArgument read) {
    pointer_types().push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read, true});
    type.inc_ref();
}

ArgumentPlan::ArgumentPlan(const Signature& signature, bool by_name)
    : usable_{signature.parameters.size() <= kMost} {
    for (const ParameterInfo& p : signature.parameters) {
        usable_ = usable_ && p.bytes <= sizeof(Block::bytes[0]);
        Parameter& made = parameters_.emplace_back();
        made.wanted = p.type;
        made.bytes = p.bytes;
        made.pointee = p.pointee;
        made.pointee_bytes = p.pointee_bytes;
        made.is_written = is_written(signature, p);
        if (by_name && p.named)
            made.name =
                py::reinterpret_steal<py::object>(PyUnicode_InternFromString(p.name.c_str()));
    }
    (void)scalar_types(); // may throw, which pack() may not
}

/// For a NumPy scalar of the parameter's size.
ConvertArgument ArgumentPlan::copy_as(ParameterType kind, const Parameter& p) noexcept {
    if (p.wanted == ParameterType::unknown || p.wanted == kind) return copy_of(p.bytes);
    if (p.wanted != ParameterType::pointer) return nullptr;
    const bool is_integer =
        kind == ParameterType::integer || kind == ParameterType::unsigned_integer;
    return is_integer ? &copy_address : nullptr;
}

ConvertArgument ArgumentPlan::find(const Parameter& p, PyTypeObject* type) noexcept {
    const bool unknown = p.wanted == ParameterType::unknown;
    if (p.bytes == 8 && (unknown || p.wanted == ParameterType::pointer))
        for (const PointerType& known : pointer_types())
            if (known.type == type || (known.and_derived && PyType_IsSubtype(type, known.type)))
                return known.read;
    for (const ScalarType& known : scalar_types())
        if (known.type == type) return known.bytes == p.bytes ? copy_as(known.kind, p) : nullptr;
    if (type == &PyFloat_Type || type == &PyLong_Type)
        return converter_of_number(p.wanted, p.bytes, type);
    return nullptr;
}

bool ArgumentPlan::pack(const GivenValues& given, const ParameterSet* parameters,
                        PlainLaunch& launch, Block& to) noexcept {
    const std::size_t count = parameters_.size();
    if (!usable_ || given.count > count) return false;
    PyObject* const* values = given.values;
    std::array<PyObject*, kMost> ordered; // used where names are given, or values miss
    if (given.count != count || given.names) {
        std::fill_n(std::copy_n(values, given.count, ordered.begin()), count - given.count,
                    nullptr);
        const Py_ssize_t named = given.names ? PyTuple_GET_SIZE(given.names) : 0;
        for (Py_ssize_t n = 0; n < named; ++n) {
            PyObject* const name = PyTuple_GET_ITEM(given.names, n);
            std::size_t k = given.count;
            while (k < count && parameters_[k].name.ptr() != name) ++k;
            if (k == count || ordered[k]) return false;
            ordered[k] = values[given.count + std::size_t(n)];
        }
        values = ordered.data();
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (k >= parameters_.size()) return false; // a value's own Python code prepared it anew
        Parameter& p = parameters_[k];
        std::byte* const place = to.bytes[k].data();
        to.pointers[k] = place;
        PyObject* const value = values[k];
        if (!value) {
            if (!p.has_value || !parameters || parameters->version() != parameters_version_)
                return false;
            std::memcpy(place, p.value.data(), p.bytes);
            continue;
        }
        if (parameters && !p.is_given) return false;
        PyTypeObject* const type = Py_TYPE(value);
        if (type != p.type) [[unlikely]] {
            const ConvertArgument found = find(p, type);
            if (!found) return false;
            p.kept_type = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type));
            p.type = type;
            p.convert = found;
            p.is_array = is_gpu_array(value);
            p.checks_elements = p.pointee_bytes && p.is_array;
        }
        if (p.checks_elements) {
            const gpu::ElementType elements = self_of(value).array.type();
            if (p.elements != elements && !takes_elements(p.pointee, p.pointee_bytes, elements))
                return false;
            p.elements = elements;
        }
        if (!p.convert(value, place, launch)) return false;
        if (p.is_written && p.is_array && gpu::NotedLaunches::are_wanted())
            launch.writes(self_of(value).array);
    }
    to.pointers[count] = nullptr;
    return true;
}

void ArgumentPlan::learn(std::size_t count, const py::dict& named, PackedArguments& packed,
                         std::uint64_t parameters_version) {
    if (!usable_ || packed.count() != parameters_.size()) return;
    if (parameters_version != parameters_version_)
        for (Parameter& p : parameters_) p.has_value = false;
    parameters_version_ = parameters_version;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        Parameter& p = parameters_[k];
        if (k < count || (p.name && named.contains(p.name))) {
            p.is_given = true;
        } else {
            std::memcpy(p.value.data(), packed.pointers()[k], p.bytes);
            p.has_value = true;
        }
    }
}

} // namespace lathe::bind
