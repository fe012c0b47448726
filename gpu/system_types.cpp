// SPDX-License-Identifier: MIT
#include "gpu/system_types.h"

#include <fmt/core.h>

#include <array>
#include <set>
#include <string_view>

namespace lathe::gpu {

namespace {

struct SystemType {
    std::string_view name;
    std::string_view is;
};

// As the GNU C library has them on 64-bit machines.
constexpr std::array<SystemType, 19> kTypes{{
    {"uint", "unsigned int"},
    {"ushort", "unsigned short"},
    {"ulong", "unsigned long"},
    {"u_char", "unsigned char"},
    {"u_short", "unsigned short"},
    {"u_int", "unsigned int"},
    {"u_long", "unsigned long"},
    {"quad_t", "long"},
    {"u_quad_t", "unsigned long"},
    {"u_int8_t", "unsigned char"},
    {"u_int16_t", "unsigned short"},
    {"u_int32_t", "unsigned int"},
    {"u_int64_t", "unsigned long"},
    {"ssize_t", "long"},
    {"off_t", "long"},
    {"loff_t", "long"},
    {"time_t", "long"},
    {"key_t", "int"},
    {"caddr_t", "char*"},
}};

// Of <stdint.h>; the library declares half of them in <sys/types.h>.
constexpr std::array<std::string_view, 10> kFixedSizes{
    "int8_t",  "int16_t",  "int32_t",  "int64_t",  "intptr_t",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t",
};

std::string declaration(const SystemType& type) {
    return fmt::format("typedef {} {};\n", type.is, type.name);
}

} // namespace

std::string system_types_header() {
    std::string text = "#pragma once\n#include <stdint.h>\n#include <stddef.h>\n";
    for (const SystemType& type : kTypes) text += declaration(type);
    return text;
}

std::string declare_undefined_types(std::span<const Diagnostic> diagnostics) {
    constexpr std::string_view before = "identifier \"", after = "\" is undefined";
    std::set<std::string_view> undefined;
    for (const Diagnostic& each : diagnostics) {
        std::string_view text = each.text;
        if (!text.starts_with(before) || !text.ends_with(after)) continue;
        text.remove_prefix(before.size());
        text.remove_suffix(after.size());
        undefined.insert(text);
    }
    std::string declared;
    for (const std::string_view name : kFixedSizes)
        if (undefined.contains(name)) {
            declared = "#include <stdint.h>\n";
            break;
        }
    for (const SystemType& type : kTypes)
        if (undefined.contains(type.name)) declared += declaration(type);
    return declared;
}

} // namespace lathe::gpu
