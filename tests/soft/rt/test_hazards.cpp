// SPDX-License-Identifier: MIT
// Hazards that watched kernels have, and accesses that end a launch, each beside an innocent twin.
// The kernels of one header are one source: a compile costs more than a launch.
#include "tests/soft/rt/driver_test.h"
#include "tests/soft/rt/hazards/barriers.h"
#include "tests/soft/rt/hazards/copy_races.h"
#include "tests/soft/rt/hazards/faults.h"
#include "tests/soft/rt/hazards/global_races.h"
#include "tests/soft/rt/hazards/shared_races.h"
#include "tests/soft/rt/hazards/unwritten_reads.h"
#include "tests/soft/rt/hazards/warp_races.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
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

/// The line that has a mark: in the kernel, or else in a function of the source.
unsigned marked(const std::string& source, const std::string& kernel, const std::string& mark) {
    std::istringstream in{source};
    std::string line;
    unsigned of_kernel = 0, of_function = 0;
    bool inside = false, in_kernels = false;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        const bool is_global = line.find("__global__") != std::string::npos;
        if (is_global || line.find("__device__") != std::string::npos) {
            in_kernels = is_global;
            inside = is_global && line.find(" " + kernel + "(") != std::string::npos;
        }
        if (line.find("/*" + mark + "*/") == std::string::npos) continue;
        if (inside) of_kernel = number;
        if (!in_kernels) of_function = number;
    }
    return of_kernel ? of_kernel : of_function;
}

/// Kind and lines, the lesser one first: which thread comes first is left open.
std::string kind_and_lines(unsigned hazard, unsigned one, unsigned other) {
    std::ostringstream out;
    out << "kind " << hazard << ", lines " << std::min(one, other) << " " << std::max(one, other);
    return out.str();
}

class Hazards : public DriverTest {
protected:
    void TearDown() override {
        latheSoftHazardsWatch(0);
        latheSoftHazardsReset();
        DriverTest::TearDown();
    }
    static CUmodule module_of(const char* source) {
        static std::map<const char*, CUmodule> loaded; // until the process ends
        if (const auto known = loaded.find(source); known != loaded.end()) return known->second;
        CUcontext kept = nullptr; // with the module
        EXPECT_EQ(cuDevicePrimaryCtxRetain(&kept, 0), CUDA_SUCCESS);
        const std::string ptx = compile_to_ptx(source, "test.cu", {"-lineinfo"});
        CUmodule& module = loaded[source];
        EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS)
            << latheSoftGetLastErrorText();
        return module;
    }
    void watch(unsigned hazards) {
        latheSoftHazardsReset();
        ASSERT_EQ(latheSoftHazardsWatch(hazards), CUDA_SUCCESS);
    }
};

struct NamedCase {
    const char* source;
    HazardCase what;
};
void PrintTo(const NamedCase& c, std::ostream* out) { *out << c.what.name; }

class HazardPairs : public Hazards, public testing::WithParamInterface<NamedCase> {
protected:
    void run(const std::string& name) {
        const HazardCase& c = GetParam().what;
        watch(kLatheSoftAllHazards);
        Buffer<int> x{8192};
        CUdeviceptr fresh = 0; // nothing writes it
        CHECK_CU(cuMemAlloc(&fresh, 8192 * sizeof(int)));
        CHECK_CU(launch(function(module_of(GetParam().source), name.c_str()),
                        shape(c.blocks, c.threads, c.shared_bytes), x.get(), fresh));
        CHECK_CU(cuCtxSynchronize());
        CHECK_CU(cuMemFree(fresh));
    }
};

TEST_P(HazardPairs, TheHazardIsFoundAndItsTwinIsNot) {
    const auto& [source, c] = GetParam();
    const std::string name = c.name;
    std::set<std::string> expected, found;
    std::set<unsigned> raced; // lines of races in shared memory
    for (const ExpectedFinding& e : c.findings) {
        if (!e.hazard) continue;
        const unsigned first = marked(source, name, e.first);
        const unsigned second = e.second ? marked(source, name, e.second) : 0;
        ASSERT_TRUE(first && (second || !e.second)) << "a mark is missing in " << name;
        expected.insert(kind_and_lines(e.hazard, first, second));
        if (e.hazard == kLatheSoftRaceShared) raced.insert({first, second});
    }
    run(name);
    std::string texts;
    for (const LatheSoftFinding& f : findings()) {
        // Whoever races with a write may read before it what nothing has written yet.
        const bool too_early =
            f.hazard == kLatheSoftUnwrittenShared && raced.contains(f.first.line);
        if (!too_early) found.insert(kind_and_lines(f.hazard, f.first.line, f.second.line));
        texts += text_of(f) + "\n";
        EXPECT_EQ(f.kernel, name);
        EXPECT_GE(f.count, 1u);
        EXPECT_NE(f.message[0], 0);
    }
    EXPECT_EQ(found, expected) << texts;
    run(name + "_twin");
    for (const LatheSoftFinding& f : findings()) ADD_FAILURE() << "innocent: " << text_of(f);
}

std::vector<NamedCase> all_hazards() {
    std::vector<NamedCase> all;
    const auto add = [&](const char* source, const auto& cases) {
        for (const HazardCase& c : cases) all.push_back({source, c});
    };
    add(kSharedRaceKernels, kSharedRaceCases);
    add(kCopyRaceKernels, kCopyRaceCases);
    add(kWarpRaceKernels, kWarpRaceCases);
    add(kGlobalRaceKernels, kGlobalRaceCases);
    add(kUnwrittenReadKernels, kUnwrittenReadCases);
    add(kBarrierKernels, kBarrierCases);
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, HazardPairs, testing::ValuesIn(all_hazards()),
                         [](const auto& each) { return std::string{each.param.what.name}; });

class FaultPairs : public Hazards, public testing::WithParamInterface<FaultCase> {
protected:
    static constexpr int kCount = 8191; // one element short of a pair
    void SetUp() override {
        Hazards::SetUp();
        const char* checks = std::getenv("LATHE_SOFT_CHECKS");
        if (checks && std::strcmp(checks, "exact") != 0) GTEST_SKIP() << "checks by pages";
    }
    CUresult run(const std::string& name) {
        const FaultCase& c = GetParam();
        Buffer<int> x{kCount};
        CUdeviceptr gone = 0;
        EXPECT_EQ(cuMemAlloc(&gone, 4096), CUDA_SUCCESS);
        EXPECT_EQ(cuMemFree(gone), CUDA_SUCCESS);
        EXPECT_EQ(launch(function(module_of(kFaultKernels), name.c_str()),
                         shape(c.blocks, c.threads, c.shared_bytes), x.get(), int{kCount}, gone),
                  CUDA_SUCCESS);
        return cuCtxSynchronize();
    }
};

// The inspector changes nothing of it.
TEST_P(FaultPairs, TheFaultIsFoundAndItsTwinRuns) {
    const FaultCase& c = GetParam();
    const std::string name = c.name;
    for (const unsigned hazards : {0u, unsigned{kLatheSoftAllHazards}}) {
        watch(hazards);
        EXPECT_EQ(run(name), c.code);
        const LatheSoftFault fault = last_fault();
        EXPECT_EQ(fault.code, static_cast<int>(c.code));
        EXPECT_EQ(fault.kernel, name);
        EXPECT_EQ(fault.line, marked(kFaultKernels, name, "A")) << fault.message;
        EXPECT_EQ(fault.thread[0], c.thread) << fault.message;
        EXPECT_NE(std::strstr(fault.message, c.text), nullptr) << fault.message;
        watch(hazards);
        EXPECT_EQ(run(name + "_twin"), CUDA_SUCCESS)
            << last_fault().message << ", line " << last_fault().line;
        for (const LatheSoftFinding& f : findings()) ADD_FAILURE() << "innocent: " << text_of(f);
    }
}

INSTANTIATE_TEST_SUITE_P(All, FaultPairs, testing::ValuesIn(kFaultCases),
                         [](const auto& each) { return std::string{each.param.name}; });

} // namespace
} // namespace lathe::test
