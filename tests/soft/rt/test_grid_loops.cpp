// SPDX-License-Identifier: MIT
// Loops over the whole grid, whose code asks for later passes' memory, however their counters and
// addresses are written: in all modes, against the same worked out on the host.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/mode_table.h"

#include <numeric>
#include <string>

namespace lathe::test {
namespace {

class GridLoops : public DriverTest {
protected:
    void TearDown() override {
        Mode::unset();
        DriverTest::TearDown();
    }
};

TEST_F(GridLoops, EveryElementOnce) {
    const char* const bodies[] = {
        "for (int i = first; i < n; i += step) out[i] = in[i] + 1;",
        "for (unsigned i = first; i < n; i += blockDim.x * gridDim.x) out[i] += in[i] + 1;",
        "for (long long i = first; i < n; i += (long long)step) out[i] = in[i] + 1;",
        "const int* p = in + first; int* q = out + first;\n"
        "for (int i = first; i < n; i += step, p += step, q += step) *q = *p + 1;",
        "for (int i = n - 1 - first; i >= 0; i -= step) out[i] = in[i] + 1;",
        "const char* bytes = (const char*)in;\n"
        "for (int i = first; i < n; i += step) out[i] = *(const int*)(bytes + 4 * i) + 1;",
        "for (int i = first; i < n; i += step) out[i] = in[in[n + i]] + 1;",
        "for (int i = first; i < n; i += step) if (in[i] % 3) out[i] = in[i] + 1; else out[i] = "
        "in[i] + 1;",
        "for (int i = first, k = 0; i < n; i += step + 0 * k, ++k) out[i] = in[i] + (k >= 0);",
        "for (int i = first; i < n; i += gridDim.x * blockDim.x * gridDim.y) {\n"
        "  int late = in[i];\n"
        "  for (int k = 0; k < 3; ++k) late += in[i] - in[i];\n"
        "  out[i] = late + 1; }",
    };
    constexpr int n = 5003;
    std::vector<int> in(2 * n);
    for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = i * 7 % 1001;
    std::iota(in.begin() + n, in.end(), 0);
    for (const std::string body : bodies) {
        const std::string ptx =
            compile_to_ptx("extern \"C\" __global__ void k(const int* in, int* out, int n) {\n"
                           "const int first = blockIdx.x * blockDim.x + threadIdx.x, step = "
                           "gridDim.x * blockDim.x;\n" +
                               body + "\n}",
                           "test.cu", {});
        for (const Mode& mode : kModes) {
            mode.set();
            CUmodule module = nullptr;
            CHECK_CU(cuModuleLoadData(&module, ptx.c_str()));
            for (const auto& [blocks, threads] :
                 {std::pair{1u, 32u}, {3u, 64u}, {5u, 50u}, {200u, 32u}}) {
                Buffer<int> from{in}, to{std::vector<int>(n + 64)};
                CHECK_CU(launch(function(module, "k"), {{blocks, 1, 1}, {threads, 1, 1}},
                                from.get(), to.get(), n));
                CHECK_CU(cuCtxSynchronize());
                const std::vector<int> found = to.read();
                for (int i = 0; i < n + 64; ++i)
                    ASSERT_EQ(found[static_cast<std::size_t>(i)],
                              i < n ? in[static_cast<std::size_t>(i)] + 1 : 0)
                        << body << "\n"
                        << mode.name << ", " << blocks << " x " << threads << ", " << i;
            }
            cuModuleUnload(module);
        }
    }
}

} // namespace
} // namespace lathe::test
