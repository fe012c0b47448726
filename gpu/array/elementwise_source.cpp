// SPDX-License-Identifier: MIT
#include "gpu/array/elementwise_source.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace lathe::gpu {

namespace {

using Text = std::back_insert_iterator<std::string>;

/// "o0" or "i2": the name of an operand's pointer; `number` counts outputs and inputs apart.
struct Named {
    const OperandForm& form;
    std::string name;
    bool is_output;
    std::size_t number;
};

std::vector<Named> named_operands(const ElementwiseForm& form) {
    std::vector<Named> all;
    for (std::size_t k = 0; k < form.outputs.size(); ++k)
        all.push_back({form.outputs[k].operand, fmt::format("o{}", k), true, k});
    for (std::size_t k = 0; k < form.inputs.size(); ++k)
        all.push_back({form.inputs[k], fmt::format("i{}", k), false, k});
    return all;
}

void write_parameters(Text to, const ElementwiseForm& form, const std::vector<Named>& operands) {
    fmt::format_to(to, "const {} count", form.wide ? "long long" : "unsigned");
    if (form.dimensions) fmt::format_to(to, ", const Geometry geometry");
    for (const Named& each : operands) {
        const char* const constant = each.is_output ? "" : "const ";
        if (each.form.access == Access::value)
            fmt::format_to(to, ", const {} {}", each.form.stored, each.name);
        else fmt::format_to(to, ", {}{}* {}", constant, each.form.stored, each.name);
    }
}

/// What stands for the element of `each`; `index` is that of flat ones.
std::string element(const Named& each, std::string_view index) {
    switch (each.form.access) {
    case Access::flat: return fmt::format("{}[{}]", each.name, index);
    case Access::one: return fmt::format("{}[0]", each.name);
    case Access::value: return each.name;
    case Access::strided: break;
    }
    const char* const constant = each.is_output ? "" : "const ";
    return fmt::format("*({0}{1}*)(({0}char*){2} + {2}_at)", constant, each.form.stored, each.name);
}

/// One element, `element_of` says what stands for an operand's. All is read before the first is
/// written: outputs may lie where inputs do.
template <class Element>
void write_body(std::string& text, const ElementwiseForm& form, const std::vector<Named>& operands,
                const char* indent, const Element& element_of) {
    const Text to = std::back_inserter(text);
    std::vector<std::string_view> types;
    for (const Named& each : operands) {
        if (each.is_output) continue;
        fmt::format_to(to, "{}const {} in{} = {};\n", indent, each.form.stored, each.number,
                       element_of(each));
        types.push_back(each.form.stored);
    }
    write_statements(text, form.statements, types, indent);
    for (const Named& each : operands)
        if (each.is_output)
            fmt::format_to(to, "{}{} = v{};\n", indent, element_of(each),
                           form.outputs[each.number].value);
}

void write_geometry(Text to, const ElementwiseForm& form, std::size_t strided) {
    if (form.wide)
        fmt::format_to(to, "struct Geometry {{ long long size[{0}], stride[{1}]; }};\n",
                       form.dimensions, strided * form.dimensions);
    else
        fmt::format_to(to,
                       "struct Geometry {{ unsigned size[{0}], multiply[{0}], shift[{0}]; int "
                       "stride[{1}]; }};\n",
                       form.dimensions, strided * form.dimensions);
}

/// Offsets of the strided operands for element `i`.
void write_offsets(Text to, const ElementwiseForm& form, const std::vector<Named>& operands) {
    const char* const index = form.wide ? "unsigned long long" : "unsigned";
    const char* const offset = form.wide ? "long long" : "int";
    for (const Named& each : operands)
        if (each.form.access == Access::strided)
            fmt::format_to(to, "        {} {}_at = 0;\n", offset, each.name);
    fmt::format_to(to, "        {} left = i;\n", index);
    for (unsigned axis = form.dimensions; axis-- > 0;) {
        fmt::format_to(to, "        {{\n");
        if (axis == 0) fmt::format_to(to, "            const {} at = left;\n", offset);
        else if (form.wide)
            fmt::format_to(to,
                           "            const {0} next = left / geometry.size[{1}];\n"
                           "            const {2} at = left - next * geometry.size[{1}];\n",
                           index, axis, offset);
        else
            fmt::format_to(
                to,
                "            const {0} next = (__umulhi(left, geometry.multiply[{1}]) + left) >> "
                "geometry.shift[{1}];\n"
                "            const {2} at = left - next * geometry.size[{1}];\n",
                index, axis, offset);
        unsigned number = 0;
        for (const Named& each : operands)
            if (each.form.access == Access::strided)
                fmt::format_to(to, "            {}_at += at * geometry.stride[{}];\n", each.name,
                               number++ * form.dimensions + axis);
        if (axis != 0) fmt::format_to(to, "            left = next;\n");
        fmt::format_to(to, "        }}\n");
    }
}

/// Elements one by one, from `begin` to the count.
void write_single_loop(std::string& text, const ElementwiseForm& form,
                       const std::vector<Named>& operands, std::string_view begin) {
    const Text to = std::back_inserter(text);
    const char* const index = form.wide ? "long long" : "unsigned";
    fmt::format_to(to, "    for ({} i = {}; i < count; i += step) {{\n", index, begin);
    if (form.dimensions) write_offsets(to, form, operands);
    write_body(text, form, operands, "        ",
               [](const Named& each) { return element(each, "i"); });
    fmt::format_to(to, "    }}\n");
}

/// Groups of `form.vector` elements by one access for each operand.
void write_group_loop(std::string& text, const ElementwiseForm& form,
                      const std::vector<Named>& operands) {
    const Text to = std::back_inserter(text);
    const char* const index = form.wide ? "long long" : "unsigned";
    fmt::format_to(to, "    for ({} g = first; g < count / {}; g += step) {{\n", index,
                   form.vector);
    for (const Named& each : operands)
        if (each.form.access == Access::flat) {
            fmt::format_to(to, "        Group<{}> {}_group", each.form.stored, each.name);
            if (!each.is_output)
                fmt::format_to(to, " = ((const Group<{}>*){})[g]", each.form.stored, each.name);
            fmt::format_to(to, ";\n");
        }
    fmt::format_to(to, "        #pragma unroll\n        for (int k = 0; k < {}; ++k) {{\n",
                   form.vector);
    if (std::string_view{form.statements[0].loop.text}.find("(i)") != std::string_view::npos)
        fmt::format_to(to, "            const {0} i = g * {1} + k;\n", index, form.vector);
    write_body(text, form, operands, "            ", [](const Named& each) {
        return each.form.access == Access::flat ? fmt::format("{}_group.of[k]", each.name)
                                                : element(each, "");
    });
    fmt::format_to(to, "        }}\n");
    for (const Named& each : operands)
        if (each.is_output)
            fmt::format_to(to, "        ((Group<{}>*){})[g] = {}_group;\n", each.form.stored,
                           each.name, each.name);
    fmt::format_to(to, "    }}\n");
}

void write_statement(std::string& text, const StatementForm& form, std::size_t first_value,
                     std::span<const DType> values, std::span<const std::string_view> input_types,
                     std::string_view indent) {
    const Text to = std::back_inserter(text);
    const std::string_view words = form.loop.text;
    const auto says = [&](std::string_view word) { return words.find(word) != words.npos; };
    for (std::size_t k = 0; k < form.outputs.size(); ++k)
        fmt::format_to(to, "{}{} v{};\n", indent, kernel_type(form.outputs[k]), first_value + k);
    fmt::format_to(to, "{}{{\n", indent);
    if (says("kBits"))
        fmt::format_to(to, "{}    constexpr int kBits = {};\n", indent,
                       item_bytes(form.loop.inputs[0]) * 8);
    for (std::size_t k = 0; k < form.outputs.size(); ++k) {
        if (says(fmt::format("R{}", k)))
            fmt::format_to(to, "{}    typedef {} R{};\n", indent, kernel_type(form.outputs[k]), k);
        fmt::format_to(to, "{}    {} r{};\n", indent, compute_type(form.loop.outputs[k]), k);
    }
    for (std::size_t k = 0; k < form.inputs.size(); ++k) {
        const auto [is_value, number] = form.inputs[k];
        if (says(fmt::format("A{}", k)))
            fmt::format_to(to, "{}    typedef {} A{};\n", indent,
                           is_value ? kernel_type(values[number]) : input_types[number], k);
        fmt::format_to(to, "{}    const {} a{} = lathe::cast<{}>({}{});\n", indent,
                       compute_type(form.loop.inputs[k]), k, compute_type(form.loop.inputs[k]),
                       is_value ? "v" : "in", number);
    }
    fmt::format_to(to, "{}    {{ {}; }}\n", indent, words);
    for (std::size_t k = 0; k < form.outputs.size(); ++k)
        fmt::format_to(to, "{}    v{} = lathe::cast<{}>(r{});\n", indent, first_value + k,
                       kernel_type(form.outputs[k]), k);
    fmt::format_to(to, "{}}}\n", indent);
}

} // namespace

std::string_view stored_type(DType dtype, bool is_parameter) {
    return is_parameter && dtype == DType::float16 ? "float" : kernel_type(dtype);
}

void write_statements(std::string& to, std::span<const StatementForm> statements,
                      std::span<const std::string_view> input_types, std::string_view indent) {
    std::vector<DType> values;
    for (const StatementForm& each : statements) {
        write_statement(to, each, values.size(), values, input_types, indent);
        values.insert(values.end(), each.outputs.begin(), each.outputs.end());
    }
}

std::string elementwise_source(const ElementwiseForm& form, std::string_view entry) {
    const std::vector<Named> operands = named_operands(form);
    std::size_t strided = 0;
    for (const Named& each : operands) strided += each.form.access == Access::strided;
    std::string text;
    const Text to = std::back_inserter(text);
    if (form.dimensions) write_geometry(to, form, strided);
    if (form.vector > 1)
        fmt::format_to(
            to, "template <class T> struct __align__(sizeof(T) * {0}) Group {{ T of[{0}]; }};\n",
            form.vector);
    fmt::format_to(to, "extern \"C\" __global__ void {}(", entry);
    write_parameters(to, form, operands);
    const char* const index = form.wide ? "long long" : "unsigned";
    fmt::format_to(to, ") {{\n    const {0} step = ({0})gridDim.x * blockDim.x;\n", index);
    fmt::format_to(to, "    const {0} first = ({0})blockIdx.x * blockDim.x + threadIdx.x;\n",
                   index);
    if (form.vector > 1) {
        write_group_loop(text, form, operands);
        write_single_loop(text, form, operands,
                          fmt::format("count / {0} * {0} + first", form.vector));
    } else {
        write_single_loop(text, form, operands, "first");
    }
    fmt::format_to(to, "}}\n");
    std::string headers;
    if (text.find("complex<") != text.npos) headers += "#include <pycuda-complex.hpp>\n";
    if (text.find("lathe::half") != text.npos) headers += "#include <lathe_half.hpp>\n";
    headers += "#include <lathe_numbers.hpp>\n";
    if (text.find("complex<") != text.npos) headers += "#include <lathe_complex.hpp>\n";
    return headers + text;
}

Geometry::Geometry(const Extents& shape, std::span<const Extents* const> strides, bool wide) {
    const std::size_t axes = shape.size();
    if (wide) {
        for (const std::int64_t size : shape) words_.push_back(static_cast<std::uint64_t>(size));
        for (const Extents* each : strides)
            for (const std::int64_t stride : *each)
                words_.push_back(static_cast<std::uint64_t>(stride));
        return;
    }
    std::vector<std::uint32_t> narrow(3 * axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto size = static_cast<std::uint64_t>(shape[axis]);
        const unsigned shift = static_cast<unsigned>(std::bit_width(size - 1)); // ceil(log2(size))
        narrow[axis] = static_cast<std::uint32_t>(size);
        narrow[axes + axis] = static_cast<std::uint32_t>(
            (std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - size) / size + 1);
        narrow[2 * axes + axis] = shift;
    }
    for (const Extents* each : strides)
        for (const std::int64_t stride : *each)
            narrow.push_back(static_cast<std::uint32_t>(stride));
    words_.resize((narrow.size() + 1) / 2);
    std::memcpy(words_.data(), narrow.data(), narrow.size() * sizeof(std::uint32_t));
}

} // namespace lathe::gpu
