// SPDX-License-Identifier: MIT
// Slots with the real compiler and device: what is compiled runs, what is wrong has a place, and
// parameters come from the DWARF of a -G compile.
#include "engine/live/build.h"
#include "gpu/context.h"
#include "gpu/driver/api.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/nvrtc.h"
#include "gpu/precompiled_headers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>

using namespace lathe;

namespace {

constexpr const char* kSource = R"cu(
enum Pattern { spots = 3, stripes = 5 };
namespace sim {
__global__ void fill(int* out, int n, float scale, //@ 0..10 =2
                     bool wrap, //@ =true
                     Pattern pattern, float3 tint, //@ color
                     int steps, //@ 1..32 =4
                     unsigned seed, double rate, float dt, float time)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = int(i * scale) + pattern;
}
}
extern "C" __global__ void add(int* out, int n, int value, const float scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += value;
}
)cu";

class BuildTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        gpu::Context::primary(gpu::Device{0}).make_current();
    }
    KernelSlotServices services() {
        KernelSlotServices s;
        s.build = build_for(gpu::Device{0});
        s.reflect = reflect_for(gpu::Device{0});
        s.build_on = builds_.executor();
        s.reflect_on = reflections_.executor();
        return s;
    }
    Worker builds_, reflections_;
};

std::vector<int> run_add(const KernelSlot& slot, int value) {
    gpu::DeviceBuffer out{16 * sizeof(int)};
    std::vector<int> host(16, 0);
    gpu::copy_to_device(out.address(), host.data(), out.bytes());
    gpu::launch(slot.kernel("add"), {{1, 1, 1}, {16, 1, 1}}, out, 16, value, 1.0f);
    gpu::copy_to_host(host.data(), out.address(), out.bytes());
    return host;
}

} // namespace

TEST_F(BuildTest, KernelsCarryTheirSourceNamesAndRun) {
    KernelSlot slot{{kSource, "fill.cu", "add", {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    EXPECT_EQ(slot.kernel_names(), (std::vector<std::string>{"add", "sim::fill"}));
    EXPECT_EQ(run_add(slot, 7), std::vector<int>(16, 7));
    EXPECT_GT(slot.compile_milliseconds(), 0);
}

TEST_F(BuildTest, ParametersComeFromTheKernels) {
    KernelSlot slot{{kSource, "fill.cu", "add", {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    std::vector<std::string> names;
    for (const auto& p : slot.parameters()) names.push_back(p.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"scale", "wrap", "pattern", "tint", "steps", "rate"}))
        << "no pointers, no sizes, nothing the program sets itself";
    const auto& p = slot.parameters();
    ASSERT_EQ(p.size(), 6u);
    EXPECT_EQ(p[0].type_name, "float");
    EXPECT_EQ(std::get<double>(p[0].initial), 2.0);
    EXPECT_EQ(p[1].kind, ParameterKind::boolean);
    EXPECT_EQ(std::get<bool>(p[1].initial), true);
    EXPECT_EQ(p[2].kind, ParameterKind::choice);
    EXPECT_EQ(p[2].choices, (std::vector<std::string>{"spots", "stripes"}));
    EXPECT_EQ(p[2].choice_values, (std::vector<std::int64_t>{3, 5}));
    EXPECT_EQ(std::get<std::int64_t>(p[2].initial), 3);
    EXPECT_EQ(p[3].widget, ParameterWidget::color);
    EXPECT_EQ(p[3].components, 3);
    EXPECT_EQ(std::get<std::int64_t>(p[4].initial), 4);
    EXPECT_EQ(p[5].type_name, "double");
}

constexpr const char* kStructures = R"cu(
enum Kind { spot, area };
struct Lamp { float watts; //@ 0..100 =60
              Kind kind; };
struct Light {
    float x; //@ -1..1 =0.5
    float3 color; //@ color =(1,0.5,0)
    int count;
    unsigned char level;
    bool on; //@ =true
    float weights[3]; //@ 0..1 =0.25
    Lamp lamps[2];
    int2 cell;
    double far;
    float4 base_color;
    float2 no_color;
};
union Either { float f; int i; };
struct Bits { int a : 3; int b : 5; };
struct Holder { float x; const float* data; };
struct Base { float low; };
struct Derived : Base { float high; };
struct Point { float x; //@ 0..9
               float y; };
__global__ void k(float* out, Light light, Either either, Bits bits, Holder holder, Derived derived,
                  int2 plain, int2 cell, //@ 0..7
                  float2 wind, Point point, const Light second, //@ hidden
                  char4 small) //@ =(1,2,3,4)
{
    out[0] = light.x;
}
)cu";

TEST_F(BuildTest, StructuresBecomeTheParametersOfTheirMembers) {
    KernelSlot slot{{kStructures, "light.cu", "", {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    std::string names;
    std::map<std::string, Parameter> by_name;
    for (const auto& p : slot.parameters()) {
        by_name[p.name] = p;
        if (!p.name.starts_with("second.")) names += p.name + " ";
    }
    EXPECT_EQ(names, "light.x light.color light.count light.level light.on light.weights[0] "
                     "light.weights[1] light.weights[2] light.lamps[0].watts light.lamps[0].kind "
                     "light.lamps[1].watts light.lamps[1].kind light.cell light.far "
                     "light.base_color light.no_color cell "
                     "wind "
                     "point.x point.y small ");
    EXPECT_EQ(by_name["light.x"].min, -1);
    EXPECT_EQ(std::get<double>(by_name["light.x"].initial), 0.5);
    EXPECT_EQ(by_name["light.color"].widget, ParameterWidget::color);
    EXPECT_EQ(by_name["light.count"].kind, ParameterKind::integer);
    EXPECT_TRUE(by_name["light.count"].implied);
    EXPECT_EQ(by_name["light.level"].max, 255) << "what the type holds";
    EXPECT_EQ(by_name["light.weights[2]"].max, 1);
    EXPECT_EQ(std::get<double>(by_name["light.lamps[1].watts"].initial), 60);
    EXPECT_EQ(by_name["light.lamps[0].kind"].choices, (std::vector<std::string>{"spot", "area"}));
    EXPECT_EQ(by_name["light.base_color"].widget, ParameterWidget::color) << "by its name";
    EXPECT_EQ(by_name["light.no_color"].widget, ParameterWidget::drag);
    EXPECT_TRUE(by_name["light.cell"].whole);
    EXPECT_EQ(by_name["wind"].components, 2);
    EXPECT_EQ(by_name["point.x"].max, 9);
    EXPECT_EQ(by_name["small"].min, -128);
    EXPECT_EQ(by_name["second.x"].widget, ParameterWidget::hidden);
    EXPECT_EQ(by_name["second.x"].min, -1);
}

TEST_F(BuildTest, AnEditSwapsAndAnErrorHasAPlace) {
    KernelSlot slot{{kSource, "fill.cu", "add", {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    std::string text = kSource;
    text.replace(text.find("+= value"), 8, "-= value");
    slot.set_source(text);
    ASSERT_TRUE(slot.wait()) << slot.log();
    EXPECT_EQ(run_add(slot, 7), std::vector<int>(16, -7));
    text.replace(text.find("-= value"), 8, "-= valve");
    slot.set_source(text);
    EXPECT_FALSE(slot.wait());
    EXPECT_EQ(slot.state(), SlotState::failed);
    ASSERT_FALSE(slot.diagnostics().empty());
    EXPECT_EQ(slot.diagnostics()[0].line, 17);
    EXPECT_EQ(slot.diagnostics()[0].column, 26);
    EXPECT_EQ(run_add(slot, 1), std::vector<int>(16, -1)) << "the last good one";
}

TEST_F(BuildTest, ABracketThatIsNotClosedIsPointedAt) {
    const auto first_of = [this](const std::string& text) {
        KernelSlot slot{{text, "step.cu", "", {}, {}}, services()};
        slot.wait();
        return slot.diagnostics().empty() ? std::string{} : to_string(slot.diagnostics().front());
    };
    EXPECT_EQ(first_of("__global__ void f(float* x) {\n    if (x) {\n        x[0] = 1;\n}\n"),
              "step.cu:2:12: error: missing }: the { opened at line 2 is not closed "
              "(line 4: expected a \"}\")");
    EXPECT_TRUE(first_of("__global__ void f(float* x) { // {\n    x[0] = 1;\n\n"
                         "__global__ void g(float* x) {\n}\n")
                    .starts_with("step.cu:1:29: error: missing }"));
    EXPECT_TRUE(first_of("__global__ void f(float* x) {\n    float a[2] = {1, 2;\n}\n")
                    .starts_with("step.cu:2:18: error: missing }"));
}

TEST_F(BuildTest, AnEntryThatIsNotThereIsNamed) {
    KernelSlot slot{{kSource, "fill.cu", "step", {}, {}}, services()};
    EXPECT_FALSE(slot.wait());
    ASSERT_EQ(slot.diagnostics().size(), 1u);
    EXPECT_EQ(slot.diagnostics()[0].text, "the source has no kernel 'step'; it has add, sim::fill");
    KernelSlot none{{"int x;", "none.cu", "", {}, {}}, services()};
    EXPECT_FALSE(none.wait());
    EXPECT_EQ(none.diagnostics().back().text, "the source has no __global__ function");
}

TEST_F(BuildTest, AVersionStaysLoadedWhileItIsHeld) {
    KernelSlot slot{{kSource, "fill.cu", "add", {}, {}}, services()};
    ASSERT_TRUE(slot.wait());
    const auto held = slot.loaded();
    slot.set_source(std::string{kSource} + "// another\n__device__ int more = 1;\n");
    ASSERT_TRUE(slot.wait()) << slot.log();
    gpu::DeviceBuffer out{16 * sizeof(int)};
    gpu::launch(held->kernels.at("add"), {{1, 1, 1}, {16, 1, 1}}, out, 16, 1, 1.0f);
    gpu::Context::current().synchronize();
}

TEST_F(BuildTest, AnEditFindsItsHeadersCompiled) {
    if (!gpu::nvrtc().pch_create_status || gpu::nvrtc().include_directories.empty())
        GTEST_SKIP() << "NVRTC has no precompiled headers, or there are no headers of CUDA";
    auto& headers = gpu::PrecompiledHeaders::instance();
    const std::string source = "#include <cuda_fp16.h>\n" + std::string{kSource};
    KernelSlot slot{{source, "headers.cu", "", {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    headers.wait();
    const auto before = headers.stats().used;
    // An edit that no cache has seen.
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    slot.set_source(source + "// edited at " + std::to_string(now) + "\n");
    ASSERT_TRUE(slot.wait()) << slot.log();
    EXPECT_GT(headers.stats().used, before);
}
