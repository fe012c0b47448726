// SPDX-License-Identifier: MIT
// What the lanes of a warp tell each other. Rows are threads, 32 of them a warp.
#include "tests/soft/recorded/op_case.h"

#include <fmt/format.h>

#include <tuple>

namespace lathe::recorded {

void add_warp_cases(std::vector<Case>& cases) {
    const auto add = [&](const std::string& text, const std::string& types) {
        const soft::test::Op op{text, types, {}};
        const std::string name = fmt::format("warps/{}", short_name(op));
        cases.push_back(
            {name, [name, op](Session& session) { return run_op(session, name, op, {}); }});
    };
    const std::string with_predicate = " @%p xor.b32 %d, %d, 0x5a5a0000;";
    for (const std::string mode : {"up", "down", "bfly", "idx"})
        for (const std::string clamp :
             {mode == "up" ? "0" : "31", mode == "up" ? "0x1800" : "0x181f",
              mode == "up" ? "0x1000" : "0x100f", mode == "up" ? "3" : "13"}) {
            // A shift that all lanes have, and one of each lane's own.
            add(fmt::format("shfl.sync.{}.b32 %d|%p, %a, 3, {}, -1;", mode, clamp) + with_predicate,
                "u32 u32 u32");
            add(fmt::format("shfl.sync.{}.b32 %d|%p, %a, %b, {}, -1;", mode, clamp) +
                    with_predicate,
                "u32 u32 u32");
        }
    add("shfl.sync.idx.b32 %d, %a, %b, %c, -1;", "u32 u32 u32 u32");
    const std::string odd = "and.b32 %r, %a, 1; setp.ne.u32 %p, %r, 0; ";
    add(odd + "vote.sync.ballot.b32 %d, %p, -1;", "u32 u32");
    add(odd + "vote.sync.any.pred %d, %p, -1;", "pred u32");
    add(odd + "vote.sync.all.pred %d, %p, -1;", "pred u32");
    add(odd + "vote.sync.uni.pred %d, %p, -1;", "pred u32");
    add("setp.ge.u32 %p, %a, 0; vote.sync.all.pred %d, !%p, -1;", "pred u32");
    add("and.b32 %r, %a, 3; match.any.sync.b32 %d, %r, -1;", "u32 u32");
    add("match.any.sync.b32 %d, %a, -1;", "u32 u32");
    add("match.any.sync.b64 %d, %a, -1;", "u32 u64");
    add("match.all.sync.b32 %d|%p, %a, -1; @%p add.u32 %d, %d, 1;", "u32 u32");
    add("mov.u32 %r, %ctaid.x; match.all.sync.b32 %d|%p, %r, -1; @%p xor.b32 %d, %d, 5;",
        "u32 u32");
    for (const std::string operation : {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32",
                                        "max.s32", "and.b32", "or.b32", "xor.b32"})
        add(fmt::format("redux.sync.{} %d, %a, -1;", operation), "u32 u32");
    // Halves of a warp by themselves.
    add("mov.u32 %r, %laneid; setp.lt.u32 %p, %r, 13; selp.u32 %r, 0x1fff, 0xffffe000, %p; "
        "redux.sync.add.u32 %d, %a, %r;",
        "u32 u32");
    add("mov.u32 %r, %laneid; setp.lt.u32 %p, %r, 13; selp.u32 %r, 0x1fff, 0xffffe000, %p; "
        "match.any.sync.b32 %d, 7, %r;",
        "u32 u32");
    add("mov.u32 %r, %laneid; setp.lt.u32 %p, %r, 13; selp.u32 %r, 0x1fff, 0xffffe000, %p; "
        "setp.gt.u32 %q, %a, 100; vote.sync.ballot.b32 %d, %q, %r;",
        "u32 u32");
    for (const std::string name : {"lt", "le", "eq", "ge", "gt"})
        add(fmt::format("mov.u32 %d, %lanemask_{};", name), "u32 u32");
    add("mov.u32 %r, %laneid; mov.u32 %d, %nwarpid; mad.lo.u32 %d, %d, 100, %r;", "u32 u32");
    add("activemask.b32 %d;", "u32 u32");
    add("{ .reg .b32 ch; elect.sync ch|%p, -1; selp.u32 %d, 7, 3, %p; add.u32 %d, %d, ch; }",
        "u32 u32");
    add(odd + "barrier.red.popc.u32 %d, 0, %p;", "u32 u32");
    add(odd + "bar.red.and.pred %d, 0, %p;", "pred u32");
    add(odd + "bar.red.or.pred %d, 0, %p;", "pred u32");
    add("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", "u32 u32");
    add("{ .shared .align 16 .b8 place[2048]; mov.u32 %r, %tid.x; mad.lo.u32 %r, %r, 16, 0; "
        "mov.u32 %d, place; add.u32 %r, %r, %d; st.shared.v4.b32 [%r], {%a, %b, %a, %b}; "
        "bar.warp.sync -1; .reg .b32 x, y, z; "
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%d, x, y, z}, [%r]; "
        "mad.lo.u32 %d, %d, 3, x; mad.lo.u32 %d, %d, 5, y; mad.lo.u32 %d, %d, 7, z; }",
        "u32 u32 u32");
}

} // namespace lathe::recorded
