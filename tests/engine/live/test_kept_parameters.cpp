// SPDX-License-Identifier: MIT
#include "engine/live/kept_parameters.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_presets.h"
#include "engine/live/parameter_set.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

using namespace lathe;

namespace {

/// What a run has: sliders, bindings, and the file between runs.
struct OneRun {
    ParameterSet set;
    ParameterBindings bindings{set};
    KeptParameters kept{set, bindings};

    explicit OneRun(const std::filesystem::path& file, bool is_fresh = false,
                    const char* assignment = nullptr) {
        kept.keep_in(file, is_fresh);
        if (assignment) set.set_from_text(assignment);
        declare();
        bindings.follow_time(0);
    }
    void declare() {
        Directive range;
        range.min = 0;
        range.max = 8;
        set.declare("a.cu", {make_parameter("x", ParameterKind::real, 1, range),
                             make_parameter("y", ParameterKind::real, 1, range),
                             make_parameter("light.tint", ParameterKind::vector, 3)});
    }
    void by_hand(const char* name, ParameterValue value) {
        Parameter& p = *set.find(name);
        p.value = std::move(value);
        set.changed(p); // as a widget does
    }
    double x() { return std::get<double>(set.get("x")); }
};

std::string contents_of(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST(KeptParameters, WhatAHandHasSetComesBack) {
    const test::TempFolder folder;
    const auto file = folder / "deeper" / "sliders";
    {
        OneRun first{file};
        first.kept.save(true);
        EXPECT_FALSE(std::filesystem::exists(file)) << "nothing was set";
        first.by_hand("x", 1.0 / 3);
        first.by_hand("light.tint", std::vector{1.0, 0.5, 0.1});
        first.set.set("y", 7.0); // the program's word
        first.kept.save(true);
    }
    EXPECT_EQ(contents_of(file), "light.tint=(1, 0.5, 0.1)\nx=0.3333333333333333\n");
    OneRun second{file};
    EXPECT_EQ(second.x(), 1.0 / 3) << "to the last bit";
    EXPECT_TRUE(second.set.find("x")->touched);
    EXPECT_EQ(std::get<std::vector<double>>(second.set.get("light.tint")),
              (std::vector{1.0, 0.5, 0.1}));
    EXPECT_EQ(std::get<double>(second.set.get("y")), 4);
    second.declare(); // an edit
    EXPECT_EQ(second.x(), 1.0 / 3);
    second.set.reset_all();
    EXPECT_EQ(second.x(), 4);
    second.kept.save(true);
    EXPECT_EQ(OneRun{file}.x(), 4) << "forgotten with the reset";
}

TEST(KeptParameters, SoDoesWhatSlidersFollow) {
    const test::TempFolder folder;
    const auto file = folder / "sliders";
    {
        OneRun first{file};
        first.bindings.bind("x", parse_follow("saw 4s phase=0.25"), BoundBy::hand);
        first.bindings.bind("light.tint.y", parse_follow("keys(z,x,0.1)"), BoundBy::hand);
        first.bindings.bind("y", parse_follow("saw 4s"), BoundBy::program);
        first.kept.save(true);
    }
    EXPECT_EQ(contents_of(file), "light.tint.y~keys(z,x,0.1)\nx~saw 4s phase=0.25\n");
    OneRun second{file};
    EXPECT_EQ(second.x(), 2);
    ASSERT_NE(second.bindings.find("light.tint.y"), nullptr);
    EXPECT_EQ(second.bindings.find("y"), nullptr);
    second.bindings.unbind("light.tint.y");
    second.by_hand("x", 5.0);
    second.bindings.follow_time(1);
    second.kept.save(true);
    OneRun third{file};
    third.bindings.follow_time(1);
    EXPECT_EQ(third.x(), 5);
    EXPECT_TRUE(third.bindings.all().empty());
}

TEST(KeptParameters, AssignmentsProgramsAndFreshRunsCountMore) {
    const test::TempFolder folder;
    const auto file = folder / "sliders";
    {
        OneRun first{file};
        first.by_hand("x", 1.0);
        first.bindings.bind("y", parse_follow("saw 4s"), BoundBy::hand);
        first.kept.save(true);
    }
    {
        OneRun assigned{file, false, "x=3"};
        EXPECT_EQ(assigned.x(), 3);
        assigned.declare(); // an edit
        EXPECT_EQ(assigned.x(), 3);
        assigned.kept.save(true);
    }
    EXPECT_EQ(OneRun(file).x(), 1) << "for that run only";
    OneRun fresh{file, true};
    EXPECT_EQ(fresh.x(), 4);
    EXPECT_TRUE(fresh.bindings.all().empty());
    ParameterSet set;
    ParameterBindings bindings{set};
    KeptParameters kept{set, bindings};
    kept.keep_in(file);
    Directive range;
    range.min = 0;
    range.max = 8;
    set.declare("a.cu", {make_parameter("y", ParameterKind::real, 1, range)});
    bindings.bind("y", parse_follow("sine 2s"));
    bindings.follow_time(0);
    EXPECT_EQ(to_text(bindings.find("y")->follow), "sine 2s");
}

TEST(KeptParameters, WhatIsNotDeclaredStaysAndNonsenseIsDropped) {
    const test::TempFolder folder;
    const auto file = folder / "sliders";
    std::ofstream{file} << "gone=3\nlost~saw 4s\nx=fast\nnonsense\n=4\ny~sine 0s\nlight.tint=2\n";
    {
        OneRun run{file};
        EXPECT_EQ(run.x(), 4);
        run.by_hand("y", 2.0);
        run.set.declare("a.cu", {}); // and an edit takes all of them away
        run.kept.save(true);
    }
    EXPECT_EQ(contents_of(file), "gone=3\ny=2\nlost~saw 4s\n");
}

TEST(KeptParameters, RecallingAPresetIsAHand) {
    const test::TempFolder folder;
    OneRun run{folder / "sliders"};
    ParameterPresets presets{run.set};
    run.set.set("x", 2.0);
    presets.save(1);
    run.set.set("x", 3.0);
    EXPECT_TRUE(run.set.values_by_hand().empty());
    presets.recall(1);
    EXPECT_EQ(run.set.values_by_hand(), (ParameterSet::Values{{"x", "2"}}));
}

TEST(KeptParameters, AFolderThatCannotBeWrittenIsOneWarning) {
    const test::TempFolder folder;
    std::ofstream{folder / "file"} << "no folder";
    OneRun run{folder / "file" / "sliders"};
    run.by_hand("x", 2.0);
    testing::internal::CaptureStderr();
    run.kept.save(true);
    run.by_hand("x", 3.0);
    run.kept.save(true);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("sliders are not kept"), std::string::npos) << said;
    EXPECT_EQ(said.find("sliders are not kept"), said.rfind("sliders are not kept")) << said;
}
