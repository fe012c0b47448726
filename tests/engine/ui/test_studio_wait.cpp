// SPDX-License-Identifier: MIT
// Kernels that never end: the frame comes back, the text is kept, the last good kernel goes on.
#include "painting.h"

#include "engine/app/console.h"
#include "engine/app/frame_loop.h"
#include "engine/core/resources.h"
#include "engine/live/session.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/nvrtc.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace lathe {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLoop = "__global__ void turn(volatile int* x, int n)\n"
                              "{\n"
                              "    while (*x < n) {}\n"
                              "}\n";

/// LATHE_CACHE_DIR, for a while.
class EmptyCache {
public:
    EmptyCache() {
        if (const char* before = std::getenv("LATHE_CACHE_DIR")) before_ = before;
        setenv("LATHE_CACHE_DIR", folder_.path().c_str(), 1);
    }
    ~EmptyCache() {
        if (before_.empty()) unsetenv("LATHE_CACHE_DIR");
        else setenv("LATHE_CACHE_DIR", before_.c_str(), 1);
    }

private:
    const test::TempFolder folder_;
    std::string before_;
};

class StudioWait : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
        if (!gpu::can_cancel()) GTEST_SKIP() << "a GPU cannot cancel a kernel";
    }

    static AppConfig headless() {
        AppConfig c;
        c.headless = true;
        c.ui = false;
        c.restore = false;
        return c;
    }
};

/// A studio whose kernel ends (n = 0) or does not (n = 1).
struct Turning {
    explicit Turning(AppConfig config)
        : studio{std::move(config)}, slot{studio.kernel_slot(kLoop, "turn", {}, "turn.cu")},
          flag{4} {
        gpu::fill_units(flag.address(), 0, 4, 1);
    }

    bool begin(int n) {
        if (!studio.begin_frame()) return false;
        if (slot.ready())
            gpu::launch(slot.kernel(), {{1, 1, 1}, {1, 1, 1}, 0, studio.stream()}, flag.address(),
                        n);
        return true;
    }

    Studio studio;
    KernelSlot& slot;
    gpu::DeviceBuffer flag;
};

TEST_F(StudioWait, EscapeCancelsAKernelThatDoesNotEnd) {
    Turning t{headless()};
    ASSERT_TRUE(t.begin(1));
    t.studio.window().inject(TextEvent{U'x'});
    t.studio.window().inject(KeyEvent{Key::escape});
    t.studio.end_frame();
    EXPECT_EQ(t.slot.state(), SlotState::faulted);
    ASSERT_FALSE(t.slot.diagnostics().empty());
    EXPECT_EQ(t.slot.diagnostics().back().line, 3);
    EXPECT_NE(t.slot.diagnostics().back().text.find("cancelled"), std::string::npos);
    ASSERT_TRUE(t.begin(0)) << "the window is still open";
    EXPECT_EQ(t.studio.window().input().events().size(), 1u) << "what was typed is not lost";
    EXPECT_NO_THROW(t.studio.end_frame());
}

TEST_F(StudioWait, ClosingTheWindowEndsTheWait) {
    Turning t{headless()};
    ASSERT_TRUE(t.begin(1));
    t.studio.window().close();
    t.studio.end_frame();
    EXPECT_FALSE(t.begin(0));
}

TEST_F(StudioWait, WhatTheHookThrowsEndsTheWaitAndIsNoFault) {
    Turning t{headless()};
    int calls = 0;
    t.studio.set_while_waiting([&] {
        if (++calls == 2) throw std::runtime_error{"Ctrl+C"};
    });
    ASSERT_TRUE(t.begin(1));
    EXPECT_THROW(t.studio.end_frame(), std::runtime_error);
    EXPECT_EQ(t.slot.state(), SlotState::good);
    ASSERT_TRUE(t.begin(0));
    EXPECT_NO_THROW(t.studio.end_frame());
}

TEST_F(StudioWait, TheLimitOfALaunchIsAFaultOfItsSlot) {
    Turning t{headless()};
    t.studio.stream().set_time_limit(50ms);
    ASSERT_TRUE(t.begin(0));
    t.studio.end_frame(); // a version to go back to
    t.slot.set_source(std::string{kLoop} + "\n");
    t.slot.compile_now();
    t.slot.wait();
    ASSERT_TRUE(t.begin(1));
    t.studio.end_frame();
    EXPECT_EQ(t.slot.state(), SlotState::faulted);
    EXPECT_TRUE(t.slot.ready()) << "the version before runs";
    EXPECT_GE(t.studio.console().errors(), 1);
}

TEST_F(StudioWait, AStudioLimitsItsLaunches) {
    Turning t{headless()};
    ASSERT_TRUE(t.begin(1));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(t.studio.stream().wait_for(100ms));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
    t.studio.stream().cancel();
    t.studio.end_frame();
    EXPECT_EQ(t.slot.state(), SlotState::faulted);
}

TEST_F(StudioWait, TextIsKeptBeforeItRuns) {
    const EmptyCache cache; // no layout, no autosaves
    AppConfig config = headless();
    config.ui = config.restore = true;
    config.session = "test-studio-wait";
    Painting p{config};
    p.frames(3);
    const auto click = [&](MouseButton button, bool down) {
        p.studio.window().inject(ButtonEvent{button, down, 0});
        p.frame();
    };
    p.studio.window().inject(MoveEvent{{1100, 300}});
    p.frame();
    click(MouseButton::left, true);
    click(MouseButton::left, false);
    p.frame();
    for (const unsigned modifiers : {unsigned(kControl), 0u})
        for (const bool down : {true, false}) {
            p.studio.window().inject(KeyEvent{Key::home, down, false, modifiers});
            p.frame();
        }
    const auto generation = p.slot.generation();
    for (const char c : {'/', '*', 'm', '*', '/'}) {
        p.studio.window().inject(TextEvent{char32_t(c)});
        p.frame();
    }
    ASSERT_TRUE(p.slot.source().starts_with("/*m*/#define")) << p.slot.source().substr(0, 40);
    const auto limit = std::chrono::steady_clock::now() + 1min;
    std::string text;
    while (p.slot.generation() == generation && std::chrono::steady_clock::now() < limit) {
        const auto kept = p.studio.session()->versions(p.slot.key());
        text = kept.empty() ? "" : read_text(kept.front()); // before the frame that may swap
        p.frame();
    }
    EXPECT_NE(p.slot.generation(), generation) << p.slot.log();
    EXPECT_EQ(text, p.slot.source());
}

constexpr const char* kSlow = "__global__ void slow(float* x, int rounds)\n"
                              "{\n"
                              "    float v = threadIdx.x;\n"
                              "    for (int k = 0; k < rounds; ++k) v = v * 1.0000001f + 0.5f;\n"
                              "    x[threadIdx.x] = v;\n"
                              "}\n";

/// A studio with panels whose steps take as long as a test wants.
struct Slow {
    explicit Slow(const AppConfig& config)
        : studio{config}, slot{studio.kernel_slot(kSlow, "slow", {}, "slow.cu")},
          x{studio.array<float>({64})} {}

    std::chrono::steady_clock::duration frame(int rounds) {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_TRUE(studio.begin_frame());
        return end(rounds, begin);
    }
    std::chrono::steady_clock::duration
    end(int rounds,
        std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now()) {
        gpu::launch(slot.kernel(), {{1, 1, 1}, {64, 1, 1}, 0, studio.stream()}, x.address(),
                    rounds);
        studio.end_frame();
        return std::chrono::steady_clock::now() - begin;
    }
    /// Of a step that takes 0.4 s at least.
    int many_rounds() {
        for (int i = 0; i < 4; ++i) frame(1); // the panels have found their places
        int rounds = 1'000'000;
        while (frame(rounds) < 400ms) rounds *= 2;
        return rounds;
    }

    Studio studio;
    KernelSlot& slot;
    gpu::Array x;
};

TEST_F(StudioWait, PanelsGoOnWhileAStepIsSlow) {
    AppConfig config = headless();
    config.ui = true;
    Slow slow{config};
    ASSERT_TRUE(slow.slot.ready()) << slow.slot.log();
    int panels = 0;
    slow.studio.add_panel("Beat", [&] { ++panels; });
    const int rounds = slow.many_rounds();
    const int before = panels;
    const std::chrono::duration<double> took = slow.frame(rounds);
    EXPECT_GE(panels - before, 4) << "in " << took.count() << " s";
    EXPECT_FALSE(slow.studio.in_frame());
}

TEST_F(StudioWait, WhatIsPressedWhileAStepIsSlowReachesTheNextStep) {
    AppConfig config = headless();
    config.ui = true;
    Slow slow{config};
    ASSERT_TRUE(slow.slot.ready()) << slow.slot.log();
    Window& window = slow.studio.window();
    bool press = false;
    int shown = 0; // since the press was told
    slow.studio.add_panel("Presses", [&] {
        ++shown;
        if (!std::exchange(press, false)) return;
        shown = 0;
        window.inject(KeyEvent{Key::x, true});
        window.inject(KeyEvent{Key::x, false});
    });
    const int rounds = slow.many_rounds();
    press = true;
    slow.frame(rounds);
    ASSERT_GE(shown, 2) << "the panels had the key while the step was slow";
    ASSERT_TRUE(slow.studio.begin_frame());
    EXPECT_TRUE(window.input().pressed(Key::x));
    EXPECT_TRUE(window.input().released(Key::x));
    EXPECT_TRUE(window.input().events().empty()) << "the panels have had them";
    slow.end(1);
    ASSERT_TRUE(slow.studio.begin_frame());
    EXPECT_FALSE(window.input().pressed(Key::x)) << "once";
    slow.end(1);
}

TEST_F(StudioWait, APanelThatThrowsWhileAStepIsSlowLosesNoFrame) {
    AppConfig config = headless();
    config.ui = true;
    Slow slow{config};
    ASSERT_TRUE(slow.slot.ready()) << slow.slot.log();
    bool throws = false;
    slow.studio.add_panel("Broken", [&] {
        if (std::exchange(throws, false)) throw std::runtime_error{"of a panel"};
    });
    const int rounds = slow.many_rounds();
    throws = true;
    EXPECT_THROW(slow.frame(rounds), std::runtime_error);
    EXPECT_FALSE(slow.studio.in_frame());
    EXPECT_NO_THROW(slow.frame(1));
}

} // namespace
} // namespace lathe
