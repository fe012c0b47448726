// SPDX-License-Identifier: MIT
// One instruction a case: those of tests/soft/jit/ops.h, whose host functions are not used here.
#include "tests/soft/jit/ops.h"
#include "tests/soft/recorded/compare.h"
#include "tests/soft/recorded/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <regex>
#include <sstream>

namespace lathe::recorded {
namespace {

constexpr unsigned kThreads = 128;
constexpr std::size_t kRows = 1024;

Type type_of(const std::string& name) {
    if (name == "pred") return Type::b32;
    if (name == "f16") return Type::f16;
    if (name == "bf16") return Type::bf16;
    if (name == "f32") return Type::f32;
    if (name == "f64") return Type::f64;
    const int bits = std::stoi(name.substr(name.find_first_of("0123456789")));
    return bits == 8 ? Type::b8 : bits == 16 ? Type::b16 : bits == 32 ? Type::b32 : Type::b64;
}

/// Of the result: what floats a register of plain bits holds, the instruction says.
Type result_type(const soft::test::Op& op) {
    const std::string type = soft::test::types_of(op)[0];
    if (type != "u32" || op.text.starts_with("set.")) return type_of(type);
    std::istringstream words{op.text.substr(0, op.text.find(' '))};
    for (std::string word; std::getline(words, word, '.');) {
        if (word == "f16x2") return Type::f16x2;
        if (word == "bf16x2") return Type::bf16x2;
        if (word == "tf32") return Type::f32;
        static const std::regex kOther{"[usfbe][0-9]+(m[0-9])?(x[24])?"};
        if (std::regex_match(word, kOther)) break; // the result's type comes first
    }
    return Type::b32;
}

} // namespace

std::vector<Part> run_op(Session& session, const std::string& name, const soft::test::Op& op,
                         Tolerance tolerance) {
    std::vector<soft::test::Inputs> rows = soft::test::rows_of(op);
    // A sample of all in the first rows, whose values are kept.
    std::mt19937 random{7};
    for (std::size_t k = rows.size(); k > 1; --k) std::swap(rows[k - 1], rows[random() % k]);
    if (rows.size() > kRows) rows.resize(kRows);
    const std::size_t count = rows.size();
    std::vector<bool> open = open_rows(name, rows);
    while (rows.size() % kThreads) rows.push_back(rows.back());
    std::vector<std::uint64_t> in;
    for (const soft::test::Inputs& row : rows) in.insert(in.end(), row.begin(), row.end());
    if (in.empty()) in.resize(rows.size());
    CUfunction const f = session.function(soft::test::kernel_of(op), "op");
    const Memory from = session.upload(in), to{8 * rows.size()};
    session.launch(f, {{static_cast<unsigned>(rows.size()) / kThreads, 1, 1}, {kThreads, 1, 1}},
                   from.get(), to.get());
    Part result = part("", result_type(op), to.read<std::uint64_t>(count), tolerance);
    result.open = std::move(open);
    return {std::move(result)};
}

std::string short_name(const soft::test::Op& op) {
    std::string name = op.text;
    if (name.size() > 90) name.resize(90);
    return name;
}

void add_op_cases(std::vector<Case>& cases) {
    for (auto* const list : {soft::test::convert_ops, soft::test::float_ops,
                             soft::test::integer_ops, soft::test::carry_ops})
        for (const soft::test::OpGroup& group : list())
            for (const soft::test::Op& op : group.ops) {
                const std::string name = fmt::format("ops/{}/{}", group.name, short_name(op));
                cases.push_back({name, [name, op](Session& session) {
                                     return run_op(session, name, op, tolerance_of(op.text));
                                 }});
            }
}

} // namespace lathe::recorded
