// SPDX-License-Identifier: MIT
// Rows of elements of which some lanes are off, in all modes: elements of every size, lanes that
// are off at the ends, in the middle and everywhere; what they would have written stays as it was.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/mode_table.h"

#include <fmt/format.h>

#include <cstdint>

namespace lathe::test {
namespace {

constexpr unsigned kPatterns[] = {0xffffffff, 0xfffffffe, 0x7fffffff, 0x0000ff00, 0x00ffff01,
                                  0xf00ff00f, 0xaaaaaaaa, 0x00000001, 0x80000000, 0};

class PartialRows : public DriverTest {
protected:
    void TearDown() override {
        Mode::unset();
        DriverTest::TearDown();
    }

    /// out[i] = in[i] + 1 for threads whose bit of `pattern` is set.
    template <class T> void check(const char* type) {
        const std::string ptx = compile_to_ptx(
            fmt::format("extern \"C\" __global__ void k(const {0}* in, {0}* out, unsigned pattern) "
                        "{{ const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + "
                        "threadIdx.x;\n"
                        "if (pattern >> (i % 32) & 1) out[i] = in[i] + ({0})1; }}",
                        type),
            "test.cu", {});
        const unsigned blocks[][2] = {{64, 1}, {48, 1}, {16, 4}, {8, 8}, {5, 3}};
        for (const Mode& mode : kModes) {
            mode.set();
            CUmodule module = nullptr;
            CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
            CUfunction f = function(module, "k");
            for (const auto& block : blocks)
                for (const unsigned pattern : kPatterns)
                    EXPECT_TRUE(agrees<T>(f, block, pattern))
                        << type << ", " << mode.name << ", " << block[0] << " x " << block[1]
                        << fmt::format(", lanes {:08x}", pattern);
            CHECK_CU(cuModuleUnload(module));
        }
    }

private:
    template <class T> bool agrees(CUfunction f, const unsigned (&block)[2], unsigned pattern) {
        constexpr unsigned grid = 3;
        const std::size_t count = std::size_t{grid} * block[0] * block[1];
        std::vector<T> in(count), expected(count, T{99});
        for (std::size_t k = 0; k < count; ++k) {
            in[k] = static_cast<T>(k % 50);
            if (pattern >> (k % 32) & 1) expected[k] = static_cast<T>(in[k] + T{1});
        }
        Buffer<T> from{in}, to{std::vector<T>(count, T{99})};
        const Shape s{{grid, 1, 1}, {block[0], block[1], 1}, 0, nullptr};
        return launch(f, s, from.get(), to.get(), pattern) == CUDA_SUCCESS && to.read() == expected;
    }
};

TEST_F(PartialRows, Bytes) { check<std::uint8_t>("unsigned char"); }
TEST_F(PartialRows, Shorts) { check<std::int16_t>("short"); }
TEST_F(PartialRows, Floats) { check<float>("float"); }
TEST_F(PartialRows, Doubles) { check<double>("double"); }

} // namespace
} // namespace lathe::test
