// SPDX-License-Identifier: MIT
// Instructions in all their forms, without a host function: types, rounding modes, flushing and
// saturation of arithmetic, every conversion, minima, comparisons, video, halves, atomics.
#include "tests/soft/recorded/op_case.h"

#include <fmt/format.h>

#include <initializer_list>

namespace lathe::recorded {
namespace {

using Texts = std::initializer_list<const char*>;

constexpr Texts kRoundings = {"rn", "rz", "rm", "rp"};
constexpr Texts kIntegers = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
constexpr Texts kTests = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

class Builder {
public:
    Builder(std::vector<Case>& cases, std::string group)
        : cases_{cases}, group_{std::move(group)} {}

    void add(const std::string& text, const std::string& types) {
        const soft::test::Op op{text, types, {}};
        const std::string name = fmt::format("{}/{}", group_, short_name(op));
        cases_.push_back({name, [name, op](Session& session) {
                              return run_op(session, name, op, tolerance_of(op.text));
                          }});
    }
    /// "add.rz.f32": `count` operands of one type like the result.
    void plain(const std::string& instruction, const std::string& type, int count) {
        static constexpr const char* kOperands[] = {" %d, %a;", " %d, %a, %b;", " %d, %a, %b, %c;"};
        std::string types = type;
        for (int k = 0; k < count; ++k) types += " " + type;
        add(instruction + kOperands[count - 1], types);
    }

private:
    std::vector<Case>& cases_;
    std::string group_;
};

/// The register type that holds an integer of this type in a conversion.
std::string held(const std::string& type) {
    return type == "u8" ? "u32" : type == "s8" ? "s32" : type;
}

void add_arithmetic(std::vector<Case>& cases) {
    Builder ops{cases, "arithmetic"};
    for (const std::string rounding : kRoundings) {
        for (const std::string name : {"add", "sub", "mul"}) {
            ops.plain(fmt::format("{}.{}.ftz.f32", name, rounding), "f32", 2);
            ops.plain(fmt::format("{}.{}.ftz.sat.f32", name, rounding), "f32", 2);
        }
        ops.plain(fmt::format("sub.{}.f64", rounding), "f64", 2);
        ops.plain(fmt::format("fma.{}.ftz.f32", rounding), "f32", 3);
        ops.plain(fmt::format("fma.{}.sat.f32", rounding), "f32", 3);
        ops.plain(fmt::format("mad.{}.f64", rounding), "f64", 3);
        ops.plain(fmt::format("div.{}.ftz.f32", rounding), "f32", 2);
        ops.plain(fmt::format("rcp.{}.ftz.f32", rounding), "f32", 1);
        ops.plain(fmt::format("sqrt.{}.ftz.f32", rounding), "f32", 1);
        ops.plain(fmt::format("rcp.{}.f64", rounding), "f64", 1);
    }
    for (const std::string name : {"min", "max"}) {
        for (const std::string form :
             {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
            for (const std::string type : {"f32", "f16"})
                ops.plain(name + form + "." + type, type, 2);
        for (const std::string form : {"", ".NaN", ".NaN.xorsign.abs"})
            ops.plain(name + form + ".bf16", "bf16", 2);
        ops.plain(name + ".f64", "f64", 2);
        for (const std::string type : {"u16", "s16", "u32", "s32", "u64", "s64"})
            ops.plain(name + "." + type, type, 2);
        for (const std::string type :
             {"u16x2", "s16x2", "relu.s16x2", "f16x2", "NaN.f16x2", "bf16x2"})
            ops.plain(name + "." + type, "u32", 2);
        ops.plain(name + ".relu.s32", "s32", 2);
    }
    for (const std::string form : {"", ".ftz", ".sat", ".ftz.sat"})
        for (const std::string name : {"add", "sub", "mul"}) {
            ops.plain(name + ".rn" + form + ".f16", "f16", 2);
            ops.plain(name + ".rn" + form + ".f16x2", "u32", 2);
        }
    for (const std::string form : {"", ".ftz", ".sat", ".relu", ".ftz.relu"}) {
        ops.plain("fma.rn" + form + ".f16", "f16", 3);
        ops.plain("fma.rn" + form + ".f16x2", "u32", 3);
    }
    for (const std::string name : {"add", "sub", "mul"}) {
        ops.plain(name + ".rn.bf16", "bf16", 2);
        ops.plain(name + ".rn.bf16x2", "u32", 2);
    }
    for (const std::string form : {"", ".relu"}) {
        ops.plain("fma.rn" + form + ".bf16", "bf16", 3);
        ops.plain("fma.rn" + form + ".bf16x2", "u32", 3);
    }
    for (const std::string name : {"abs", "neg"}) {
        for (const std::string type : {"f16", "ftz.f16"}) ops.plain(name + "." + type, "f16", 1);
        ops.plain(name + ".bf16", "bf16", 1);
        ops.plain(name + ".ftz.f32", "f32", 1);
        ops.plain(name + ".f64", "f64", 1);
        ops.plain(name + ".f16x2", "u32", 1);
        ops.plain(name + ".bf16x2", "u32", 1);
        ops.plain(name + ".s16", "s16", 1);
    }
    for (const std::string type : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        ops.plain("mul.lo." + type, type, 2);
        ops.plain("mul.hi." + type, type, 2);
        ops.plain("mad.lo." + type, type, 3);
        ops.plain("mad.hi." + type, type, 3);
        ops.plain("sad." + type, type, 3);
        // By zero the ISA leaves open what comes.
        const int bits = std::stoi(type.substr(1));
        const std::string safe = fmt::format("or.b{} %b, %b, 1; ", bits);
        ops.add(safe + "div." + type + " %d, %a, %b;", fmt::format("{0} {0} {0}", type));
        ops.add(safe + "rem." + type + " %d, %a, %b;", fmt::format("{0} {0} {0}", type));
    }
    ops.plain("brev.b64", "u64", 1);
    ops.plain("cnot.b64", "u64", 1);
    ops.add("bfind.s64 %d, %a;", "u32 s64");
    ops.add("bfind.shiftamt.u64 %d, %a;", "u32 u64");
    ops.add("bfind.shiftamt.s32 %d, %a;", "u32 s32");
    ops.add("szext.wrap.s32 %d, %a, %b;", "s32 s32 u32");
    ops.add("szext.clamp.u32 %d, %a, %b;", "u32 u32 u32");
    for (const std::string form : {"u32.u32", "u32.s32", "s32.u32", "s32.s32"}) {
        ops.add("dp4a." + form + " %d, %a, %b, %c;", "u32 u32 u32 u32");
        ops.add("dp2a.lo." + form + " %d, %a, %b, %c;", "u32 u32 u32 u32");
        ops.add("dp2a.hi." + form + " %d, %a, %b, %c;", "u32 u32 u32 u32");
    }
}

void add_conversions(std::vector<Case>& cases) {
    Builder ops{cases, "conversions"};
    for (const std::string to : kIntegers)
        for (const std::string from : {"f16", "f32", "f64"})
            for (const std::string rounding : {"rni", "rzi", "rmi", "rpi"}) {
                const bool wide = to.size() == 3 && to != "u16" && to != "s16";
                if (rounding != "rni" && (!wide || from == "f16")) continue;
                ops.add(fmt::format("cvt.{}.{}.{} %d, %a;", rounding, to, from),
                        held(to) + " " + from);
            }
    for (const std::string from : kIntegers) {
        for (const std::string to : {"f16", "f32", "f64"}) {
            ops.add(fmt::format("cvt.rn.{}.{} %d, %a;", to, from), to + " " + held(from));
            if (from != "u32" && from != "s32" && from != "u64" && from != "s64") continue;
            for (const std::string rounding : {"rz", "rm", "rp"})
                if (to != "f16")
                    ops.add(fmt::format("cvt.{}.{}.{} %d, %a;", rounding, to, from),
                            to + " " + held(from));
        }
        for (const std::string to : kIntegers) {
            // ptxas refuses to saturate where all values fit.
            const int to_bits = std::stoi(to.substr(1)), from_bits = std::stoi(from.substr(1));
            const bool fits =
                to[0] == from[0] ? to_bits >= from_bits : from[0] == 'u' && to_bits > from_bits;
            if (fits) continue;
            ops.add(fmt::format("cvt.sat.{}.{} %d, %a;", to, from), held(to) + " " + held(from));
        }
    }
    for (const std::string type : {"f16", "f32", "f64"})
        for (const std::string rounding : {"rni", "rzi", "rmi", "rpi"})
            ops.add(fmt::format("cvt.{}.{}.{} %d, %a;", rounding, type, type), type + " " + type);
    for (const std::string rounding : {"rni", "rmi"}) {
        ops.add(fmt::format("cvt.{}.ftz.f32.f32 %d, %a;", rounding), "f32 f32");
        ops.add(fmt::format("cvt.{}.sat.f32.f32 %d, %a;", rounding), "f32 f32");
    }
    for (const std::string rounding : kRoundings) {
        ops.add(fmt::format("cvt.{}.f16.f32 %d, %a;", rounding), "f16 f32");
        ops.add(fmt::format("cvt.{}.f16.f64 %d, %a;", rounding), "f16 f64");
        ops.add(fmt::format("cvt.{}.f32.f64 %d, %a;", rounding), "f32 f64");
        ops.add(fmt::format("cvt.{}.ftz.f32.f64 %d, %a;", rounding), "f32 f64");
        ops.add(fmt::format("cvt.{}.sat.f32.f64 %d, %a;", rounding), "f32 f64");
    }
    ops.add("cvt.ftz.f64.f32 %d, %a;", "f64 f32");
    ops.add("cvt.sat.f64.f32 %d, %a;", "f64 f32");
    ops.add("cvt.ftz.sat.f32.f32 %d, %a;", "f32 f32");
    ops.add("cvt.sat.f32.f16 %d, %a;", "f32 f16");
    ops.add("cvt.rn.sat.f16.f32 %d, %a;", "f16 f32");
    ops.add("cvt.rn.ftz.f16.f32 %d, %a;", "f16 f32");
    ops.add("cvt.f32.bf16 %d, %a;", "f32 bf16");
    for (const std::string rounding : {"rn", "rz"}) {
        for (const std::string form : {"", ".relu"}) {
            ops.add(fmt::format("cvt.{}{}.f16.f32 %d, %a;", rounding, form), "f16 f32");
            ops.add(fmt::format("cvt.{}{}.bf16.f32 %d, %a;", rounding, form), "bf16 f32");
            ops.add(fmt::format("cvt.{}{}.f16x2.f32 %d, %a, %b;", rounding, form), "u32 f32 f32");
            ops.add(fmt::format("cvt.{}{}.bf16x2.f32 %d, %a, %b;", rounding, form), "u32 f32 f32");
        }
        ops.add(fmt::format("cvt.{}.tf32.f32 %d, %a;", rounding), "u32 f32");
    }
    ops.add("cvt.rna.tf32.f32 %d, %a;", "u32 f32");
    for (const std::string type : {"e4m3x2", "e5m2x2"}) {
        ops.add(fmt::format("cvt.rn.satfinite.{}.f32 %d, %a, %b;", type), "u16 f32 f32");
        ops.add(fmt::format("cvt.rn.satfinite.relu.{}.f32 %d, %a, %b;", type), "u16 f32 f32");
        ops.add(fmt::format("cvt.rn.satfinite.{}.f16x2 %d, %a;", type), "u16 u32");
        ops.add(fmt::format("cvt.rn.f16x2.{} %d, %a;", type), "u32 u16");
        ops.add(fmt::format("cvt.rn.relu.f16x2.{} %d, %a;", type), "u32 u16");
    }
    for (const std::string type : {"u16", "s16"})
        ops.add(fmt::format("cvt.pack.sat.{}.s32 %d, %a, %b;", type), "u32 s32 s32");
    for (const std::string type : {"u8", "s8"})
        ops.add(fmt::format("cvt.pack.sat.{}.s32.b32 %d, %a, %b, %c;", type), "u32 s32 s32 u32");
}

void add_comparisons(std::vector<Case>& cases) {
    Builder ops{cases, "comparisons"};
    for (const std::string test : kTests) {
        ops.add(fmt::format("setp.{}.f64 %d, %a, %b;", test), "pred f64 f64");
        ops.add(fmt::format("setp.{}.ftz.f32 %d, %a, %b;", test), "pred f32 f32");
        ops.add(fmt::format("setp.{}.f16 %d, %a, %b;", test), "pred f16 f16");
        ops.add(fmt::format("setp.{}.bf16 %d, %a, %b;", test), "pred bf16 bf16");
        ops.add(fmt::format("set.{}.f16x2.f16x2 %d, %a, %b;", test), "u32 u32 u32");
        ops.add(fmt::format("set.{}.u32.f32 %d, %a, %b;", test), "u32 f32 f32");
    }
    for (const std::string property :
         {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
        ops.add(fmt::format("testp.{}.f64 %d, %a;", property), "pred f64");
    for (const std::string type : {"u16", "s16", "u64", "s64"})
        for (const std::string test : {"eq", "lt", "ge"})
            ops.add(fmt::format("setp.{}.{} %d, %a, %b;", test, type),
                    fmt::format("pred {0} {0}", type));
    ops.add("slct.ftz.u32.f32 %d, %a, %b, %c;", "u32 u32 u32 f32");
    ops.add("slct.f64.f32 %d, %a, %b, %c;", "f64 f64 f64 f32");
}

void add_video(std::vector<Case>& cases) {
    Builder ops{cases, "video"};
    const Texts kKinds = {"u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"};
    for (const std::string name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
        for (const std::string kinds : kKinds) {
            ops.add(fmt::format("{}.{}.sat %d, %a, %b;", name, kinds), "u32 u32 u32");
            ops.add(fmt::format("{}.{} %d, %a.b3, %b.h1;", name, kinds), "u32 u32 u32");
            ops.add(fmt::format("{}.{}.add %d, %a.h0, %b.b0, %c;", name, kinds), "u32 u32 u32 u32");
            ops.add(fmt::format("{}.{}.sat %d.b1, %a, %b, %c;", name, kinds), "u32 u32 u32 u32");
        }
    for (const std::string name : {"vshl", "vshr"})
        for (const std::string kinds : {"u32.u32.u32", "s32.s32.u32"})
            for (const std::string form : {"clamp", "wrap"})
                ops.add(fmt::format("{}.{}.{} %d, %a, %b;", name, kinds, form), "u32 u32 u32");
    for (const std::string form :
         {"u32.u32.u32", "s32.s32.s32", "s32.s32.s32.sat", "u32.u32.u32.shr7", "s32.s32.s32.shr15"})
        ops.add(fmt::format("vmad.{} %d, %a.h0, %b.h1, %c;", form), "u32 u32 u32 u32");
    for (const std::string test : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        ops.add(fmt::format("vset.s32.s32.{} %d, %a, %b;", test), "u32 u32 u32");
        ops.add(fmt::format("vset2.s32.s32.{} %d, %a, %b, %c;", test), "u32 u32 u32 u32");
        ops.add(fmt::format("vset4.u32.u32.{}.add %d, %a, %b, %c;", test), "u32 u32 u32 u32");
    }
    for (const std::string name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"})
        for (const std::string lanes : {"2", "4"})
            for (const std::string kinds : {"u32.u32.u32", "s32.s32.s32"}) {
                ops.add(fmt::format("{}{}.{}.sat %d, %a, %b, %c;", name, lanes, kinds),
                        "u32 u32 u32 u32");
                ops.add(fmt::format("{}{}.{}.add %d, %a, %b, %c;", name, lanes, kinds),
                        "u32 u32 u32 u32");
            }
}

/// What stands in memory after an atomic operation of the row's first word with its second.
void add_atomics(std::vector<Case>& cases) {
    Builder ops{cases, "atomics"};
    const auto add = [&](const std::string& operation, const std::string& type) {
        const std::string bits = type.substr(type.find_first_of("0123456789"));
        const std::string stored = type == "f16x2" || type == "bf16x2" ? "32" : bits;
        const std::string held = stored == "32" && bits != "32" ? "u32" : type;
        ops.add(fmt::format("atom.global.{}.{} %d, [%in], %b; ld.volatile.global.b{} %d, [%in];",
                            operation, type, stored),
                fmt::format("{0} {0} {0}", held));
        ops.add(fmt::format("atom.global.{}.{} %d, [%in], %b;", operation, type),
                fmt::format("{0} {0} {0}", held));
    };
    for (const std::string type : {"u32", "s32", "u64", "f32", "f64"}) add("add", type);
    for (const std::string type : {"u32", "s32", "u64", "s64"}) add("min", type), add("max", type);
    for (const std::string type : {"b32", "b64"}) {
        const std::string as = type == "b32" ? "u32" : "u64";
        for (const std::string name : {"and", "or", "xor", "exch"})
            ops.add(fmt::format("atom.global.{}.{} %d, [%in], %b; ld.volatile.global.{} %d, [%in];",
                                name, type, type),
                    fmt::format("{0} {0} {0}", as));
        ops.add(
            fmt::format("atom.global.cas.{} %d, [%in], %b, %c; ld.volatile.global.{} %d, [%in];",
                        type, type),
            fmt::format("{0} {0} {0} {0}", as));
    }
    add("inc", "u32");
    add("dec", "u32");
    add("add.noftz", "f16x2");
    add("add.noftz", "bf16x2");
    // In shared memory, where subnormal numbers stay.
    ops.add("{ .shared .align 8 .b8 place[1024]; mov.u64 %s, place; mov.u32 %r, %tid.x; "
            "mad.wide.u32 %s, %r, 8, %s; st.shared.f32 [%s], %a; atom.shared.add.f32 %d, [%s], %b; "
            "ld.volatile.shared.f32 %d, [%s]; }",
            "f32 f32 f32");
}

} // namespace

void add_more_op_cases(std::vector<Case>& cases) {
    add_arithmetic(cases);
    add_conversions(cases);
    add_comparisons(cases);
    add_video(cases);
    add_atomics(cases);
}

} // namespace lathe::recorded
