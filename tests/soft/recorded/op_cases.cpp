// SPDX-License-Identifier: MIT
// One instruction a case: those of tests/soft/jit/ops.h, whose host functions are not used here.
#include "tests/soft/jit/ops.h"
#include "tests/soft/recorded/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

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

} // namespace

std::vector<Part> run_op(Session& session, const soft::test::Op& op, Tolerance tolerance) {
    std::vector<soft::test::Inputs> rows = soft::test::rows_of(op);
    // A sample of all in the first rows, whose values are kept.
    std::mt19937 random{7};
    for (std::size_t k = rows.size(); k > 1; --k) std::swap(rows[k - 1], rows[random() % k]);
    if (rows.size() > kRows) rows.resize(kRows);
    const std::size_t count = rows.size();
    while (rows.size() % kThreads) rows.push_back(rows.back());
    std::vector<std::uint64_t> in;
    for (const soft::test::Inputs& row : rows) in.insert(in.end(), row.begin(), row.end());
    if (in.empty()) in.resize(rows.size());
    CUfunction const f = session.function(soft::test::kernel_of(op), "op");
    const Memory from = session.upload(in), to{8 * rows.size()};
    session.launch(f, {{static_cast<unsigned>(rows.size()) / kThreads, 1, 1}, {kThreads, 1, 1}},
                   from.get(), to.get());
    return {
        part("", type_of(soft::test::types_of(op)[0]), to.read<std::uint64_t>(count), tolerance)};
}

std::string short_name(const soft::test::Op& op) {
    std::string name = op.text;
    if (name.size() > 90) name.resize(90);
    return name;
}

void add_op_cases(std::vector<Case>& cases) {
    for (auto* const list :
         {soft::test::convert_ops, soft::test::float_ops, soft::test::integer_ops})
        for (const soft::test::OpGroup& group : list())
            for (const soft::test::Op& op : group.ops) {
                cases.push_back(
                    {fmt::format("ops/{}/{}", group.name, short_name(op)), [op](Session& session) {
                         return run_op(session, op, tolerance_of(op.text));
                     }});
            }
}

} // namespace lathe::recorded
