// SPDX-License-Identifier: MIT
// Apps, arrays and textures that die in any order, again and again: nothing is thrown, and nothing
// is left behind.
#include "engine/app/app.h"
#include "engine/app/frame_loop.h"
#include "engine/app/window.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/layout.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"
#include "tests/gpu/footprint.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace lathe {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) { return random() % end; }

/// One of the three, or what keeps an App's window.
struct Thing {
    std::unique_ptr<App> app{};
    std::optional<gpu::Array> array{};
    std::optional<Texture> texture{};
    std::shared_ptr<FrameMap> map{};
};

std::unique_ptr<App> make_app() {
    AppConfig c;
    c.width = 32;
    c.height = 16;
    c.headless = true;
    return std::make_unique<App>(c);
}

/// Things that are alive, and the App that outlives them all.
class Crowd {
public:
    Crowd(App& lasting, std::size_t seed) : lasting_{lasting}, random_(unsigned(seed)) {}

    void make(std::size_t count, std::size_t apps) {
        for (std::size_t i = 0; i < count; ++i) {
            things_.push_back(i % (count / apps) == 0 ? Thing{make_app()} : make_memory());
            if (below(random_, 8) == 0) show();
            if (below(random_, 5) < 3) end_one();
        }
        while (!things_.empty()) end_one();
    }

private:
    App& some_app() {
        std::vector<App*> apps{&lasting_};
        for (const Thing& each : things_)
            if (each.app) apps.push_back(each.app.get());
        return *apps[below(random_, apps.size())];
    }
    const gpu::Array* some_array() {
        std::vector<const gpu::Array*> arrays;
        for (const Thing& each : things_)
            if (each.array) arrays.push_back(&*each.array);
        return arrays.empty() ? nullptr : arrays[below(random_, arrays.size())];
    }

    Thing make_memory() {
        static constexpr std::array<float, 6> kFirst{1, 2, 3, 4, 5, 6};
        App& app = some_app();
        const gpu::Array* other = some_array();
        const auto side = std::int64_t(1 + below(random_, 40));
        switch (below(random_, other ? 8 : 5)) {
        case 0: return {.array = app.array<float>({side, 8})};
        case 1: return {.array = app.array<float>({2, 3}, std::span{kFirst})};
        case 2: return {.texture = app.texture(DType::uint8, {side, 8, 4}, true)};
        case 3: return {.texture = Texture{app.frame_map(), DType::float32, {8, side}}};
        case 4: return {.map = app.frame_map()};
        case 5: return {.array = app.array(other->type(), other->shape(), {.array = other})};
        case 6: return {.array = gpu::copy(*other)};
        default: {
            const auto axes = std::to_array<std::int64_t>({1, 0});
            return {.array = other->view(other->type(), gpu::transpose(other->layout(), axes))};
        }
        }
    }
    /// A frame with an array of this App, of another, or of one that is gone.
    void show() {
        App& app = some_app();
        const gpu::Array* array = some_array();
        if (!app.begin_frame()) return;
        app.begin_step();
        if (array) app.image(*array, {.range = {{0, 10}}});
        app.end_frame();
    }
    void end_one() {
        std::swap(things_[below(random_, things_.size())], things_.back());
        Thing& last = things_.back();
        float value = 0; // each can be used to its end
        if (last.array) gpu::copy_to_host(&value, last.array->address(), sizeof value);
        EXPECT_TRUE(value == 0 || value == 1) << value; // zeroed, or kFirst
        EXPECT_TRUE(!last.texture || last.texture->surface() != 0);
        things_.pop_back();
    }

    App& lasting_;
    Random random_;
    std::vector<Thing> things_;
};

class LifetimesTest : public gpu::DeviceTest {
protected:
    /// Less than is free, so that the device's memory is not what others leave of the machine's.
    static void SetUpTestSuite() { setenv("LATHE_SOFT_MEMORY_MB", "1024", 0); }

    /// Buffers and textures of this App's context.
    static std::size_t gl_objects(App& app) {
        (void)app.array<float>({1});  // lets go those that nobody else has
        for (int k = 0; k < 3; ++k) { // lets go the copies that steps before have drawn
            EXPECT_TRUE(app.begin_frame());
            app.begin_step();
            app.end_frame(); // deletes what was given up in other contexts
        }
        app.window().context().make_current();
        unsigned names[2];
        glCreateBuffers(1, &names[0]);
        glCreateTextures(GL_TEXTURE_2D, 1, &names[1]);
        std::size_t found = 0;
        for (unsigned id = 1; id <= std::max(names[0], names[1]) + 1000; ++id)
            found += std::size_t(glIsBuffer(id) != 0) + std::size_t(glIsTexture(id) != 0);
        glDeleteBuffers(1, &names[0]);
        glDeleteTextures(1, &names[1]);
        return found;
    }
};

// 5,000 until caches are full, 5,000 that must leave nothing. An App that outlives the others is
// among them: Mesa's tables of names grow with each name that a context ever had.
TEST_F(LifetimesTest, TenThousandDyingInAnyOrderLeaveNothing) {
    const gpu::BestCodeScope best; // no code waits to be compiled while memory is looked at
    const auto cycle = [](std::size_t i) {
        const std::unique_ptr<App> lasting = make_app();
        Crowd{*lasting, i}.make(125, 2); // which compiles what GL and CUDA need
        const std::size_t objects = gl_objects(*lasting);
        Crowd{*lasting, 10 + i}.make(1124, 24);
        EXPECT_LE(gl_objects(*lasting), objects);
    };
    for (std::size_t i = 0; i < 4; ++i) cycle(i);
    // A node of a map that each of the 104 Apps leaves is 8 KiB of the heap.
    constexpr std::size_t kHeapBytes = 4 << 10, kResidentBytes = 2 << 20;
    std::size_t heap = 0, resident = 0;
    for (int round = 0; round < 3; ++round) { // allocators settle, a leak grows each time
        const test::Footprint before = test::Footprint::now();
        for (std::size_t i = 0; i < 4; ++i) cycle(i);
        const test::Footprint after = test::Footprint::now();
        EXPECT_LE(after.handles, before.handles);
        EXPECT_LE(after.device_bytes, before.device_bytes);
        heap = std::max(after.heap_bytes, before.heap_bytes) - before.heap_bytes;
        resident = std::max(after.resident_bytes, before.resident_bytes) - before.resident_bytes;
        std::printf("growth: heap %zu, resident %zu of %zu bytes\n", heap, resident,
                    after.resident_bytes);
        if (heap <= kHeapBytes && resident <= kResidentBytes) break;
    }
    EXPECT_LE(heap, kHeapBytes);
    EXPECT_LE(resident, kResidentBytes);
}

} // namespace
} // namespace lathe
