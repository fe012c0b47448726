// SPDX-License-Identifier: MIT
// What a frame's time goes into: zones by name, on the lanes of who worked, on one clock.
#include "engine/app/profiler.h"

#include "engine/app/app.h"
#include "tests/engine/app/nvtx_tool.h"
#include "tests/gpu/device_test.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace lathe {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Spins for so many rounds, of which the second kernel has twenty times as many.
constexpr const char* kSpin = R"(
__device__ void spin(float* x, int rounds) {
    float v = x[threadIdx.x];
    for (int i = 0; i < rounds; ++i) v = v * 0.999f + 1.0f;
    x[threadIdx.x] = v;
}
__global__ void small(float* x, int rounds) { spin(x, rounds); }
__global__ void large(float* x, int rounds) { spin(x, 20 * rounds); }
)";

class ProfilerTest : public gpu::DeviceTest {
protected:
    void SetUp() override {
        gpu::DeviceTest::SetUp();
        if (IsSkipped()) return;
        app_.emplace(config());
        x_ = app_->array<float>({1, 32});
    }

    static AppConfig config() {
        AppConfig c;
        c.width = c.height = 64;
        c.headless = true;
        return c;
    }
    void run(std::uint64_t frames) {
        const int failed = app().run(
            [&](const Step&) {
                const Zone zone{"mine"};
                app().kernel(kSpin, "small").grid({1}, {32})(x_, 50'000);
                app().kernel(kSpin, "large").grid({1}, {32})(x_, 50'000);
                app().image(x_, {.range = {{0, 2000}}}, "values");
            },
            frames);
        EXPECT_EQ(failed, 0);
        app().profiler().finish();
    }
    std::vector<ProfiledZone> zones(Lane lane) {
        std::vector<ProfiledZone> found;
        for (const ProfiledZone& zone : app().profiler().frames().back().zones)
            if (zone.lane == lane) found.push_back(zone);
        return found;
    }
    static ProfiledZone named(const std::vector<ProfiledZone>& zones, std::string_view name) {
        const auto found = std::ranges::find(zones, name, &ProfiledZone::name);
        if (found != zones.end()) return *found;
        ADD_FAILURE() << "no zone " << name;
        return {};
    }

    App& app() { return *app_; }

private:
    std::optional<App> app_;
    gpu::Array x_;
};

TEST_F(ProfilerTest, AFrameHasItsZonesInEachOther) {
    app().profiler().want();
    run(4);
    ASSERT_EQ(app().profiler().frames().size(), 4u);
    const ProfiledFrame& frame = app().profiler().frames().back();
    EXPECT_EQ(frame.index, 3u);
    const auto host = zones(Lane::host);
    EXPECT_EQ(named(host, "step").depth, 0);
    EXPECT_EQ(named(host, "mine").depth, 1);
    EXPECT_EQ(named(host, "small").depth, 2);
    EXPECT_EQ(named(host, "values").depth, 1) << "in draw";
    named(host, "present");
    for (const ProfiledZone& zone : host) {
        EXPECT_GE(zone.begin, frame.begin) << zone.name;
        EXPECT_LE(zone.begin + zone.time, frame.begin + frame.time) << zone.name;
    }
    for (std::size_t i = 1; i < host.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (host[j].depth < host[i].depth) continue;
            EXPECT_LE(host[j].begin + host[j].time, host[i].begin)
                << host[j].name << " and " << host[i].name << " are not in each other";
        }
}

TEST_F(ProfilerTest, KernelsAreTimedWhereTheyRun) {
    app().profiler().want();
    run(20);
    const auto least = [&](std::string_view name) { // other programs only lengthen times
        auto time = std::chrono::nanoseconds::max();
        for (const ProfiledFrame& each : app().profiler().frames())
            for (const ProfiledZone& zone : each.zones)
                if (zone.lane == Lane::cuda && zone.name == name) time = std::min(time, zone.time);
        return time;
    };
    EXPECT_GT(least("large"), 5 * least("small"));
    EXPECT_LT(least("large"), 80 * least("small"));
    const ProfiledFrame& frame = app().profiler().frames().back();
    const auto cuda = zones(Lane::cuda), host = zones(Lane::host);
    const ProfiledZone small = named(cuda, "small"), large = named(cuda, "large");
    EXPECT_GE(large.begin, small.begin + small.time - 1us);
    EXPECT_GE(small.begin, named(host, "small").begin - 50us) << "not before it was launched";
    // The App waits for its steps in the frame, unless frames overlap.
    EXPECT_LE(large.begin + large.time, frame.begin + 2 * frame.time + 1ms);
}

TEST_F(ProfilerTest, NothingIsMeasuredUnlessSomebodyWantsIt) {
    run(3);
    EXPECT_TRUE(app().profiler().frames().empty());
    EXPECT_EQ(ZoneSink::current(), nullptr);
    app().profiler().want();
    run(2);
    app().profiler().unwant();
    run(3);
    EXPECT_EQ(app().profiler().frames().size(), 2u);
    EXPECT_EQ(ZoneSink::current(), nullptr);
}

TEST_F(ProfilerTest, AZoneThatOutlivesItsFrameEndsWithIt) {
    app().profiler().want();
    app().steps().start(3);
    std::optional<Zone> open;
    while (app().steps().next()) open.emplace("open");
    app().profiler().finish();
    ASSERT_EQ(app().profiler().frames().size(), 3u);
    const ProfiledFrame& frame = app().profiler().frames().front();
    for (const ProfiledZone& zone : frame.zones) {
        if (zone.lane != Lane::host) continue; // a device may be at it later
        EXPECT_LE(zone.begin + zone.time, frame.begin + frame.time) << zone.name;
    }
}

TEST_F(ProfilerTest, AFrameWithTooManyZonesSaysSo) {
    app().profiler().want();
    app().steps().start(1);
    while (app().steps().next())
        for (int i = 0; i < 10'000; ++i) const Zone zone{"one of many"};
    app().profiler().finish();
    const ProfiledFrame& frame = app().profiler().frames().back();
    EXPECT_LE(frame.zones.size(), Profiler::kMostZonesOfFrame);
    EXPECT_GT(frame.left_out, 5'000u);
}

TEST_F(ProfilerTest, TwoAppsOfAThreadHaveTheirOwnZones) {
    App other{config()};
    app().profiler().want();
    other.profiler().want();
    app().steps().start(2);
    other.steps().start(2);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(app().steps().next());
        { const Zone zone{"of the first"}; }
        app().steps().show_now();
        ASSERT_TRUE(other.steps().next());
        { const Zone zone{"of the second"}; }
        other.steps().show_now();
    }
    app().profiler().finish();
    other.profiler().finish();
    const auto names = [](App& of) {
        std::vector<std::string> all;
        for (const ProfiledFrame& frame : of.profiler().frames())
            for (const ProfiledZone& zone : frame.zones) all.emplace_back(zone.name);
        return all;
    };
    EXPECT_THAT(names(app()), Contains("of the first"));
    EXPECT_THAT(names(app()), Not(Contains("of the second")));
    EXPECT_THAT(names(other), Contains("of the second"));
    EXPECT_THAT(names(other), Not(Contains("of the first")));
}

TEST_F(ProfilerTest, ZonesAreRangesOfNvidiasTools) {
    std::vector<std::string>& ranges = test::nvtx_ranges();
    ranges.clear();
    run(1);
    EXPECT_TRUE(ranges.empty());
    app().profiler().want();
    run(1);
    if (!test::has_nvtx()) GTEST_SKIP() << "the build found no header of NVTX";
    const auto mine = std::ranges::find(ranges, "mine");
    ASSERT_NE(mine, ranges.end());
    EXPECT_THAT(std::vector(mine, mine + 8),
                ElementsAre("mine", "map", "end", "small", "end", "large", "end", "end"));
    EXPECT_EQ(std::ranges::count(ranges, "end") * 2, std::ssize(ranges));
}
TEST(Profile, SumsCountTimeWithinTheSameNameOnce) {
    const std::deque<ProfiledFrame> frames{
        {0, 0ns, 100ns, {{"a", Lane::host, 0, 0ns, 50ns}}, {}, 0},
        {1,
         100ns,
         100ns,
         {{"a", Lane::host, 0, 100ns, 40ns},
          {"a", Lane::host, 1, 110ns, 10ns},
          {"b", Lane::cuda, 0, 105ns, 20ns},
          {"a", Lane::host, 0, 150ns, 7ns}},
         {},
         0}};
    const std::vector<ZoneSum> all = sum_zones(frames, 10), last = sum_zones(frames, 1);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "a");
    EXPECT_EQ(all[0].calls, 4u);
    EXPECT_EQ(all[0].time, 97ns);
    EXPECT_EQ(all[1].time, 20ns);
    EXPECT_EQ(last[0].time, 47ns);
}

TEST(Profile, ATraceIsWhatChromeReads) {
    const std::deque<ProfiledFrame> frames{{7,
                                            1500ns,
                                            3000ns,
                                            {{"a \"b\"\n", Lane::cuda, 0, 2000ns, 250ns}},
                                            {{"smooth", 1, 64, 32, 2000ns, 100ns}},
                                            0}};
    const std::string trace = chrome_trace(frames);
    EXPECT_THAT(trace,
                HasSubstr(R"({"name":"frame 7","ph":"X","pid":1,"tid":4,"ts":1.500,"dur":3.000})"));
    EXPECT_THAT(
        trace,
        HasSubstr(R"({"name":"a \"b\"\u000a","ph":"X","pid":1,"tid":2,"ts":2.000,"dur":0.250})"));
    EXPECT_THAT(trace, HasSubstr(R"("tid":2,"args":{"name":"CUDA"})"));
    EXPECT_THAT(
        trace,
        HasSubstr(
            R"({"name":"smooth [64 … 95]","ph":"X","pid":1,"tid":6,"ts":2.000,"dur":0.100})"));
    EXPECT_THAT(trace, HasSubstr(R"("tid":6,"args":{"name":"worker 1"})"));
}

} // namespace
} // namespace lathe
