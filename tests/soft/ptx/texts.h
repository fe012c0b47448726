// SPDX-License-Identifier: MIT
// The hand-written PTX texts of tests/soft/ptx/texts.
#pragma once

#include "gpu/ptx/parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace lathe::ptx::test {

inline std::string text(const std::string& name) {
    std::ifstream file{std::string{LATHE_TEST_TEXTS "/"} + name + ".ptx"};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// The tree of a text that must be right.
inline Module parsed(std::string_view source) {
    ParseResult result = parse(source);
    for (const Diagnostic& error : result.errors) ADD_FAILURE() << to_string(error);
    return std::move(result.module);
}

/// The tree of `body` in an entry with registers of every kind.
inline Module parsed_body(const std::string& body) {
    return parsed(
        ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
        ".reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n" +
        body + "\n}\n");
}

/// The first instruction of `body`.
inline Instruction instruction(const std::string& body) {
    const Module module = parsed_body(body);
    for (const Function& function : module.functions)
        for (const Statement& statement : function.body.statements)
            if (const auto* found = std::get_if<Instruction>(&statement)) return *found;
    ADD_FAILURE() << "no instruction in " << body;
    return {};
}

} // namespace lathe::ptx::test
