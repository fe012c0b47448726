// SPDX-License-Identifier: MIT
#include "gpu/array/reduction_source.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>

namespace lathe::gpu {

namespace {

using Text = std::back_insert_iterator<std::string>;

template <class... Args> void put(Text to, fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(to, form, std::forward<Args>(args)...);
}

void write_plan(Text to, const ReductionForm& form) {
    put(to,
        "struct Plan {{\n"
        "    long long kept, reduced, part_size, parts;\n"
        "    double count, parameter;\n"
        "    unsigned* tickets;\n    void* states;\n    const {}* table;\n    char* output;\n"
        "    long long kept_size[{}], reduced_size[{}], output_stride[{}];\n",
        form.table.empty() ? "void" : form.table, form.kept_axes, form.reduced_axes,
        form.kept_axes);
    for (std::size_t k = 0; k < form.read.size(); ++k)
        put(to, "    const char* a{0};\n    long long a{0}_kept[{1}], a{0}_reduced[{2}];\n", k,
            form.kept_axes, form.reduced_axes);
    for (std::size_t k = 0; k < form.numbers.size(); ++k)
        put(to, "    unsigned long long n{}[2];\n", k);
    put(to, "}};\n");
}

/// Statements that add to `names` what element `left` of some axes is off.
void write_offsets(Text to, std::string_view axes, unsigned count, bool narrow,
                   std::span<const std::string> names, std::span<const std::string> strides) {
    const auto add = [&](std::string_view at, unsigned axis) {
        for (std::size_t k = 0; k < names.size(); ++k)
            put(to, "            {} += {} * plan.{}[{}];\n", names[k], at, strides[k], axis);
    };
    for (unsigned axis = count; axis-- > 1;) {
        put(to, "        {{\n");
        if (narrow)
            put(to,
                "            const unsigned size = plan.{0}_size[{1}], next = unsigned(left) / "
                "size;\n            const long long at = unsigned(left) - next * size;\n",
                axes, axis);
        else
            put(to,
                "            const long long size = plan.{0}_size[{1}], next = left / size, at = "
                "left - next * size;\n",
                axes, axis);
        add("at", axis);
        put(to, "            left = next;\n        }}\n");
    }
    add("left", 0);
}

void write_load(Text to, const ReductionForm& form, bool some) {
    put(to, "    __device__ __forceinline__ Raw {}(long long at{}) const {{\n        Raw raw;\n",
        some ? "load_some" : "load", some ? ", int count" : "");
    const std::size_t operands = form.read.size(), loaded = operands - form.stored.size();
    if (!form.table.empty()) {
        put(to, "        const long long place = plan.table[at];\n");
        for (std::size_t k = 0; k < operands; ++k)
            put(to, "        raw.a{0}.of[0] = ((const A{0}*)a{0})[place];\n", k);
    } else if (form.flat) {
        if (!form.stored.empty()) put(to, "        raw.at = at;\n");
        for (std::size_t k = 0; k < loaded; ++k)
            if (form.aligned && !some)
                put(to, "        raw.a{0} = *(const Group<A{0}>*)((const A{0}*)a{0} + at);\n", k);
            else
                put(to,
                    "        #pragma unroll\n        for (int k = 0; k < kGroup; ++k)\n"
                    "            {1}raw.a{0}.of[k] = ((const A{0}*)a{0})[at + k];\n",
                    k, some ? "if (k < count) " : "");
    } else {
        const bool loops = form.group > 1; // of mapped values, whose arrays are not flat
        std::vector<std::string> names, strides;
        if (loops)
            put(to, "        #pragma unroll\n        for (int k = 0; k < kGroup; ++k) {}{{\n",
                some ? "if (k < count) " : "");
        for (std::size_t k = 0; k < operands; ++k) {
            names.push_back(fmt::format("at{}", k));
            strides.push_back(fmt::format("a{}_reduced", k));
            put(to, "        long long at{} = 0;\n", k);
        }
        put(to, "        long long left = at{};\n", loops ? " + k" : "");
        write_offsets(to, "reduced", form.reduced_axes, form.narrow, names, strides);
        for (std::size_t k = 0; k < loaded; ++k)
            put(to, "        raw.a{0}.of[{1}] = *(const A{0}*)(a{0} + at{0});\n", k,
                loops ? "k" : "0");
        for (std::size_t k = loaded; k < operands; ++k)
            put(to, "        raw.to{0}[{1}] = at{0};\n", k, loops ? "k" : "0");
        if (loops) put(to, "        }}\n");
    }
    put(to, "        return raw;\n    }}\n");
}

void write_source(Text to, const ReductionForm& form) {
    put(to, "struct Source {{\n    static constexpr int kGroup = ::kGroup;\n    struct Raw {{ ");
    const std::size_t loaded = form.read.size() - form.stored.size();
    for (std::size_t k = 0; k < loaded; ++k) put(to, "Group<A{0}> a{0}; ", k);
    if (form.flat && !form.stored.empty()) put(to, "long long at; ");
    for (std::size_t k = loaded; k < form.read.size() && !form.flat; ++k)
        put(to, "long long to{}[kGroup]; ", k);
    put(to, "}};\n    const Plan& plan;\n");
    for (std::size_t k = 0; k < form.read.size(); ++k) put(to, "    const char* a{};\n", k);
    write_load(to, form, false);
    write_load(to, form, true);
    put(to, "    __device__ __forceinline__ auto value(const Raw& raw, int k) const {{\n");
    for (std::size_t k = 0; k < loaded; ++k)
        put(to, "        const A{0} {1}{0} = raw.a{0}.of[k];\n", k, form.map.empty() ? "x" : "in");
    for (std::size_t k = 0; k < form.numbers.size(); ++k)
        put(to, "        const {0} in{1} = *(const {0}*)plan.n{2};\n", form.numbers[k], loaded + k,
            k);
    if (!form.map.empty())
        put(to, "{}        const {} x0 = {};\n", form.map, form.mapped_type, form.mapped);
    for (std::size_t k = loaded; k < form.read.size(); ++k)
        if (form.flat)
            put(to, "        ((A{0}*)a{0})[raw.at + k] = {1};\n", k, form.stored[k - loaded]);
        else put(to, "        *(A{0}*)(a{0} + raw.to{0}[k]) = {1};\n", k, form.stored[k - loaded]);
    if (form.element.find("power") != std::string_view::npos)
        put(to, "        const double power = plan.parameter;\n");
    put(to,
        "        return {};\n    }}\n"
        "    __device__ __forceinline__ long long place(long long at) const {{ return at; }}\n"
        "}};\n",
        form.element);
}

void write_problem(Text to, const ReductionForm& form) {
    put(to,
        "struct Problem {{\n    const Plan& plan;\n    long long kept, reduced, part_size;\n"
        "    unsigned parts;\n    unsigned* tickets;\n    void* states;\n    lathe::Facts facts;\n"
        "    __device__ __forceinline__ Source source(long long left) const {{\n"
        "        Source from{{plan");
    std::vector<std::string> names, strides;
    for (std::size_t k = 0; k < form.read.size(); ++k) {
        put(to, ", plan.a{}", k);
        names.push_back(fmt::format("from.a{}", k));
        strides.push_back(fmt::format("a{}_kept", k));
    }
    put(to, "}};\n");
    write_offsets(to, "kept", form.kept_axes, form.narrow, names, strides);
    put(to,
        "        return from;\n    }}\n"
        "    template <class R> __device__ __forceinline__ void store(long long left, const R& r) "
        "const {{\n        char* to = plan.output;\n");
    names = {"to"};
    strides = {"output_stride"};
    write_offsets(to, "kept", form.kept_axes, form.narrow, names, strides);
    put(to, "        *({0}*)to = lathe::cast<{0}>(r);\n    }}\n}};\n", form.written);
}

bool mentions(const ReductionForm& form, std::string_view name) {
    for (const std::string_view each : form.read)
        if (each.find(name) != std::string_view::npos) return true;
    return form.state.find(name) != std::string_view::npos ||
           form.element.find(name) != std::string_view::npos ||
           form.written.find(name) != std::string_view::npos ||
           form.map.find(name) != std::string::npos;
}

} // namespace

std::string reduction_source(const ReductionForm& form, std::string_view entry) {
    std::string text;
    const Text to = std::back_inserter(text);
    if (mentions(form, "complex")) put(to, "#include <pycuda-complex.hpp>\n");
    if (mentions(form, "half")) put(to, "#include <lathe_half.hpp>\n");
    put(to, "#include <lathe_reduce.hpp>\n");
    for (std::size_t k = 0; k < form.read.size(); ++k)
        put(to, "typedef {} A{};\n", form.read[k], k);
    put(to,
        "#if __CUDA_ARCH__ >= 800\nconstexpr int kGroup = {0}, kGroups = {1};\n#else\n"
        "constexpr int kGroup = 1, kGroups = {2};\n#endif\n"
        "template <class T> struct {3} Group {{ T of[kGroup]; }};\n",
        form.group, form.groups, form.group * form.groups,
        form.aligned ? "__align__(sizeof(T) * kGroup)" : "");
    write_plan(to, form);
    write_source(to, form);
    write_problem(to, form);
    put(to,
        "extern \"C\" __global__ void __launch_bounds__(lathe::kThreads) {}(const Plan plan) {{\n"
        "    const Problem problem{{plan, plan.kept, plan.reduced, plan.part_size, "
        "unsigned(plan.parts), plan.tickets, plan.states, {{plan.count, plan.parameter}}}};\n"
        "    lathe::reduce_by_{}<{}, kGroups, {}>(problem);\n}}\n",
        entry, form.sharing == Sharing::lanes ? "lanes" : "blocks", form.state, form.width);
    return text;
}

std::vector<std::uint64_t> ReductionPlan::words() const {
    std::vector<std::uint64_t> all;
    all.reserve(64);
    const auto add = [&](auto value) { all.push_back(std::bit_cast<std::uint64_t>(value)); };
    const auto add_all = [&](const Extents& values) {
        for (const std::int64_t value : values) add(value);
    };
    add(kept);
    add(reduced);
    add(part_size);
    add(parts);
    add(count);
    add(parameter);
    add(tickets);
    add(states);
    add(table);
    add(output);
    add_all(*kept_shape);
    add_all(*reduced_shape);
    add_all(*output_strides);
    for (const Operand& each : operands) {
        add(each.address);
        add_all(*each.kept);
        add_all(*each.reduced);
    }
    for (const auto& each : numbers) all.insert(all.end(), each.begin(), each.end());
    return all;
}

} // namespace lathe::gpu
