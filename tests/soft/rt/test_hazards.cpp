// SPDX-License-Identifier: MIT
// Hazards that watched kernels have, each beside an innocent twin. All kernels are in one source:
// a compile costs more than a launch. `bad` and `good` follow each other in it; the lines that a
// finding must name carry the marks /*A*/ and /*B*/.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/hazard_kernels.h"

#include <algorithm>
#include <sstream>

namespace lathe::test {
namespace {

std::vector<LatheSoftFinding> findings() {
    std::vector<LatheSoftFinding> all(latheSoftHazardsRead(nullptr, 0));
    all.resize(std::min(all.size(), latheSoftHazardsRead(all.data(), all.size())));
    return all;
}

std::string text_of(const LatheSoftFinding& f) {
    std::ostringstream out;
    const auto thread = [&](const LatheSoftHazardThread& t) {
        out << " " << t.file << ":" << t.line << " block " << t.block[0] << " thread "
            << t.thread[0] << "," << t.thread[1] << " access " << t.access << ";";
    };
    out << "kind " << f.hazard << " in " << f.kernel << ":";
    thread(f.first);
    thread(f.second);
    out << " " << f.memory << "+" << f.offset << ": " << f.message << " (" << f.count << ")";
    return out.str();
}

/// The lines of a kernel that have a mark.
std::vector<unsigned> marked(const std::string& source, const std::string& kernel,
                             const std::string& mark) {
    std::istringstream in{source};
    std::string line;
    std::vector<unsigned> lines;
    bool inside = false;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        if (line.find("__global__") != std::string::npos)
            inside = line.find(" " + kernel + "(") != std::string::npos;
        if (inside && line.find(mark) != std::string::npos) lines.push_back(number);
    }
    return lines;
}

class Hazards : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        latheSoftHazardsReset();
        ASSERT_EQ(latheSoftHazardsWatch(kLatheSoftAllHazards), CUDA_SUCCESS);
    }
    void TearDown() override {
        latheSoftHazardsWatch(0);
        latheSoftHazardsReset();
        DriverTest::TearDown();
    }
    static CUmodule module() {
        static CUmodule loaded = nullptr;
        if (!loaded) {
            CUcontext kept = nullptr; // with the module, until the process ends
            EXPECT_EQ(cuDevicePrimaryCtxRetain(&kept, 0), CUDA_SUCCESS);
            const std::string ptx = compile_to_ptx(kHazardKernels, "test.cu", {"-lineinfo"});
            EXPECT_EQ(cuModuleLoadData(&loaded, ptx.c_str()), CUDA_SUCCESS)
                << latheSoftGetLastErrorText();
        }
        return loaded;
    }
    void run(const char* name, const HazardCase& c) {
        latheSoftHazardsReset();
        Buffer<int> x{8192};
        CUdeviceptr fresh = 0; // nothing writes it
        CHECK_CU(cuMemAlloc(&fresh, 8192 * sizeof(int)));
        CHECK_CU(launch(function(module(), name), {{c.blocks, 1, 1}, {c.threads, 1, 1}, 0}, x.get(),
                        fresh));
        CHECK_CU(cuCtxSynchronize());
        CHECK_CU(cuMemFree(fresh));
    }
};

class HazardPairs : public Hazards, public testing::WithParamInterface<HazardCase> {};

TEST_P(HazardPairs, TheHazardIsFoundAndItsTwinIsNot) {
    const HazardCase& c = GetParam();
    run(c.name, c);
    const auto found = findings();
    ASSERT_FALSE(found.empty()) << c.name;
    const std::string source{kHazardKernels};
    const auto a = marked(source, c.name, "/*A*/"), b = marked(source, c.name, "/*B*/");
    const bool named = std::any_of(found.begin(), found.end(), [&](const LatheSoftFinding& f) {
        const auto is = [](const std::vector<unsigned>& lines, unsigned line) {
            return std::find(lines.begin(), lines.end(), line) != lines.end();
        };
        const bool one =
            b.empty() && is(a, f.first.line) && (f.second.line == 0 || is(a, f.second.line));
        return f.hazard == c.hazard && (one || (is(a, f.first.line) && is(b, f.second.line)) ||
                                        (is(b, f.first.line) && is(a, f.second.line)));
    });
    for (const auto& f : found) {
        // Who reads too early finds what nobody has written yet, besides.
        const bool too_early =
            c.hazard == kLatheSoftRaceShared && f.hazard == kLatheSoftUnwrittenShared;
        EXPECT_TRUE(f.hazard == c.hazard || too_early) << text_of(f);
        EXPECT_TRUE(named) << text_of(f);
        EXPECT_STREQ(f.kernel, c.name);
        EXPECT_GE(f.count, 1u);
        EXPECT_NE(f.message[0], 0);
    }
    const std::string twin = std::string{c.name} + "_twin";
    run(twin.c_str(), c);
    for (const auto& f : findings()) ADD_FAILURE() << "innocent: " << text_of(f);
}

INSTANTIATE_TEST_SUITE_P(All, HazardPairs, testing::ValuesIn(kHazardCases),
                         [](const auto& each) { return std::string{each.param.name}; });

} // namespace
} // namespace lathe::test
