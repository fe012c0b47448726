// SPDX-License-Identifier: MIT
// A run that goes back and on, beside one that never did.
#include "engine/app/history.h"

#include "engine/app/app.h"
#include "engine/app/console.h"
#include "engine/app/run_control.h"
#include "gpu/memory.h"
#include "tests/gpu/device_test.h"

#include <gmock/gmock.h>

#include <cstring>
#include <vector>

namespace lathe {
namespace {

using testing::HasSubstr;

/// Rounding makes each step's bits hang on all before.
constexpr const char* kLogistic = R"(
__global__ void logistic(float* x, float r, float dt) {
    if (threadIdx.x >= 32) return;
    float v = x[threadIdx.x];
    x[threadIdx.x] = r * v * (1 - v) + 0.001f * dt;
}
__global__ void paint(cudaSurfaceObject_t to, const float* x) {
    if (threadIdx.x < 32) surf2Dwrite(x[threadIdx.x], to, threadIdx.x * 4, 0);
}
)";

class HistoryTest : public gpu::DeviceTest {
protected:
    static constexpr std::int64_t kCount = 32;
    using Values = std::vector<float>;

    static AppConfig config(std::size_t history_bytes = 1 << 20) {
        AppConfig c;
        c.width = c.height = 32;
        c.headless = true;
        c.history_bytes = history_bytes;
        return c;
    }

    /// A program with an array, a texture and a number of its own.
    struct Program {
        explicit Program(AppConfig config) : app{std::move(config)} {
            Values first(kCount);
            for (std::size_t k = 0; k < first.size(); ++k) first[k] = 0.2f + 0.01f * float(k);
            x = app.array<float>({1, kCount}, std::span<const float>{first});
            app.history().values = {
                .copy = [this]() -> History::Values::Copy {
                    return {std::make_shared<int>(count), sizeof count};
                },
                .put_back = [this](const void* old) { count = *static_cast<const int*>(old); },
                .is_same =
                    [this](const void* old) { return count == *static_cast<const int*>(old); }};
        }
        void run(std::uint64_t frames) {
            const int failed = app.run(
                [&](const Step& step) {
                    app.kernel(kLogistic, "logistic").over({kCount})(x, r, step.dt);
                    app.kernel(kLogistic, "paint").over({kCount})(texture.surface(), x);
                    ++count;
                    indices.push_back(step.index);
                    app.image(x);
                },
                frames);
            EXPECT_EQ(failed, 0);
        }
        Values values() const {
            Values all(kCount);
            gpu::copy_to_host(all.data(), x.address(), x.bytes());
            return all;
        }
        Values painted() const {
            Values all(kCount);
            texture.copy_to_host(all.data());
            return all;
        }
        std::uint64_t now() { return app.steps().step().index; }
        void go_to(std::uint64_t step) {
            app.run_control().request_go_to(step);
            run(1);
        }

        App app;
        gpu::Array x;
        Texture texture = app.texture(DType::float32, {1, kCount});
        float r = 3.7f;
        int count = 0;
        std::vector<std::uint64_t> indices;
    };

    static Values straight(std::uint64_t steps) {
        Program program{config(0)};
        program.run(steps);
        return program.values();
    }
};

TEST_F(HistoryTest, BackAndOnIsTheStraightRunBitForBit) {
    Program program{config()};
    program.run(200);
    const Values end = program.values();
    EXPECT_EQ(end, straight(200));
    program.go_to(49);
    EXPECT_EQ(program.now(), 49u);
    EXPECT_EQ(program.count, 50);
    EXPECT_EQ(program.values(), straight(50));
    EXPECT_EQ(program.painted(), straight(50));
    double time = 0;
    for (int step = 0; step < 49; ++step) time += 1.0 / 60;
    EXPECT_EQ(program.app.steps().time(), time);
    program.run(150);
    EXPECT_EQ(program.now(), 199u);
    EXPECT_EQ(program.values(), end);
    EXPECT_EQ(program.count, 200);
    EXPECT_EQ(program.app.history().timeline().branches().size(), 1u) << "nothing was otherwise";
}

TEST_F(HistoryTest, AStepBackShowsTheStepBefore) {
    Program program{config()};
    program.run(10);
    program.app.run_control().request_step_back();
    program.run(1);
    EXPECT_EQ(program.now(), 8u);
    EXPECT_TRUE(program.app.run_control().paused);
    EXPECT_EQ(program.values(), straight(9));
    program.app.run_control().request_step_back();
    program.app.run_control().request_step_back();
    program.run(1);
    EXPECT_EQ(program.now(), 6u);
    for (int k = 0; k < 20; ++k) program.app.run_control().request_step_back();
    program.run(1);
    EXPECT_EQ(program.now(), 0u) << "there is nothing before";
    EXPECT_EQ(program.values(), straight(1));
}

TEST_F(HistoryTest, AnotherFutureIsABranchAndTheOldOneStays) {
    Program program{config()};
    program.run(40);
    const Values old = program.values();
    program.go_to(19);
    program.r = 3.5f;
    program.run(20);
    EXPECT_NE(program.values(), old);
    const Timeline& line = program.app.history().timeline();
    ASSERT_EQ(line.branches().size(), 2u);
    EXPECT_EQ(line.current().parent, 0);
    EXPECT_EQ(line.current().fork, 20u);
    EXPECT_EQ(line.current().end(), 40u);

    program.r = 3.7f;
    program.app.run_control().request_go_to(39, 0);
    program.run(1);
    EXPECT_EQ(program.values(), old);
    EXPECT_EQ(line.current().number, 0);
}

TEST_F(HistoryTest, StepsBetweenTheKeptOnesAreSimulatedAgain) {
    Program program{config(30'000)}; // for about twenty moments
    program.run(300);
    EXPECT_LE(program.app.history().timeline().bytes(), 30'000u);
    EXPECT_LT(program.app.history().timeline().steps().size(), 40u);
    program.indices.clear();
    program.go_to(77);
    EXPECT_EQ(program.now(), 77u);
    EXPECT_EQ(program.values(), straight(78));
    EXPECT_GT(program.indices.size(), 1u);
    program.run(222);
    EXPECT_EQ(program.values(), straight(300));
    EXPECT_EQ(program.app.history().timeline().branches().size(), 1u);
}

TEST_F(HistoryTest, WithoutAHistoryTheRunStartsOverOnTheWay) {
    Program program{config(0)};
    program.run(20);
    program.go_to(4);
    EXPECT_EQ(program.now(), 4u);
    EXPECT_EQ(program.values(), straight(5));
    program.go_to(30); // what has not been yet
    EXPECT_EQ(program.values(), straight(31));
}

TEST_F(HistoryTest, AResetKeepsThePastAsABranch) {
    Program program{config()};
    program.run(10);
    program.app.run_control().request_reset();
    program.run(5);
    EXPECT_EQ(program.now(), 4u);
    EXPECT_EQ(program.app.history().timeline().branches().size(), 2u);
    program.app.run_control().request_go_to(9, 0);
    program.run(1);
    EXPECT_EQ(program.values(), straight(10));
}

TEST_F(HistoryTest, AStateThatIsLargerThanTheBudgetEndsTheHistoryWithAMessage) {
    Program program{config(500)};
    program.run(3);
    EXPECT_EQ(program.now(), 2u) << "the program goes on";
    EXPECT_FALSE(program.app.history().is_on());
    EXPECT_THAT(program.app.history().ended_by(), HasSubstr("500 are allowed"));
}

TEST_F(HistoryTest, MayBeginInTheMiddleOfARun) {
    Program program{config(0)};
    program.run(10);
    program.app.history().set_budget(1 << 20);
    program.run(10);
    program.go_to(12);
    EXPECT_EQ(program.values(), straight(13));
    EXPECT_EQ(program.app.history().timeline().steps().front(), 10u);
    program.go_to(5);
    EXPECT_EQ(program.values(), straight(6));
}

} // namespace
} // namespace lathe
