// SPDX-License-Identifier: MIT
// What a program logs and counts, beside the numbers that it had.
#include "engine/plots/plots.h"

#include "engine/app/app.h"
#include "engine/app/history.h"
#include "engine/app/run_control.h"
#include "gpu/array/elementwise.h"
#include "tests/gpu/device_test.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace lathe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class PlotsTest : public gpu::DeviceTest {
protected:
    static AppConfig config(std::size_t history_bytes = 0) {
        AppConfig c;
        c.width = c.height = 32;
        c.headless = true;
        c.history_bytes = history_bytes;
        return c;
    }
    gpu::Array array(const std::vector<float>& values) {
        return app().array<float>({std::int64_t(values.size())}, std::span<const float>{values});
    }

    void SetUp() override {
        gpu::DeviceTest::SetUp();
        if (!IsSkipped()) app_.emplace(config(1 << 20));
    }
    App& app() { return *app_; }

private:
    std::optional<App> app_;
};

TEST_F(PlotsTest, LogsNumbersAndArraysInTheOrderOfTheSteps) {
    gpu::Array x = app().array<float>({1});
    gpu::Array half = gpu::Array::empty(DType::float16, {1});
    ValueLog& log = app().plots().log_values("x", {.curves = {"number", "array", "half"}});
    app().run(
        [&](const Step& step) {
            const auto value = gpu::make_scalar(DType::float32, double(step.index) * 0.5);
            gpu::assign(x, value);
            gpu::assign(half, value);
            log({step.index, x, half}); // the next step overwrites them
        },
        20);
    const PlotTable table = log.table();
    EXPECT_THAT(table.names, ElementsAre("step", "time", "number", "array", "half"));
    ASSERT_EQ(table.columns[0].size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(table.columns[0][i], double(i));
        EXPECT_NEAR(table.columns[1][i], double(i) / 60, 1e-9);
        EXPECT_EQ(table.columns[2][i], double(i));
        EXPECT_EQ(table.columns[3][i], 0.5 * double(i));
        EXPECT_EQ(table.columns[4][i], 0.5 * double(i));
    }
    EXPECT_EQ(&app().plots().log_values("x", log.config()), &log);
}

TEST_F(PlotsTest, RefusesWhatIsNoValue) {
    ValueLog& log = app().plots().log_values("energy", {.curves = {"a", "b"}});
    EXPECT_THAT([&] { log(1.0); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("log \"energy\" takes 2 values (a, "
                                                               "b), got 1")));
    EXPECT_THAT([&] { log({1.0, array({1, 2, 3})}); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("\"energy\"")));
    EXPECT_THAT([&] { log({1.0, gpu::Array::empty(DType::complex64, {1})}); },
                ThrowsMessage<gpu::TypeError>(HasSubstr("complex64")));
    EXPECT_THROW(app().plots().log_values("energy", {.curves = {"a"}}), std::invalid_argument);
    EXPECT_THROW(app().plots().histogram("energy", array({1})), std::invalid_argument);
    EXPECT_THROW(app().plots().log_values(""), std::invalid_argument);
    EXPECT_THAT(log.table().columns[0], ElementsAre());
}

TEST_F(PlotsTest, CountsOnTheDevice) {
    const gpu::Array values =
        array({0, 0.5f, 0.99f, 1, 2, 3.5f, 4, -1, 5, kNan, kInfinity, -kInfinity});
    Histogram& h = app().plots().histogram("h", values, {.bins = 4, .range = {{0, 4}}});
    h.wait();
    EXPECT_THAT(h.counts().edges, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(h.counts().counts, ElementsAre(3, 1, 1, 2)) << "the last bin is closed";
    EXPECT_EQ(h.counts().below, 2u);
    EXPECT_EQ(h.counts().above, 2u);
    EXPECT_EQ(h.counts().nan, 1u);
    app().plots().histogram("h", values, {.bins = 6});
    h.wait();
    EXPECT_THAT(h.counts().edges, ElementsAre(-1, 0, 1, 2, 3, 4, 5));
    EXPECT_THAT(h.counts().counts, ElementsAre(1, 3, 1, 1, 1, 2));
    app().plots().histogram("h", array({2, 2}), {.bins = 2});
    h.wait();
    EXPECT_THAT(h.counts().edges, ElementsAre(1.5, 2, 2.5)) << "one value has a range of 1";
    EXPECT_THAT(h.counts().counts, ElementsAre(0, 2));
    app().plots().histogram("h", gpu::Array::empty(DType::float32, {0}), {.bins = 2});
    h.wait();
    EXPECT_THAT(h.counts().edges, ElementsAre(0, 0.5, 1));
    EXPECT_THROW(app().plots().histogram("h", values, {.bins = 0}), std::invalid_argument);
    EXPECT_THROW(app().plots().histogram("h", values, {.range = {{1, 1}}}), std::invalid_argument);
}

TEST_F(PlotsTest, PicksPointsOfLargeArrays) {
    std::vector<float> x(50'000), y;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i);
    y.assign(x.rbegin(), x.rend());
    PhasePlot& phase = app().plots().phase_plot("p", array(x), array(y), {.x_label = "x"});
    const PlotTable table = phase.table();
    EXPECT_THAT(table.names, ElementsAre("x", "y"));
    ASSERT_EQ(table.columns[0].size(), 16'667u);
    EXPECT_EQ(table.columns[0][5], 15);
    EXPECT_EQ(table.columns[1][5], 49'984);
    EXPECT_THAT(phase.shape().note, HasSubstr("16667 of 50000"));
    EXPECT_THROW(app().plots().phase_plot("p", array(x), array({1})), std::invalid_argument);
}

TEST_F(PlotsTest, AveragesBlocksOfAHeatMap) {
    std::vector<float> values(std::size_t(1030) * 3);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i / 3);
    values[0] = kNan;
    gpu::Array field = app().array<float>({1030, 3}, std::span<const float>{values});
    HeatMap& map = app().plots().heat_map("m", field);
    const PlotTable table = map.table();
    ASSERT_EQ(table.columns.size(), 3u);
    ASSERT_EQ(table.columns[0].size(), 344u) << "blocks of three rows";
    EXPECT_EQ(table.columns[0][0], 1.5) << "without the NaN";
    EXPECT_EQ(table.columns[1][0], 1);
    EXPECT_EQ(table.columns[2][343], 1029) << "the last block has one row";
    EXPECT_EQ(map.cells().low, 1);
    EXPECT_EQ(map.cells().high, 1029);
    EXPECT_THROW(app().plots().heat_map("m", array({1})), std::invalid_argument);
    EXPECT_THROW(app().plots().heat_map("m", field, {.colormap = "none"}), Error);
}

TEST_F(PlotsTest, FollowTheRunBackAndOnToABranch) {
    gpu::Array x = app().array<float>({1});
    double by = 1;
    ValueLog& log = app().plots().log_values("x");
    const auto step = [&](const Step&) {
        const std::array<gpu::Input, 2> inputs{x, gpu::make_scalar(DType::float32, by)};
        const std::array types{gpu::InputType{DType::float32}, gpu::InputType{DType::float32}};
        gpu::Array sum = gpu::run(gpu::resolve(gpu::operation("add"), types), inputs)[0];
        gpu::assign(x, sum);
        log(x);
    };
    app().run(step, 10);
    EXPECT_EQ(log.table().columns[2], (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    app().run_control().paused = true;
    app().run_control().request_go_to(3);
    app().run(step, 1);
    EXPECT_EQ(log.table().columns[2].size(), 10u) << "a mark, and what comes after it";
    EXPECT_EQ(log.shape({}).mark, 3.0 / 60);
    EXPECT_THAT(log.present(), ElementsAre(4));
    by = 0.5;
    app().run_control().paused = false;
    app().run(step, 4);
    EXPECT_EQ(log.table().columns[2], (std::vector<double>{1, 2, 3, 4, 4.5, 5, 5.5, 6}));
    const PlotShape shape = log.shape();
    ASSERT_EQ(shape.curves.size(), 2u);
    EXPECT_TRUE(shape.curves[0].is_dim);
    EXPECT_THAT(shape.curves[0].y, ElementsAre(5, 6, 7, 8, 9, 10));
    app().run_control().request_reset();
    app().run(step, 2);
    EXPECT_EQ(log.table().columns[2], (std::vector<double>{0.5, 1}));
}

/// A program that is executed once more finds its logs, and may have others.
TEST_F(PlotsTest, OfAReloadAreFoundAgainOrGo) {
    ValueLog& kept = app().plots().log_values("kept");
    app().plots().log_values("other");
    app().plots().log_values("gone");
    app().run([&](const Step& step) { kept(step.index); }, 3);
    app().begin_reload();
    EXPECT_EQ(&app().plots().log_values("kept"), &kept);
    app().plots().log_values("other", {.curves = {"a", "b"}});
    EXPECT_EQ(app().plots().all().size(), 3u);
    app().run([&](const Step& step) { kept(step.index); }, 3);
    EXPECT_EQ(app().plots().find("gone"), nullptr);
    EXPECT_EQ(app().plots().all().size(), 2u);
    EXPECT_EQ(kept.table().columns[0].size(), 6u);
}

} // namespace
} // namespace lathe
