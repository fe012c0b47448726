// SPDX-License-Identifier: MIT
#include "gpu/inspect/line_expression.h"

#include "engine/core/error.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace lathe::gpu {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// As CUDA C++ spells a variable's type; empty where the expression cannot have it.
std::string spelling(const ptx::ParameterType& type) {
    using enum ptx::ParameterType::Kind;
    const auto by_size = [&](const char* one, const char* two, const char* four,
                             const char* eight) -> std::string {
        return type.bytes == 1   ? one
               : type.bytes == 2 ? two
               : type.bytes == 4 ? four
               : type.bytes == 8 ? eight
                                 : "";
    };
    switch (type.kind) {
    case boolean: return "bool";
    case signed_integer:
    case enumeration: return by_size("signed char", "short", "int", "long long");
    case unsigned_integer:
    case pointer:
        return by_size("unsigned char", "unsigned short", "unsigned", "unsigned long long");
    case floating: return by_size("", "", "float", "double");
    default: return {};
    }
}

constexpr std::string_view kEntry = "lathe_line_expression";

/// The kernel: it reads the used variables' values of its thread, under their own names.
std::string source_of(const std::string& expression,
                      const std::vector<const ptx::LineVariable*>& used, std::uint32_t needed) {
    std::string parameters, reads;
    for (std::size_t k = 0; k < used.size(); ++k) {
        const std::string& name = used[k]->type.name;
        parameters += fmt::format(", const char* lathe_{}", k);
        reads += fmt::format("    {0} {1}; memcpy(&{1}, lathe_{2} + lathe_i * {3}, sizeof {1});\n",
                             spelling(used[k]->type), name, k, used[k]->stride);
    }
    return fmt::format("#include <cuda_fp16.h>\n"
                       "extern \"C\" __global__ void {}(double* lathe_out, size_t lathe_n,\n"
                       "        const unsigned* lathe_seen{}) {{\n"
                       "    size_t lathe_i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                       "    if (lathe_i >= lathe_n) return;\n"
                       "    lathe_out[lathe_i] = __longlong_as_double(0x7ff8000000000000);\n"
                       "    if ((lathe_seen[lathe_i] & {}u) != {}u) return;\n"
                       "{}"
                       "    lathe_out[lathe_i] = double(\n"
                       "#line 1 \"expression\"\n"
                       "{}\n"
                       "    );\n}}\n",
                       kEntry, parameters, needed, needed, reads, expression);
}

} // namespace

std::vector<std::string> names_in(std::string_view expression) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < expression.size();) {
        if (!is_word(expression[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < expression.size() && is_word(expression[at])) ++at;
        const std::string name{expression.substr(begin, at - begin)};
        if (std::isdigit(static_cast<unsigned char>(name.front()))) {
            // A number, which its fraction belongs to, is no name: 1e-3f, 0x1p4, 2.5f.
            while (at < expression.size() && (is_word(expression[at]) || expression[at] == '.'))
                ++at;
            continue;
        }
        const auto before = expression.substr(0, begin).find_last_not_of(" \t");
        const bool is_member = before != expression.npos && expression[before] == '.';
        const auto after = expression.find_first_not_of(" \t", at);
        const bool is_call = after != expression.npos && expression[after] == '(';
        if (!is_member && !is_call && std::ranges::find(names, name) == names.end())
            names.push_back(name);
    }
    return names;
}

LineExpression::LineExpression(std::string expression,
                               const std::vector<LineValues::Variable>& variables)
    : text_{std::move(expression)} {
    std::vector<const ptx::LineVariable*> used;
    std::uint32_t needed = 0;
    const std::vector<std::string> names = names_in(text_);
    for (std::size_t v = 0; v < variables.size(); ++v) {
        const ptx::LineVariable& variable = variables[v].is;
        if (std::ranges::find(names, variable.type.name) == names.end()) continue;
        if (spelling(variable.type).empty())
            throw lathe::Error{fmt::format("{}: '{}' is a {}, and an expression takes numbers",
                                           text_, variable.type.name, variable.type.type_name)};
        used.push_back(&variable);
        used_.push_back(v);
        needed |= 1u << v;
    }
    CompileRequest request;
    request.source = source_of(text_, used, needed);
    request.name = "expression";
    module_ = Module{compile_or_throw(request)};
    kernel_ = module_.kernel(std::string{kEntry});
}

DeviceSpan<const double> LineExpression::compute(const LineValues& values) {
    std::size_t threads = values.threads.total();
    const std::size_t bytes = threads * sizeof(double);
    if (numbers_.bytes() != bytes) {
        numbers_ = {};
        numbers_ = DeviceBuffer{bytes};
    }
    CUdeviceptr out = numbers_.address(), seen = values.seen;
    std::vector<CUdeviceptr> planes;
    for (const std::size_t v : used_) planes.push_back(values.variables.at(v).values);
    std::vector<void*> arguments{&out, &threads, &seen};
    for (CUdeviceptr& plane : planes) arguments.push_back(&plane);
    constexpr unsigned kBlock = 256;
    const auto blocks = static_cast<unsigned>((threads + kBlock - 1) / kBlock);
    kernel_.launch({{blocks}, {kBlock}}, arguments.data());
    Context::current().synchronize();
    return {out, threads};
}

} // namespace lathe::gpu
