// SPDX-License-Identifier: MIT
// 128-bit integers against the host's: NVRTC makes them of 32-bit pieces, carries and borrows.
#include "tests/soft/rt/driver_test.h"

#include <array>
#include <cstring>
#include <random>

namespace lathe::test {
namespace {

using U128 = unsigned __int128;
using S128 = __int128;

/// Pieces of any length, with edges.
U128 some(std::mt19937_64& random) {
    const U128 any = U128{random()} << 64 | random();
    switch (random() % 8) {
    case 0: return random() % 4;
    case 1: return U128{1} << random() % 128;
    case 2: return (U128{1} << random() % 128) - 1;
    case 3: return ~(any >> random() % 128);
    case 4: return any;
    default: return any >> random() % 128;
    }
}

std::array<U128, 16> expected(U128 a, U128 b) {
    const auto x = static_cast<S128>(a), y = static_cast<S128>(b);
    const unsigned n = static_cast<unsigned>(b) & 127;
    const bool least = a == U128{1} << 127 && y == -1;
    const auto b64 = static_cast<std::uint64_t>(b);
    const auto b32 = static_cast<std::uint32_t>(b);
    const auto wide = static_cast<double>(a);
    return {a + b,
            a - b,
            a * b,
            b ? a / b : 1,
            b ? a % b : 2,
            b && !least ? static_cast<U128>(x / y) : 3,
            b && !least ? static_cast<U128>(x % y) : 4,
            a << n,
            a >> n,
            static_cast<U128>(x >> n),
            (a & b) ^ ~(a | b),
            static_cast<U128>((a < b) | (x < y) << 1 | (a == b) << 2 | (a <= b) << 3 |
                              (x <= y) << 4 | (a != b) << 5),
            0 - a,
            b64 ? a / b64 : 5,
            b32 ? a % b32 : 6,
            wide < 1e38 ? static_cast<U128>(wide * 1.5) : 7};
}

std::string text_of(U128 v) {
    char text[40];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(v >> 64),
                  static_cast<unsigned long long>(v));
    return text;
}

class Int128 : public DriverTest {};

TEST_F(Int128, EveryOperationAgreesWithTheHost) {
    constexpr unsigned kThreads = 128, kBlocks = 48, kCount = kThreads * kBlocks;
    std::mt19937_64 random{128};
    std::vector<U128> operands(2 * kCount);
    for (U128& each : operands) each = some(random);
    for (unsigned k = 0; k < kCount; k += 16) operands[2 * k + 1] = operands[2 * k];
    CUmodule module = nullptr;
    const std::string ptx = compile_kernel("int128");
    CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
    Buffer<U128> in{operands}, out{16 * kCount};
    Buffer<double> reals{4 * kCount};
    CHECK_CU(launch(function(module, "int128"), shape(kBlocks, kThreads), in.get(), out.get(),
                    reals.get()));
    CHECK_CU(cuCtxSynchronize());
    const auto found = out.read();
    const auto real = reals.read();
    int told = 0;
    for (unsigned k = 0; k < kCount && told < 10; ++k) {
        const U128 a = operands[2 * k], b = operands[2 * k + 1];
        const auto wanted = expected(a, b);
        for (unsigned which = 0; which < 16; ++which) {
            if (found[16 * k + which] == wanted[which]) continue;
            ADD_FAILURE() << "operation " << which << " of " << text_of(a) << " and " << text_of(b)
                          << ": " << text_of(found[16 * k + which]) << ", expected "
                          << text_of(wanted[which]);
            ++told;
        }
        const double values[] = {static_cast<double>(a), static_cast<double>(static_cast<S128>(a)),
                                 static_cast<double>(static_cast<float>(a)),
                                 static_cast<double>(static_cast<float>(static_cast<S128>(a)))};
        for (unsigned which = 0; which < 4; ++which)
            EXPECT_EQ(real[4 * k + which], values[which]) << which << ": " << text_of(a);
    }
}

} // namespace
} // namespace lathe::test
