// SPDX-License-Identifier: MIT
#include "python/bind/kernel/arguments.h"

#include "engine/interop/texture.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/cuda/pointer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

namespace lathe::bind {

namespace {

std::string described(const ParameterInfo& p) {
    return p.type_name.empty() ? fmt::format("{} ({} bytes)", p.name, p.bytes)
                               : fmt::format("{} ({})", p.name, p.type_name);
}

/// The TypeError or ValueError of one argument.
class Complaint {
public:
    Complaint(const Signature& s, const ParameterInfo& p) : signature_{s}, parameter_{p} {}
    [[noreturn]] void type(const std::string& wanted, py::handle got) const {
        throw py::type_error(fmt::format("{}(): {} takes {}, got {}", signature_.kernel,
                                         described(parameter_), wanted, received(got)));
    }
    [[noreturn]] void value(const std::string& why) const {
        throw py::value_error(
            fmt::format("{}(): {}: {}", signature_.kernel, described(parameter_), why));
    }

private:
    static std::string received(py::handle got) {
        auto text = py::repr(got).cast<std::string>();
        if (text.size() > 60) text = text.substr(0, 57) + "...";
        return fmt::format("{} ({})", text, Py_TYPE(got.ptr())->tp_name);
    }
    const Signature& signature_;
    const ParameterInfo& parameter_;
};

bool is_integer(py::handle value) { return PyIndex_Check(value.ptr()) != 0; }
bool is_number(py::handle value) {
    return PyFloat_Check(value.ptr()) || is_integer(value) ||
           (PyNumber_Check(value.ptr()) && py::hasattr(value, "dtype") &&
            !py::hasattr(value, "__len__"));
}

/// One whose elements can be counted, which those of an array without dimensions cannot.
bool is_sequence(py::handle value) {
    if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr())) return false;
    if (PyObject_Length(value.ptr()) >= 0) return true;
    PyErr_Clear();
    return false;
}

/// That of a NumPy array without dimensions; else None.
py::object element_of(py::handle value) {
    if (!PySequence_Check(value.ptr()) || !PyObject_CheckBuffer(value.ptr())) return py::none();
    return py::hasattr(value, "dtype") ? py::object(value[py::tuple{}]) : py::none();
}

template <class T> void store(std::byte* to, T value) { std::memcpy(to, &value, sizeof value); }

std::uint16_t half_bits(double value) {
    const auto half = py::module_::import("numpy").attr("float16")(value);
    return half.attr("view")("uint16").cast<std::uint16_t>();
}

void pack_floating(const ParameterInfo& p, py::handle value, std::byte* to, const Complaint& no) {
    if (!is_number(value)) no.type("a number", value);
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred()) throw py::error_already_set();
    if (p.bytes == 8) return store(to, number);
    if (p.bytes == 2) return store(to, half_bits(number));
    if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max())
        no.value(fmt::format("{} is too large for a float", number));
    store(to, static_cast<float>(number));
}

bool wants_surface(const ParameterInfo& p) {
    return p.type_name.find("cudaSurfaceObject_t") != std::string::npos;
}
bool wants_texture(const ParameterInfo& p) {
    return wants_surface(p) || p.type_name.find("cudaTextureObject_t") != std::string::npos;
}

/// False where `value` is no texture.
bool pack_texture(const ParameterInfo& p, py::handle value, std::byte* to, const Complaint& no) {
    if (!py::isinstance<Texture>(value)) return false;
    if (!wants_texture(p))
        no.type("an integer: a texture goes to a cudaSurfaceObject_t or cudaTextureObject_t",
                value);
    const auto& texture = value.cast<const Texture&>();
    store(to, std::uint64_t{wants_surface(p) ? texture.surface() : texture.sampler()});
    return true;
}

void pack_integer(const ParameterInfo& p, py::handle value, std::byte* to, bool is_signed,
                  const Complaint& no) {
    if (!is_integer(value)) {
        if (pack_texture(p, value, to, no)) return;
        no.type(wants_texture(p) ? "a texture" : "an integer", value);
    }
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!number) throw py::error_already_set();
    const unsigned bits = unsigned(p.bytes) * 8;
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    std::uint64_t raw = std::uint64_t(wide);
    bool fits_in = overflow == 0;
    if (is_signed && bits < 64)
        fits_in = fits_in && wide >= -(1LL << (bits - 1)) && wide < (1LL << (bits - 1));
    if (!is_signed) {
        if (overflow > 0 && bits == 64) {
            raw = PyLong_AsUnsignedLongLong(number.ptr());
            fits_in = !PyErr_Occurred();
            PyErr_Clear();
        } else {
            fits_in = fits_in && wide >= 0 && (bits == 64 || std::uint64_t(wide) >> bits == 0);
        }
    }
    if (!fits_in)
        no.value(fmt::format("{} does not fit {} {} bits", py::str(number).cast<std::string>(),
                             is_signed ? "a signed integer of" : "an unsigned integer of", bits));
    std::memcpy(to, &raw, p.bytes); // little-endian
}

void pack_pointer(const ParameterInfo& p, py::handle value, std::byte* to, const Complaint& no) {
    if (is_gpu_array(value.ptr()) &&
        !takes_elements(p.pointee, p.pointee_bytes, self_of(value.ptr()).array.type()))
        no.type(fmt::format("an array of {}-byte {}", p.pointee_bytes,
                            p.pointee == ParameterType::floating ? "floats" : "integers"),
                value);
    if (value.is_none()) return store(to, std::uint64_t{0});
    if (const auto found = find_device_pointer(value)) {
        check_reach(*found, "cuLaunchKernel");
        return store(to, std::uint64_t{found->address});
    }
    if (py::hasattr(value, "__array_interface__"))
        no.type("an array on the device (app.asarray(x) puts x there, In(x) for a call)", value);
    no.type("an array", value);
}

void pack(const Signature& s, const ParameterInfo& p, py::handle value, std::byte* to);

void pack_structure(const Signature& s, const ParameterInfo& p, py::handle value, std::byte* to,
                    const Complaint& no) {
    if (PyObject_CheckBuffer(value.ptr()) &&
        (p.members.empty() || !PySequence_Check(value.ptr()) || PyBytes_Check(value.ptr()))) {
        const auto info = py::reinterpret_borrow<py::buffer>(value).request();
        if (std::size_t(info.size * info.itemsize) != p.bytes)
            no.value(fmt::format("{} bytes given, {} wanted", info.size * info.itemsize, p.bytes));
        std::memcpy(to, info.ptr, p.bytes);
        return;
    }
    if (!is_sequence(value)) {
        const py::object element = element_of(value);
        if (is_sequence(element)) return pack(s, p, element, to);
        no.type("a sequence of its members, or its bytes", value);
    }
    const auto items = py::reinterpret_borrow<py::sequence>(value);
    if (p.members.empty() && !items.empty())
        no.type("its bytes or a NumPy scalar, because its members are not known", value);
    if (items.size() != p.members.size())
        no.value(fmt::format("{} members given, {} wanted", items.size(), p.members.size()));
    for (std::size_t i = 0; i < p.members.size(); ++i)
        pack(s, p.members[i], py::object(items[i]), to + p.member_offsets[i]);
}

/// Appends the elements of `value`, whose rows may be sequences, too, where `is_nested`.
void collect(py::handle value, bool is_nested, std::vector<py::object>& to) {
    const auto items = py::reinterpret_borrow<py::sequence>(value);
    for (std::size_t i = 0; i < items.size(); ++i) {
        py::object item = items[i]; // a NumPy array makes it now
        if (is_nested && is_sequence(item)) collect(item, true, to);
        else to.push_back(std::move(item));
    }
}

void pack_array(const Signature& s, const ParameterInfo& p, py::handle value, std::byte* to,
                const Complaint& no) {
    if (p.members.empty()) no.type("what its type says, which is not known", value);
    ParameterInfo element = p.members[0];
    if (PyBytes_Check(value.ptr())) { // NumPy leaves the zeros at its end out
        const auto given = value.cast<std::string_view>();
        if (given.size() > p.bytes || (given.size() < p.bytes && element.bytes > 1))
            no.value(fmt::format("{} bytes given, {} wanted", given.size(), p.bytes));
        std::memset(to, 0, p.bytes);
        std::memcpy(to, given.data(), given.size());
        return;
    }
    if (!is_sequence(value)) no.type("a sequence of its elements, or its bytes", value);
    std::vector<py::object> items;
    collect(value, element.type != ParameterType::structure, items);
    if (items.size() != p.count)
        no.value(fmt::format("{} elements given, {} wanted", items.size(), p.count));
    for (std::size_t i = 0; i < items.size(); ++i) {
        element.name = fmt::format("{}[{}]", p.name, i);
        pack(s, element, items[i], to + i * element.bytes);
    }
}

// Without names and types only the size is known: the value's own type decides.
void pack_unknown(const ParameterInfo& p, py::handle value, std::byte* to, const Complaint& no) {
    const bool is_number_itself =
        PyIndex_Check(value.ptr()) && py::hasattr(value, "dtype") && !py::hasattr(value, "__len__");
    if (p.bytes == 8 && !is_number_itself && !PyLong_Check(value.ptr()) &&
        (value.is_none() || find_device_pointer(value)))
        return pack_pointer(p, value, to, no);
    if (py::hasattr(value, "dtype") && PyObject_CheckBuffer(value.ptr())) { // a NumPy scalar
        const auto info = py::reinterpret_borrow<py::buffer>(value).request();
        if (info.ndim > 0)
            no.type("an array on the device (In(x), Out(x) or InOut(x) copy x for a call)", value);
        if (std::size_t(info.itemsize) != p.bytes)
            no.type(fmt::format("a value of {} bytes", p.bytes), value);
        std::memcpy(to, info.ptr, p.bytes);
        return;
    }
    if (PyFloat_Check(value.ptr()) && (p.bytes == 4 || p.bytes == 8))
        return pack_floating(p, value, to, no);
    if (is_integer(value) && p.bytes <= 8) {
        const bool negative = PyObject_RichCompareBool(value.ptr(), py::int_(0).ptr(), Py_LT) == 1;
        PyErr_Clear(); // of what does not compare
        return pack_integer(p, value, to, negative, no);
    }
    pack_structure({}, p, value, to, no);
}

void pack(const Signature& s, const ParameterInfo& p, py::handle value, std::byte* to) {
    const Complaint no{s, p};
    switch (p.type) {
    case ParameterType::boolean:
        if (!PyBool_Check(value.ptr()) && !is_number(value)) no.type("a bool", value);
        return store(to, std::uint8_t(PyObject_IsTrue(value.ptr()) ? 1 : 0));
    case ParameterType::integer: return pack_integer(p, value, to, true, no);
    case ParameterType::unsigned_integer: return pack_integer(p, value, to, false, no);
    case ParameterType::floating: return pack_floating(p, value, to, no);
    case ParameterType::pointer: return pack_pointer(p, value, to, no);
    case ParameterType::structure: return pack_structure(s, p, value, to, no);
    case ParameterType::array: return pack_array(s, p, value, to, no);
    case ParameterType::unknown: return pack_unknown(p, value, to, no);
    }
}

py::object vector_of(const std::vector<double>& values, bool is_whole) {
    py::tuple out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = is_whole ? py::object(py::int_(static_cast<long long>(values[i])))
                          : py::object(py::float_(values[i]));
    return out;
}

py::object from_parameters(const ParameterInfo& p, const std::string& name,
                           ParameterSet& parameters);

/// Of a structure or an array: what sliders say of its members. Null unless they say all of it.
py::object from_members(const ParameterInfo& p, const std::string& name, ParameterSet& parameters) {
    const bool is_array = p.type == ParameterType::array;
    py::list out;
    const std::size_t count = is_array ? p.count : p.members.size();
    for (std::size_t i = 0; i < count; ++i) {
        const ParameterInfo& member = p.members[is_array ? 0 : i];
        py::object value = from_parameters(
            member, is_array ? fmt::format("{}[{}]", name, i) : name + "." + member.name,
            parameters);
        if (!value) return {};
        out.append(std::move(value));
    }
    return out.empty() ? py::object{} : py::object(std::move(out));
}

py::object from_parameters(const ParameterInfo& p, const std::string& name,
                           ParameterSet& parameters) {
    const Parameter* const slider = parameters.find(name);
    if (!slider) return from_members(p, name, parameters);
    return std::visit(
        [&](const auto& v) -> py::object {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::vector<double>>)
                return vector_of(v, slider->whole);
            else return py::cast(v);
        },
        parameters.get(name));
}

py::object from_parameters(const ParameterInfo& p, ParameterSet* parameters) {
    return parameters && p.named ? from_parameters(p, p.name, *parameters) : py::object{};
}

} // namespace

bool takes_elements(ParameterType pointee, std::size_t pointee_bytes,
                    const gpu::ElementType& type) {
    if (!pointee_bytes || !type.dtype) return true;
    const auto code = typestr_of(*type.dtype)[1];
    const bool wants_floating = pointee == ParameterType::floating;
    if (code == 'c') return wants_floating; // pairs of floats
    return type.bytes == pointee_bytes && (code == 'f') == wants_floating;
}

Signature signature_from_sizes(const gpu::Kernel& kernel) {
    Signature s;
    s.kernel = kernel.name();
    for (const auto& p : kernel.parameters()) {
        ParameterInfo info;
        info.name = fmt::format("parameter {}", s.parameters.size());
        info.bytes = p.bytes;
        s.parameters.push_back(std::move(info));
    }
    return s;
}

bool fits(const Signature& signature, const gpu::Kernel& kernel) {
    if (!kernel.parameters_known()) return true;
    const auto& known = kernel.parameters();
    if (signature.parameters.size() != known.size()) return false;
    for (std::size_t i = 0; i < known.size(); ++i)
        if (signature.parameters[i].bytes != known[i].bytes) return false;
    return true;
}

PackedArguments::PackedArguments(const Signature& s, const py::tuple& args, const py::dict& kwargs,
                                 ParameterSet* parameters) {
    const std::size_t wanted = s.parameters.size();
    if (args.size() > wanted)
        throw py::type_error(
            fmt::format("{} takes {} arguments, got {}", to_text(s), wanted, args.size()));
    std::size_t used = 0;
    std::vector<std::size_t> places;
    std::size_t total = 0;
    for (const ParameterInfo& p : s.parameters) {
        places.push_back(total);
        total += (p.bytes + sizeof(Unit) - 1) / sizeof(Unit);
    }
    units_.resize(total);
    for (std::size_t i = 0; i < wanted; ++i) {
        const ParameterInfo& p = s.parameters[i];
        py::object value;
        const bool by_keyword = p.named && kwargs.contains(p.name.c_str());
        if (i < args.size()) {
            if (by_keyword)
                throw py::type_error(
                    fmt::format("{}(): {} is given twice", s.kernel, described(p)));
            value = args[i];
        } else if (by_keyword) {
            value = kwargs[p.name.c_str()];
        } else {
            value = from_parameters(p, parameters);
            if (!value)
                throw py::type_error(
                    fmt::format("{}(): {} is missing, in {}", s.kernel, described(p), to_text(s)));
        }
        used += by_keyword ? 1 : 0;
        if (parameters && p.named && (by_keyword || i < args.size()))
            parameters->note_passed(p.name);
        std::byte* to = units_[places[i]].bytes;
        pack(s, p, value, to);
        pointers_.push_back(to);
    }
    pointers_.push_back(nullptr);
    if (used < kwargs.size())
        for (const auto& item : kwargs) {
            const auto name = item.first.cast<std::string>();
            bool known = false;
            for (const ParameterInfo& p : s.parameters)
                known = known || (p.named && p.name == name);
            if (!known)
                throw py::type_error(
                    fmt::format("{}() has no parameter {}: {}", s.kernel, name, to_text(s)));
        }
}

std::string to_text(const Signature& s) {
    std::string out = s.kernel + "(";
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
        const ParameterInfo& p = s.parameters[i];
        out += fmt::format("{}{}{}{}", i ? ", " : "", p.type_name, p.type_name.empty() ? "" : " ",
                           p.name);
    }
    return out + ")";
}

} // namespace lathe::bind
