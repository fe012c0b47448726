// SPDX-License-Identifier: MIT
// The carry flag: each instruction that writes it, then each one that reads it. Subtraction is
// x + ~y + carry as in hardware: the flag is 1 where nothing was borrowed, and an addc that follows
// a sub.cc adds that. NVRTC's own code for 128-bit division relies on it.
#include "tests/soft/jit/ops.h"

#include <fmt/format.h>

namespace lathe::soft::test {
namespace {

using U128 = unsigned __int128;

enum class Kind { add, sub, mad_lo, mad_hi };
constexpr Kind kKinds[] = {Kind::add, Kind::sub, Kind::mad_lo, Kind::mad_hi};

struct Integer {
    const char* name;
    unsigned bits;
    bool is_signed;

    Bits cut(U128 v) const { return static_cast<Bits>(v) & (~Bits{0} >> (64 - bits)); }
    U128 extended(Bits v) const {
        const unsigned up = 128 - bits;
        if (!is_signed) return v;
        return static_cast<U128>(static_cast<__int128>(U128{v} << up) >> up);
    }
};

struct Sum {
    Bits value;
    bool carry;
};

/// What one instruction gives of x, y and, where it multiplies, z.
Sum sum_of(const Integer& type, Kind kind, Bits x, Bits y, Bits z, bool carry) {
    const U128 product = type.extended(x) * type.extended(y);
    if (kind == Kind::sub) y = type.cut(~y);
    if (kind == Kind::mad_lo || kind == Kind::mad_hi) {
        x = type.cut(kind == Kind::mad_lo ? product : product >> type.bits);
        y = z;
    }
    const U128 sum = U128{x} + y + (carry ? 1 : 0);
    return {type.cut(sum), sum >> type.bits != 0};
}

std::string text_of(Kind kind, bool reads, const Integer& type, const char* to, const char* x,
                    const char* y, const char* z) {
    const char* const c = reads ? "c" : "";
    switch (kind) {
    case Kind::add: return fmt::format("add{}.cc.{} {}, {}, {};", c, type.name, to, x, y);
    case Kind::sub: return fmt::format("sub{}.cc.{} {}, {}, {};", c, type.name, to, x, y);
    default:
        return fmt::format("mad{}.{}.cc.{} {}, {}, {}, {};", c, kind == Kind::mad_lo ? "lo" : "hi",
                           type.name, to, x, y, z);
    }
}

/// One instruction after the other: the second's result, and in its highest bit the flag.
Op pair_of(const Integer& type, Kind first, Kind second) {
    const unsigned top = type.bits - 1;
    std::string text = fmt::format("{{ .reg .{} x, y, z; ", type.name) +
                       text_of(first, false, type, "x", "%a", "%b", "%c") + ' ' +
                       text_of(second, true, type, "y", "%c", "%e", "%a") +
                       fmt::format(" addc.{0} z, 0, 0; shl.b{1} z, z, {2}; xor.b{1} %d, y, z; }}",
                                   type.name, type.bits, top);
    return {std::move(text), fmt::format("{0} {0} {0} {0} {0}", type.name), [=](const Inputs& v) {
                // The first reads no flag: nothing is carried, and nothing was borrowed.
                const Sum x = sum_of(type, first, v[0], v[1], v[2], first == Kind::sub);
                const Sum y = sum_of(type, second, v[2], v[3], v[0], x.carry);
                return y.value ^ Bits { y.carry } << top;
            }};
}

/// The flag by itself: a difference that borrows nothing gives 1, and readers without .cc keep it.
std::vector<Op> alone(const Integer& type) {
    const std::string types = fmt::format("{0} {0} {0}", type.name);
    const auto op = [&](const char* text, std::function<Bits(Bits, Bits)> expected) {
        return Op{fmt::format(fmt::runtime(text), fmt::arg("t", type.name)), types,
                  [=](const Inputs& v) { return type.cut(expected(v[0], v[1])); }};
    };
    return {
        op("sub.cc.{t} %d, %a, %b; addc.{t} %d, 0, 0;",
           [](Bits a, Bits b) -> Bits { return a >= b; }),
        op("sub.cc.{t} %d, %a, %b; subc.{t} %d, 0, 0;",
           [](Bits a, Bits b) { return a >= b ? Bits{0} : ~Bits{0}; }),
        op("sub.cc.{t} %d, %a, 0; addc.{t} %d, %b, 0;", [](Bits, Bits b) { return b + 1; }),
        op("add.cc.{t} %d, %a, 0; subc.{t} %d, %b, 0;", [](Bits, Bits b) { return b - 1; }),
        op("sub.cc.{t} %d, %a, %b; addc.{t} %d, %d, 5; add.{t} %d, %d, %b; addc.{t} %d, %d, 0;",
           [](Bits a, Bits b) { return a + 5 + 2 * Bits{a >= b}; }),
    };
}

} // namespace

std::vector<OpGroup> carry_ops() {
    std::vector<Op> pairs, flags;
    for (const Integer& type :
         {Integer{"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}}) {
        for (const Kind first : kKinds)
            for (const Kind second : kKinds) pairs.push_back(pair_of(type, first, second));
        for (Op& op : alone(type)) flags.push_back(std::move(op));
    }
    return {{"integer/carry_pairs", std::move(pairs)}, {"integer/carry_flag", std::move(flags)}};
}

} // namespace lathe::soft::test
