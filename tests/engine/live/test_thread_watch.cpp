// SPDX-License-Identifier: MIT
// A thread that is followed in a program that goes on, with the real compiler and device.
#include "engine/live/build.h"
#include "engine/live/thread_watch.h"
#include "gpu/context.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"
#include "gpu/nvrtc.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

using namespace lathe;
using State = ThreadWatch::State;

namespace {

constexpr const char* kHalving = R"(__device__ int step = 3;
__global__ void other(int* out) { out[0] = 7; }
__global__ void halve(int* out, int n) {
    int rounds = 0;
    while (n > 1) {
        n /= 2;
        rounds += 1;
    }
    out[threadIdx.x] = rounds * step;
}
)";
constexpr int kHalf = 6, kEnd = 10; // lines

class WatchedKernel : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        gpu::Context::primary(gpu::Device{0}).make_current();
        out.emplace(kThreads * sizeof(int));
    }

    static constexpr unsigned kThreads = 4;
    KernelSlotServices services() {
        KernelSlotServices s;
        s.build = build_for(gpu::Device{0});
        s.build_on = worker.executor();
        return s;
    }
    void wait() {
        while (watch.state() == State::compiling)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    /// As a program launches. True where a thread was followed.
    bool launch(KernelSlot& slot, int n) {
        const gpu::Kernel& kernel = slot.kernel("halve");
        const gpu::LaunchConfig config{{1, 1, 1}, {kThreads, 1, 1}};
        bool follows = false;
        gpu::launch_by(
            kernel,
            [&](void** arguments) {
                follows = watch.is_armed() && watch.wants(slot, "halve");
                if (follows) watch.launch(config, {}, arguments);
                else kernel.launch(config, arguments);
            },
            *out, n);
        return follows;
    }
    std::vector<int> results() {
        std::vector<int> host(kThreads);
        gpu::copy_to_host(host.data(), out->address(), out->bytes());
        return host;
    }
    std::vector<std::string> changes_of(int line) {
        std::vector<std::string> texts;
        for (const gpu::TraceLine& each : watch.lines())
            if (each.line == line)
                for (const auto& change : each.changes)
                    texts.push_back(change.type->name + " = " + gpu::to_text(change));
        return texts;
    }

    std::optional<gpu::DeviceBuffer> out;
    Worker worker;
    ThreadWatch watch{gpu::Device{0}, worker.executor()};
};

TEST_F(WatchedKernel, OneLaunchIsFollowedAndDoesItsWork) {
    KernelSlot slot{{kHalving, "halve.cu", {}, {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    EXPECT_EQ(watch.state(), State::off);
    EXPECT_FALSE(launch(slot, 5));
    watch.follow({&slot, "halve", {0, 0, 0}, {3, 0, 0}});
    EXPECT_TRUE(watch.is_armed());
    wait();
    ASSERT_EQ(watch.state(), State::waiting) << watch.problem();
    EXPECT_FALSE(watch.wants(slot, "other"));
    EXPECT_TRUE(launch(slot, 5));
    EXPECT_EQ(watch.state(), State::done);
    EXPECT_FALSE(watch.is_armed());
    EXPECT_THAT(results(), testing::Each(2 * 3));
    EXPECT_THAT(changes_of(kHalf), testing::ElementsAre("n = 2", "n = 1"));
    ASSERT_FALSE(watch.lines().empty());
    EXPECT_EQ(watch.lines().back().line, kEnd);
    ASSERT_TRUE(watch.lines().back().value("rounds"));
    EXPECT_EQ(gpu::to_text(*watch.lines().back().value("rounds")), "2");
    EXPECT_EQ(watch.text(), kHalving);
    EXPECT_FALSE(launch(slot, 9)) << "one launch, no more";
    EXPECT_THAT(results(), testing::Each(3 * 3));
}

TEST_F(WatchedKernel, AThreadThatTheLaunchHasNotHasNoLines) {
    KernelSlot slot{{kHalving, "halve.cu", {}, {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    watch.follow({&slot, "halve", {1, 0, 0}, {0, 0, 0}});
    wait();
    EXPECT_TRUE(launch(slot, 5));
    EXPECT_EQ(watch.state(), State::done);
    EXPECT_TRUE(watch.lines().empty());
    watch.follow({&slot, "nothing", {0, 0, 0}, {0, 0, 0}});
    EXPECT_EQ(watch.state(), State::failed);
    EXPECT_EQ(watch.problem(), "halve.cu has no kernel 'nothing'");
}

TEST_F(WatchedKernel, AnEditMeanwhileIsFollowedInItsPlace) {
    KernelSlot slot{{kHalving, "halve.cu", {}, {}, {}}, services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    watch.follow({&slot, "halve", {0, 0, 0}, {0, 0, 0}});
    wait();
    std::string text = kHalving;
    text.replace(text.find("n /= 2"), 6, "n /= 3");
    slot.set_source(text);
    slot.compile_now();
    ASSERT_TRUE(slot.wait()) << slot.log();
    EXPECT_FALSE(launch(slot, 9)) << "the version that was compiled for it runs no more";
    wait();
    EXPECT_TRUE(launch(slot, 9));
    EXPECT_THAT(changes_of(kHalf), testing::ElementsAre("n = 3", "n = 1"));
    EXPECT_EQ(watch.text(), text);
    watch.forget();
    EXPECT_EQ(watch.state(), State::off);
    EXPECT_TRUE(watch.lines().empty());
}

TEST_F(WatchedKernel, ValuesInWords) {
    KernelSlot slot{{R"(enum Color { red, green = 5 };
struct Pair { char tag; float2 at; };
__global__ void halve(int* out, int n) {
    const float third = 1.0f / 3.0f;
    double tenth = 0.1;
    bool is_odd = n % 2 == 1;
    Color color = green;
    short few[3] = {-1, 2, 3};
    Pair pair{'a', {0.5f, float(n)}};
    unsigned char byte = 200;
    out[threadIdx.x] = int(third + tenth) + is_odd + color + few[n % 3] + int(pair.at.y) + byte;
}
)",
                     "words.cu",
                     {},
                     {},
                     {}},
                    services()};
    ASSERT_TRUE(slot.wait()) << slot.log();
    watch.follow({&slot, "halve", {0, 0, 0}, {0, 0, 0}});
    wait();
    ASSERT_TRUE(launch(slot, 5)) << watch.problem();
    const auto word = [&](const char* name) {
        const auto* value = watch.lines().back().value(name);
        return value ? gpu::to_text(*value) : std::string{"none"};
    };
    EXPECT_EQ(word("third"), "0.33333334"); // IEEE's nearest, by its shortest digits
    EXPECT_EQ(word("tenth"), "0.1");
    EXPECT_EQ(word("is_odd"), "true");
    EXPECT_EQ(word("color"), "green");
    EXPECT_EQ(word("few"), "[-1, 2, 3]");
    EXPECT_EQ(word("pair"), "{tag: 97, at: {x: 0.5, y: 5}}");
    EXPECT_EQ(word("byte"), "200");
    EXPECT_EQ(word("out").substr(0, 2), "0x");
}

} // namespace
