// SPDX-License-Identifier: MIT
// App, as programs use it: arrays that kernels write and that are drawn, steps, resets, errors.
#include "engine/app/app.h"

#include "engine/app/app_options.h"
#include "engine/app/console.h"
#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/core/error.h"
#include "engine/interop/frame_map.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/shared_array.h"
#include "engine/render/screenshot.h"
#include "engine/scene/drawn_copies.h"
#include "gpu/array/elementwise.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "tests/full_disk.h"
#include "tests/gpu/device_test.h"
#include "tests/gpu/other_device.h"
#include "tests/logged_errors.h"
#include "tests/temp_folder.h"

#include <fmt/format.h>
#include <glad/gl.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <complex>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lathe {
namespace {

constexpr const char* kSource = R"(
__global__ void ramp(float* h, int width, int height, float start) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) h[y * width + x] = start + float(y * width + x) / (width * height);
}
__global__ void add(float* x, float a) { x[threadIdx.x] += a; }
__global__ void bad(float* x) { x[(1ll << 40) + threadIdx.x] = 1; }
)";

class ProgramTest : public gpu::DeviceTest {
protected:
    static AppConfig config(std::uint64_t frames = 3) {
        AppConfig c;
        c.width = 64;
        c.height = 48;
        c.headless = true;
        c.frames = frames;
        return c;
    }
    static int red(const ImageData& image, int x, int y) { return int(*image.at(x, y)); }
    static std::vector<float> values_of(const gpu::Array& array) {
        std::vector<float> all(std::size_t(array.size()));
        gpu::copy_to_host(all.data(), array.address(), array.bytes());
        return all;
    }
};

TEST_F(ProgramTest, ComputesOnTheDeviceThatOpenGLDrawsWith) {
    const CUdevice first = gpu::Device{}.get();
    constexpr CUdevice kOther = gpu::OtherDevice::kOther;
    const auto device_of_an_app = [](std::vector<CUdevice> drawn_with) {
        const gpu::OtherDevice other{std::move(drawn_with)};
        App app{config()};
        const gpu::Array h = app.array<float>({48, 64});
        EXPECT_EQ(app.run([&](const Step&) { app.image(h); }), 0);
        return gpu::Context::current().device().get();
    };
    EXPECT_EQ(device_of_an_app({first}), first);
    EXPECT_EQ(device_of_an_app({kOther}), kOther);
    EXPECT_EQ(device_of_an_app({kOther, first}), kOther);
    EXPECT_EQ(device_of_an_app({}), first);
}

TEST_F(ProgramTest, StepsLaunchAndDraw) {
    App app{config()};
    const gpu::Array h = app.array<float>({48, 64});
    AppKernel& ramp = app.kernel(kSource, "ramp");
    std::vector<float> times;
    const auto copied = interop_stats().bytes_copied;
    EXPECT_EQ(app.run([&](const Step& step) {
        EXPECT_EQ(step.index, times.size());
        times.push_back(step.time);
        ramp.over(h.shape())(h, 64, 48, 0.0f);
        app.image(h, {.colormap = "gray"});
    }),
              0);
    EXPECT_THAT(times,
                testing::ElementsAre(0, testing::FloatEq(1 / 60.f), testing::FloatEq(2 / 60.f)));
    const ImageData shown = app.screenshot();
    EXPECT_LT(red(shown, 0, 0), 10);
    EXPECT_GT(red(shown, 63, 47), 245);
    if (interop_mode() == InteropMode::zero_copy) {
        EXPECT_EQ(interop_stats().bytes_copied, copied);
    }
}

TEST_F(ProgramTest, APickedElementKnowsItsThread) {
    App app{config()};
    const gpu::Array h = app.array<float>({45, 61});
    AppKernel& ramp = app.kernel(kSource, "ramp");
    const auto picked = [&](AppKernel::Launch launch) {
        EXPECT_TRUE(app.begin_frame());
        app.begin_step();
        launch(h, 61, 45, 0.0f);
        app.image(h);
        app.end_frame();
        return app.view().pick({20, 30});
    };
    std::optional<Picked> found = picked(ramp.over(h.shape()));
    ASSERT_TRUE(found && found->thread);
    const auto row = unsigned(found->index[0]), column = unsigned(found->index[1]);
    EXPECT_EQ(*found->thread, (gpu::ThreadOfKernel{
                                  "ramp", {column / 16, row / 16, 0}, {column % 16, row % 16, 0}}));
    found = picked(ramp.grid({2, 12}, {32, 4}));
    ASSERT_TRUE(found && found->thread);
    EXPECT_EQ(*found->thread,
              (gpu::ThreadOfKernel{"ramp", {column / 32, row / 4, 0}, {column % 32, row % 4, 0}}));
    EXPECT_FALSE(picked(ramp.grid({2, 13}, {32, 4}))->thread);
    // Another kernel that is given the array may write it, or read it.
    AppKernel& other =
        app.kernel("__global__ void other(float* h, int, int, float) {}", "other", {}, "other.cu");
    (void)picked(ramp.over(h.shape()));
    EXPECT_FALSE(picked(other.over(h.shape()))->thread);
}

TEST_F(ProgramTest, TheListIsDrawnAgainWithoutAStepAndDroppedWithAFailedOne) {
    App app{config()};
    const std::vector<float> ones(48 * 64, 1.0f);
    const gpu::Array white = app.array<float>({48, 64}, std::span{ones}),
                     black = app.array<float>({48, 64});
    const auto middle = [&] { return red(app.screenshot(), 32, 24); };
    ASSERT_TRUE(app.begin_frame());
    app.begin_step();
    app.image(white, {.colormap = "gray"});
    app.end_frame();
    EXPECT_EQ(middle(), 255);
    ASSERT_TRUE(app.begin_frame());
    app.end_frame();
    EXPECT_EQ(middle(), 255);
    ASSERT_TRUE(app.begin_frame());
    app.begin_step();
    app.image(black, {.colormap = "gray"});
    app.drop_step();
    app.end_frame();
    EXPECT_EQ(middle(), 255);
    ASSERT_TRUE(app.begin_frame());
    app.begin_step();
    app.end_frame();
    EXPECT_LT(middle(), 20); // an empty list: the background
}

TEST_F(ProgramTest, OtherArraysAreDrawnByOneCopyOfThisMoment) {
    App app{config()};
    gpu::Array numbers = gpu::Array::empty(DType::complex128, {48, 64});
    const auto fill = [&](double value) {
        gpu::assign(numbers, gpu::make_scalar(DType::complex128, std::complex<double>{0, value}));
    };
    ASSERT_TRUE(app.begin_frame());
    app.begin_step();
    fill(-1);
    app.image(numbers, {.colormap = "gray"});
    fill(0);
    app.end_frame();
    EXPECT_EQ(red(app.screenshot(), 32, 24), 255);
    EXPECT_THROW(app.image(gpu::Array::empty(DType::float32, {4})), Error);
    EXPECT_THROW(app.image(gpu::Array::empty(DType::float32, {4, 4, 5})), Error);
    EXPECT_THROW(app.points(gpu::Array::empty(DType::float32, {4, 5})), Error);
    EXPECT_THROW(app.lines(gpu::Array::empty(DType::float32, {4})), Error);
    EXPECT_THROW(app.image(gpu::Array::empty(gpu::ElementType::structure(12), {4, 4})),
                 gpu::TypeError);
    const auto places = gpu::Array::empty(DType::float32, {4, 2});
    const auto colors = gpu::Array::empty(DType::int32, {4, 4});
    const auto levels = gpu::Array::empty(DType::complex64, {4});
    EXPECT_THROW(app.points(gpu::Array::empty(DType::complex64, {4, 2})), gpu::TypeError);
    EXPECT_THROW(app.points(places, {}, {.colors = &colors}), gpu::TypeError);
    EXPECT_THROW(app.points(places, {}, {.values = &levels}), gpu::TypeError);
}

TEST_F(ProgramTest, PlacesAndValuesAreRealNumbersOfAnyType) {
    App app{config()};
    for (const DType dtype :
         {DType::int8, DType::int32, DType::int64, DType::float16, DType::float64}) {
        for (const bool is_ours : {true, false}) {
            const auto zeros = [&](const gpu::Extents& shape) {
                gpu::Array array =
                    is_ours ? app.array(dtype, shape) : gpu::Array::empty(dtype, shape);
                gpu::assign(array, gpu::make_scalar(dtype, std::int64_t{0}));
                return array;
            };
            const gpu::Array places = zeros({1, 2});
            gpu::Array values = zeros({1});
            gpu::assign(values, gpu::make_scalar(dtype, std::int64_t{3}));
            ASSERT_TRUE(app.begin_frame());
            app.begin_step();
            app.points(places,
                       {.size = 9, .blend = Blend::opaque, .colormap = "gray", .range = {0, 3}},
                       {.values = &values});
            app.end_frame();
            EXPECT_EQ(red(app.screenshot(), 32, 24), 255) << name_of(dtype) << is_ours;
        }
    }
}

TEST_F(ProgramTest, BytesAreShownUpTo255UnlessARangeIsGiven) {
    App app{config()};
    gpu::Array bytes = app.array<std::uint8_t>({4, 4});
    for (const bool is_given : {false, true}) {
        ImageStyle style{.colormap = "gray"};
        if (is_given) style.range = {0, 102};
        gpu::assign(bytes, gpu::make_scalar(DType::uint8, std::int64_t{51}));
        ASSERT_TRUE(app.begin_frame());
        app.begin_step();
        app.image(bytes, style);
        app.end_frame();
        EXPECT_NEAR(red(app.screenshot(), 32, 24), is_given ? 128 : 51, 1);
    }
}

TEST_F(ProgramTest, AResetBringsBackFirstContentsAndTime) {
    App app{config(4)};
    const std::vector<float> first{1, 2, 3, 4};
    const gpu::Array a = app.array<float>({4}, std::span{first}), b = app.array<float>({4});
    AppKernel& add = app.kernel(kSource, "add");
    int resets = 0;
    std::vector<std::uint64_t> indices;
    app.on_reset([&] { ++resets; });
    EXPECT_EQ(app.run([&](const Step& step) {
        indices.push_back(step.index);
        add.grid({1}, {4})(a, 1.0f);
        add.grid({1}, {4})(b, 1.0f);
        if (indices.size() == 2) app.run_control().request_reset();
    }),
              0);
    EXPECT_EQ(resets, 2);
    EXPECT_THAT(indices, testing::ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(values_of(a), testing::ElementsAre(3, 4, 5, 6));
    EXPECT_THAT(values_of(b), testing::Each(2));
}

TEST_F(ProgramTest, ScratchIsNoPartOfTheState) {
    App app{config()};
    const gpu::Array kept = app.array<float>({4}, "kept");
    const gpu::Array scratch = app.scratch_array(DType::float32, {4});
    EXPECT_THAT(values_of(scratch), testing::Each(0));
    app.kernel(kSource, "add").grid({1}, {4})(scratch, 1.0f);
    ASSERT_EQ(app.memories().size(), 1u);
    EXPECT_EQ(app.memories()[0].first, "kept");
    app.restore_arrays();
    EXPECT_THAT(values_of(scratch), testing::Each(1)) << "a reset leaves it";
    EXPECT_TRUE(place_in_gl(scratch, *app.frame_map()).has_value());
}

TEST_F(ProgramTest, AReloadFindsMemoryAndKernelsByName) {
    App app{config()};
    const std::vector<float> first{1, 2, 3, 4};
    const std::vector<std::byte> texels(12, std::byte{7});
    std::optional<gpu::Array> a = app.array<float>({4}, std::span{first}, "a");
    const gpu::Array unnamed = app.array<float>({2}), other = app.array<float>({4}, "other");
    const Texture t = app.texture(DType::uint8, {3, 4}, false, texels, "t");
    AppKernel& add = app.kernel(kSource, "add");
    EXPECT_EQ(&app.kernel(kSource, "add"), &add);
    EXPECT_EQ(&app.kernel(kSource, "ramp").slot(), &add.slot());
    AppKernel& named = app.kernel("__global__ void one(int* x) { *x = 1; }", "one", {}, "n.cu");
    EXPECT_NE(&named.slot(), &add.slot());
    EXPECT_THROW(app.array<float>({9}, "a"), std::invalid_argument);
    EXPECT_THROW(app.array<float>({4}, "t"), std::invalid_argument);
    add.grid({1}, {4})(*a, 1.0f);

    app.begin_reload();
    const std::vector<float> second{5, 6, 7, 8};
    const gpu::Array again = app.array<float>({4}, std::span{second}, "a");
    EXPECT_EQ(again.owner(), a->owner());
    EXPECT_THAT(values_of(again), testing::ElementsAre(2, 3, 4, 5)) << "contents stay";
    EXPECT_EQ(app.array<float>({2}).owner(), unnamed.owner());
    EXPECT_NE(app.array<float>({5}, "other").owner(), other.owner()) << "another shape";
    EXPECT_EQ(app.texture(DType::uint8, {3, 4}, false, {}, "t").owner(), t.owner());
    EXPECT_EQ(&app.kernel(kSource, "add"), &add);
    AppKernel& edited = app.kernel("__global__ void one(int* x) { *x = 2; }", "one", {}, "n.cu");
    EXPECT_EQ(&edited, &named);
    const gpu::Array x = app.array(DType::int32, {1});
    edited.grid({1}, {1})(x);
    int got = 0;
    gpu::copy_to_host(&got, x.address(), sizeof got);
    EXPECT_EQ(got, 2);

    app.restore_arrays();
    EXPECT_THAT(values_of(again), testing::ElementsAre(5, 6, 7, 8));
    std::vector<std::byte> read(12);
    t.copy_to_host(read.data());
    EXPECT_THAT(read, testing::Each(std::byte{0})) << "what the reload gave";
}

TEST_F(ProgramTest, ATextureIsWrittenByAKernelAndDrawn) {
    App app{config()};
    const Texture t = app.texture(DType::float32, {48, 64});
    AppKernel& ramp = app.kernel("__global__ void ramp(cudaSurfaceObject_t out) {\n"
                                 "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                 "    surf2Dwrite(x / 64.0f, out, 4 * x, y);\n"
                                 "}\n");
    EXPECT_EQ(app.run([&](const Step&) {
        ramp.over({48, 64})(t.surface());
        app.image(t, {.colormap = "gray"});
    }),
              0);
    const ImageData shown = app.screenshot();
    EXPECT_LT(red(shown, 1, 24), 10);
    EXPECT_NEAR(red(shown, 32, 24), 128, 4);
    EXPECT_GT(red(shown, 62, 24), 240);
    EXPECT_THROW(app.texture(DType::float64, {4, 4}), gpu::TypeError);
    EXPECT_THROW(app.texture(DType::float16, {4, 4, 2}), gpu::ShapeError);
    EXPECT_THROW(app.texture(DType::int32, {4, 4}, true), gpu::ShapeError);
}

/// Takes a large part of a second to compile; no cache has it.
std::string slow_source() {
    const unsigned salt = std::random_device{}();
    std::string text;
    for (int i = 0; i < 10; ++i)
        text += fmt::format("__global__ void k{0}(float* x) {{ for (int i = 0; i < {0}; ++i) "
                            "x[i] = sinf(x[i] + {1}) * powf(x[i], {0}.5f); }}\n",
                            i, salt);
    return text;
}

TEST_F(ProgramTest, AProgramGoesOnWhileItWaitsForACompile) {
    App app{config()};
    int looks = 0;
    app.set_while_waiting([&] { ++looks; });
    (void)app.kernel(slow_source(), "k3");
    EXPECT_GT(looks, 1);
    app.set_while_waiting([&] { throw std::runtime_error{"Ctrl+C"}; });
    EXPECT_THROW(app.kernel(slow_source(), "k3"), std::runtime_error);
    app.set_while_waiting({});
    AppKernel& add = app.kernel(kSource, "add");
    const gpu::Array a = app.array<float>({4});
    EXPECT_EQ(app.run([&](const Step&) { add.grid({1}, {4})(a, 1.0f); }), 0);
    EXPECT_THAT(values_of(a), testing::Each(3));
}

TEST_F(ProgramTest, AProgramMayGoOnWithoutACompile) {
    App app{config(1)};
    app.window().inject(KeyEvent{Key::escape, true, false, 0});
    const std::string source = slow_source();
    KernelSlot& slot = app.kernel_slot(source, "k3");
    EXPECT_FALSE(slot.ready());
    EXPECT_THROW(app.kernel(source, "k3"), Error);
    slot.wait();
    EXPECT_TRUE(slot.ready());
}

TEST_F(ProgramTest, ArraysOfALoopAreNotKept) {
    App app{config(20)};
    std::weak_ptr<const void> kept = app.array<float>({8, 8}, "kept").owner();
    std::vector<std::weak_ptr<const void>> passing;
    EXPECT_EQ(app.run([&](const Step&) {
        const gpu::Array array = app.array<float>({8, 8});
        passing.push_back(array.owner());
        app.image(array);
    }),
              0);
    EXPECT_FALSE(kept.expired());
    const auto alive = std::count_if(passing.begin(), passing.end(),
                                     [](const auto& each) { return !each.expired(); });
    EXPECT_EQ(passing.size(), 20u);
    EXPECT_LE(alive, 3) << "those of the picture";
}

TEST_F(ProgramTest, WhatAStepThrowsEndsAProgramWithoutAWindow) {
    App app{config()};
    int steps = 0;
    EXPECT_EQ(app.run([&](const Step&) {
        ++steps;
        throw std::runtime_error{"of the step"};
    }),
              1);
    EXPECT_EQ(steps, 1);
    const auto lines = app.console().lines();
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                            [](const auto& line) { return line.text == "of the step"; }));
}

TEST_F(ProgramTest, WrongKernelsAndLaunchesAreToldAtOnce) {
    App app{config()};
    EXPECT_THROW(app.kernel("nowhere.cu"), Error);
    EXPECT_THROW(app.kernel("__global__ void broken( {"), Error);
    const std::vector<float> first(4);
    const gpu::Array a = app.array<float>({4});
    AppKernel& add = app.kernel(kSource, "add");
    EXPECT_THROW(add.over({4})(a), gpu::Error);
    EXPECT_THROW(add.over({4})(a, 1.0), gpu::Error); // eight bytes where four are wanted
    EXPECT_THROW((void)add.over({4, 4, 4, 4}), gpu::ShapeError);
    EXPECT_THROW((void)add.over({0}), gpu::ShapeError);
    EXPECT_THROW(app.array<float>({3}, std::span{first}), gpu::ShapeError);
}

TEST_F(ProgramTest, ArraysMayOutliveTheirApp) {
    const std::vector<float> first{1, 2, 3, 4};
    std::optional<App> app{std::in_place, config()};
    const gpu::Array a = app->array<float>({4}, std::span{first});
    app->kernel(kSource, "add").grid({1}, {4})(a, 1.0f);
    app.reset();
    EXPECT_THAT(values_of(a), testing::ElementsAre(2, 3, 4, 5));
}

TEST_F(ProgramTest, AFurtherWindowShowsTheSameArrayInTheSameFrame) {
    App app{config(3)};
    SideWindow& side = app.open_window("side", 32, 24);
    EXPECT_EQ(&app.open_window("side"), &side);
    const auto x = app.array<float>({4, 4});
    AppKernel& ramp = app.kernel(kSource, "ramp");
    EXPECT_EQ(app.run([&](const Step& step) {
        ramp.over(x.shape())(x, 4, 4, 0.25f * float(step.index + 1));
        app.image(x, {.range = ValueRange{0, 1}, .colormap = "gray"});
        side.view().image(x, {.range = ValueRange{1, 0}, .colormap = "gray"});
    }),
              0);
    EXPECT_NEAR(red(app.screenshot(), 8, 0), 191, 1);
    EXPECT_NEAR(red(side.screenshot(), 4, 0), 64, 1);
    EXPECT_EQ(app.drawn_bytes().copied + app.drawn_bytes().uploaded, 0u);
    side.close();
    EXPECT_EQ(app.run([&](const Step&) { side.view().image(x); }, 2), 0);
    EXPECT_FALSE(side.is_open());
    EXPECT_THROW(side.screenshot(), Error);
}

TEST_F(ProgramTest, OptionsOfTheCommandLine) {
    const auto read = [](std::vector<const char*> words) {
        return parse_options({const_cast<char* const*>(words.data()), words.size()},
                             {.title = "t"});
    };
    const AppConfig c = read({"--headless", "--frames", "7", "--size", "320x200", "--out", "here",
                              "--set", "feed=0.1", "--set", "kill=2", "--fresh", "--no-ui"});
    EXPECT_EQ(c.title, "t");
    EXPECT_EQ(c.headless, true);
    EXPECT_EQ(c.frames, 7u);
    EXPECT_EQ(c.width, 320);
    EXPECT_EQ(c.height, 200);
    EXPECT_EQ(c.out, "here");
    EXPECT_EQ(c.ui, false);
    EXPECT_THAT(c.assignments, testing::ElementsAre("feed=0.1", "kill=2"));
    EXPECT_EQ(c.inspecting, Inspecting::off);
    EXPECT_TRUE(c.fresh);
    EXPECT_FALSE(read({}).fresh);
    EXPECT_EQ(read({"--inspect"}).inspecting, Inspecting::costs);
    EXPECT_EQ(read({"--inspect-hazards"}).inspecting, Inspecting::hazards);
    EXPECT_THAT([&] { read({"--size", "3x3"}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("sides are 16 to 16384")));
    EXPECT_THAT([&] { read({"--frames"}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("wants a value")));
    EXPECT_THAT([&] { read({"--speed"}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("is not known")));
    EXPECT_THAT([&] { read({"--device", "fast"}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("auto, hardware or software")));
}

TEST_F(ProgramTest, WhatIsLeftBehind) {
    const test::TempFolder folder;
    AppConfig c = config();
    c.title = "left";
    c.out = folder.path();
    App app{c};
    const gpu::Array h = app.array<float>({48, 64});
    EXPECT_EQ(app.run([&](const Step&) { app.image(h); }), 0);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "left.png"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "left.mp4") ||
                std::filesystem::exists(folder.path() / "left"));
}

TEST_F(ProgramTest, AFullDiskIsToldOnceForEachFileAndIsNoFault) {
    const test::TempFolder folder;
    AppConfig c = config();
    c.title = "left";
    c.out = folder.path();
    App app{c};
    const gpu::Array h = app.array<float>({48, 64});
    const test::LoggedErrors errors;
    int steps = 0;
    {
        const test::FullDisk full{60};
        app.steps().start();
        while (app.steps().next()) { // what passes through would end the program
            app.image(h);
            ++steps;
        }
        app.steps().write_results();
    }
    EXPECT_EQ(steps, 3);
    const auto told = errors.texts();
    ASSERT_EQ(told.size(), 2u) << testing::PrintToString(told);
    EXPECT_THAT(told, testing::Contains(testing::HasSubstr(
                          "cannot write " + (folder / "left.png").string() + ": File too large")));
    EXPECT_THAT(told, testing::Contains(testing::HasSubstr("the recording ends: cannot write " +
                                                           (folder / "left").string())));
    EXPECT_TRUE(app.steps().written().empty());
    EXPECT_EQ(app.run([&](const Step&) { app.image(h); }), 0) << "the disk has room again";
    EXPECT_EQ(app.steps().written().size(), 1u) << "the picture; the movie has ended";
}

TEST_F(ProgramTest, ARunWhoseFilesCannotBeWrittenSaysSo) {
    const test::TempFolder folder;
    AppConfig c = config();
    c.out = folder.path();
    App app{c};
    const gpu::Array h = app.array<float>({48, 64});
    const test::FullDisk full{60};
    EXPECT_EQ(app.run([&](const Step&) { app.image(h); }), 1);
}

TEST_F(ProgramTest, PointsInThePlaneLeaveTheCameraOfSpace) {
    App app{config(2)};
    const gpu::Array space = app.array<float>({4, 3}), plane = app.array<float>({4, 2});
    glm::mat4 seen[2];
    int frames = 0;
    app.on_draw([&](const DrawView& view) { seen[frames++] = view.projection * view.view; });
    EXPECT_EQ(app.run([&](const Step& step) {
        if (step.index == 0) app.points(plane);
        app.points(space);
        if (step.index == 1) app.points(plane);
    }),
              0);
    const glm::mat4 orbit = app.orbit_camera().view_projection(64.0f / 48);
    EXPECT_EQ(seen[0], orbit); // in the first frame, too
    EXPECT_EQ(seen[1], orbit);
}

TEST_F(ProgramTest, EventsOfAnotherProgramTurnTheCamera) {
    App app{config()};
    app.use_camera(Camera::orbit);
    const float yaw = app.orbit_camera().yaw;
    const auto nothing = [](const Step&) {};
    app.run(nothing, 1);
    app.window().inject(MoveEvent{{20, 20}});
    app.window().inject(ButtonEvent{MouseButton::left});
    app.window().inject(MoveEvent{{32, 20}});
    EXPECT_EQ(app.orbit_camera().yaw, yaw);
    app.run(nothing, 1);
    EXPECT_FLOAT_EQ(app.orbit_camera().yaw, yaw - std::numbers::pi_v<float> / 4);
    EXPECT_TRUE(app.window().input().is_down(MouseButton::left));
}

TEST_F(ProgramTest, ARangeOfEqualEndsIsAStep) {
    App app{config(1)};
    const std::vector<float> values{1, 1, 2, 2};
    const gpu::Array h = app.array<float>({2, 2}, std::span{values});
    EXPECT_EQ(app.run([&](const Step&) { app.image(h, {.range = {{1, 1}}, .colormap = "gray"}); }),
              0);
    const ImageData picture = app.screenshot();
    EXPECT_EQ(red(picture, 32, 10), 0);
    EXPECT_EQ(red(picture, 32, 40), 255);
}

TEST_F(ProgramTest, RunsAgain) {
    App app{config()};
    std::vector<std::uint64_t> steps;
    const auto remember = [&](const Step& step) { steps.push_back(step.index); };
    EXPECT_EQ(app.run(remember, 2), 0);
    EXPECT_EQ(app.run(remember, 1), 0);
    EXPECT_THAT(steps, testing::ElementsAre(0, 1, 2));
    EXPECT_EQ(app.run(remember), 0);
    EXPECT_EQ(steps.size(), 6);
    while (app.steps().next()) remember(app.steps().step()); // a loop of the program's own
    EXPECT_EQ(steps.back(), 8);
    app.steps().close();
    EXPECT_FALSE(app.steps().next());
    EXPECT_FALSE(app.steps().next());
}

/// Fills the left half of the picture, and leaves a mess behind.
class HalfRenderer final : public Renderer {
public:
    void draw(const DrawView& view) override {
        seen = view;
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, view.size.x / 2, view.size.y);
        glClearColor(1, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, 1, 1);
    }
    DrawView seen;
};

TEST_F(ProgramTest, DrawsWithGlOfItsOwn) {
    App app{config()};
    const gpu::Array h = app.array<float>({48, 64});
    const auto half = std::make_shared<HalfRenderer>();
    app.add_renderer(half);
    int calls = 0;
    app.on_draw([&](const DrawView&) { ++calls; });
    EXPECT_EQ(app.run([&](const Step&) { app.image(h, {.colormap = "gray"}); }), 0);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(half->seen.size, (glm::ivec2{64, 48}));
    const ImageData picture = app.screenshot();
    EXPECT_EQ(red(picture, 10, 20), 255);
    EXPECT_EQ(red(picture, 50, 20), 0);
    EXPECT_NE(app.gl_buffer(h).first, 0u);
    const gpu::Array elsewhere = gpu::Array::empty(DType::float32, {4});
    EXPECT_THROW(app.gl_buffer(elsewhere), Error);
}

TEST_F(ProgramTest, DrawingThatThrowsEndsTheFrameWell) {
    App app{config()};
    app.on_draw([](const DrawView&) {
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        throw std::runtime_error{"no more paint"};
    });
    EXPECT_EQ(app.run([](const Step&) {}), 1);
    EXPECT_FALSE(app.in_frame());
    EXPECT_EQ(app.run([](const Step&) {}), 0); // it draws again after a reset
    app.run_control().request_reset();
    EXPECT_EQ(app.run([](const Step&) {}), 1);
}

} // namespace
} // namespace lathe
