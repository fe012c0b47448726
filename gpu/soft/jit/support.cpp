// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/support.h"

#include "gpu/soft/jit/count_calls.h"
#include "gpu/soft/rt/abi.h"
#include "gpu/soft/rt/access.h"
#include "gpu/soft/rt/image_warp.h"
#include "gpu/soft/rt/trap.h"
#include "gpu/soft/rt/watch/site.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

/// Runs `operation` in a rounding mode: 1 toward zero, 2 down, 3 up (jit::Rounding).
template <class Operation> double rounded(std::uint32_t rounding, Operation operation) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const int before = std::fegetround();
    std::fesetround(kModes[rounding & 3]);
    const double result = operation();
    std::fesetround(before);
    return result;
}

} // namespace

// The compiler's library: half to float and back, for processors without F16C. Called by address
// alone; their type has no name in C++20.
extern "C" void __extendhfsf2();
extern "C" void __truncsfhf2();

// The operands are volatile so that nothing is computed outside of the rounding mode.
extern "C" {

static double lathe_jit_directed(std::uint32_t operation, std::uint32_t rounding, double x,
                                 double y, double z) {
    volatile double a = x, b = y, c = z;
    return rounded(rounding, [&]() -> double {
        volatile double r = 0;
        switch (operation) {
        case 0: r = a + b; break;
        case 1: r = a - b; break;
        case 2: r = a * b; break;
        case 3: r = a / b; break;
        case 4: r = 1.0 / a; break;
        case 5: r = std::sqrt(a); break;
        default: r = std::fma(a, b, c); break;
        }
        return r;
    });
}

static double lathe_jit_from_integer(std::uint64_t bits, std::uint32_t is_signed,
                                     std::uint32_t rounding) {
    volatile std::uint64_t value = bits;
    return rounded(rounding, [&]() -> double {
        volatile double r = 0;
        if (is_signed) {
            r = static_cast<double>(static_cast<std::int64_t>(value));
        } else {
            volatile double high = static_cast<double>(static_cast<std::int64_t>(value >> 32));
            volatile double low =
                static_cast<double>(static_cast<std::int64_t>(value & 0xffffffffu));
            r = high * 4294967296.0 + low; // one rounding: the product is exact
        }
        return r;
    });
}

/// fns: position of the n-th set bit of mask from bit `base` on, upward for n > 0, downward for
/// n < 0; n = 0 asks for the bit at base itself. ~0 where there is none.
static std::uint32_t lathe_jit_fns(std::uint32_t mask, std::uint32_t base, std::uint32_t offset) {
    const auto n = static_cast<std::int32_t>(offset);
    const std::int32_t step = n < 0 ? -1 : 1;
    std::int32_t left = n == 0 ? 1 : std::abs(n);
    for (auto at = static_cast<std::int64_t>(base); at >= 0 && at < 32; at += step) {
        if ((mask >> at) & 1 && --left == 0) return static_cast<std::uint32_t>(at);
        if (n == 0) break;
    }
    return ~0u;
}

/// float to e4m3 (largest 448, no infinity) or e5m2 (largest 57344), nearest even, saturating.
static std::uint32_t lathe_jit_to_float8(float x, std::uint32_t e4m3, std::uint32_t relu) {
    const std::uint32_t sign = std::signbit(x) ? 0x80 : 0;
    if (std::isnan(x)) return 0x7f;
    if (relu && sign) return 0;
    const int mantissa_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const float most = e4m3 ? 448.0f : 57344.0f;
    const std::uint32_t most_bits = e4m3 ? 0x7e : 0x7b;
    const float size = std::fabs(x);
    if (size >= most) return sign | most_bits;
    int exponent = 0;
    std::frexp(size, &exponent); // size = m * 2^exponent, m in [0.5, 1)
    exponent = std::max(exponent - 1, 1 - bias);
    // Units of the last place at this exponent; the carry into the exponent comes by itself.
    const float units = std::nearbyint(std::ldexp(size, mantissa_bits - exponent));
    const auto count = static_cast<std::uint32_t>(units);
    if (size == 0) return sign;
    const auto field = static_cast<std::uint32_t>(exponent + bias - 1) << mantissa_bits;
    return sign | std::min(field + count, most_bits);
}

static float lathe_jit_from_float8(std::uint32_t bits, std::uint32_t e4m3) {
    const int mantissa_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const std::uint32_t magnitude = bits & 0x7f;
    const float sign = bits & 0x80 ? -1.0f : 1.0f;
    const auto exponent = static_cast<int>(magnitude >> mantissa_bits);
    const auto mantissa = static_cast<float>(magnitude & ((1u << mantissa_bits) - 1));
    if (e4m3 ? magnitude == 0x7f : magnitude > 0x7c) return std::bit_cast<float>(0x7fffffffu);
    if (!e4m3 && magnitude == 0x7c) return sign * std::bit_cast<float>(0x7f800000u);
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
    const auto one = static_cast<float>(1u << mantissa_bits);
    return sign * std::ldexp(one + mantissa, exponent - bias - mantissa_bits);
}

} // extern "C"

namespace lathe::soft::jit {

std::vector<std::pair<std::string, void*>> runtime_symbols() {
    std::vector<std::pair<std::string, void*>> symbols;
    auto add = [&](const char* name, auto* function) {
        symbols.emplace_back(name, reinterpret_cast<void*>(function));
    };
#define LATHE_JIT_SYMBOL(name) add(#name, &name)
    LATHE_JIT_SYMBOL(lathe_jit_directed);
    LATHE_JIT_SYMBOL(lathe_jit_from_integer);
    LATHE_JIT_SYMBOL(lathe_jit_fns);
    LATHE_JIT_SYMBOL(lathe_jit_count_row);
    LATHE_JIT_SYMBOL(lathe_jit_count_strips);
    LATHE_JIT_SYMBOL(lathe_jit_count_lanes);
    LATHE_JIT_SYMBOL(lathe_jit_to_float8);
    LATHE_JIT_SYMBOL(lathe_jit_from_float8);
    LATHE_JIT_SYMBOL(__extendhfsf2);
    LATHE_JIT_SYMBOL(__truncsfhf2);
    LATHE_JIT_SYMBOL(lathe_rt_access_check);
    LATHE_JIT_SYMBOL(lathe_rt_trap);
    LATHE_JIT_SYMBOL(lathe_rt_exit);
    LATHE_JIT_SYMBOL(lathe_rt_assertfail);
    LATHE_JIT_SYMBOL(lathe_rt_backedge);
    LATHE_JIT_SYMBOL(lathe_rt_warp_run_checked);
    LATHE_JIT_SYMBOL(lathe_rt_warp_barrier);
    LATHE_JIT_SYMBOL(lathe_rt_warp_not_member);
    LATHE_JIT_SYMBOL(lathe_rt_vprintf);
    LATHE_JIT_SYMBOL(lathe_rt_malloc);
    LATHE_JIT_SYMBOL(lathe_rt_free);
    LATHE_JIT_SYMBOL(lathe_rt_nanosleep);
    LATHE_JIT_SYMBOL(lathe_rt_clock64);
    LATHE_JIT_SYMBOL(lathe_rt_globaltimer);
    LATHE_JIT_SYMBOL(lathe_rt_is_space);
    LATHE_JIT_SYMBOL(lathe_rt_trap_of_grid_group);
    LATHE_JIT_SYMBOL(lathe_rt_barrier_sync);
    LATHE_JIT_SYMBOL(lathe_rt_barrier_arrive);
    LATHE_JIT_SYMBOL(lathe_rt_barrier_red);
    LATHE_JIT_SYMBOL(lathe_rt_warp_sync);
    LATHE_JIT_SYMBOL(lathe_rt_activemask);
    LATHE_JIT_SYMBOL(lathe_rt_shfl);
    LATHE_JIT_SYMBOL(lathe_rt_ballot);
    LATHE_JIT_SYMBOL(lathe_rt_match);
    LATHE_JIT_SYMBOL(lathe_rt_redux);
    LATHE_JIT_SYMBOL(lathe_rt_warp_gather);
    LATHE_JIT_SYMBOL(lathe_rt_warp_barrier_part);
    LATHE_JIT_SYMBOL(lathe_rt_warp_voted);
    LATHE_JIT_SYMBOL(lathe_rt_watch_lanes);
    LATHE_JIT_SYMBOL(lathe_rt_watch_one);
    LATHE_JIT_SYMBOL(lathe_rt_watch_row);
    LATHE_JIT_SYMBOL(lathe_rt_warp_bring);
    LATHE_JIT_SYMBOL(lathe_rt_warp_meet);
    LATHE_JIT_SYMBOL(lathe_rt_tex);
    LATHE_JIT_SYMBOL(lathe_rt_tex_warp);
    LATHE_JIT_SYMBOL(lathe_rt_surface_warp);
    LATHE_JIT_SYMBOL(lathe_rt_tld4);
    LATHE_JIT_SYMBOL(lathe_rt_suld);
    LATHE_JIT_SYMBOL(lathe_rt_sust);
    LATHE_JIT_SYMBOL(lathe_rt_sust_formatted);
    LATHE_JIT_SYMBOL(lathe_rt_sured);
    LATHE_JIT_SYMBOL(lathe_rt_txq);
    LATHE_JIT_SYMBOL(lathe_rt_istypep);
#undef LATHE_JIT_SYMBOL
    // What LLVM calls by itself.
    add("memcpy", static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memcpy));
    add("memset", static_cast<void* (*)(void*, int, std::size_t)>(&std::memset));
    add("memmove", static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memmove));
    using Float = float (*)(float);
    using Double = double (*)(double);
    add("truncf", static_cast<Float>(&::truncf));
    add("floorf", static_cast<Float>(&::floorf));
    add("ceilf", static_cast<Float>(&::ceilf));
    add("roundevenf", static_cast<Float>(&::roundevenf));
    add("trunc", static_cast<Double>(&::trunc));
    add("floor", static_cast<Double>(&::floor));
    add("ceil", static_cast<Double>(&::ceil));
    add("roundeven", static_cast<Double>(&::roundeven));
    add("fmaf", static_cast<float (*)(float, float, float)>(&::fmaf));
    add("fma", static_cast<double (*)(double, double, double)>(&::fma));
    return symbols;
}

} // namespace lathe::soft::jit
