// SPDX-License-Identifier: MIT
#include "engine/core/error.h"
#include "engine/live/parameter_set.h"

#include <gtest/gtest.h>

using namespace lathe;

namespace {

Parameter make(std::string name, ParameterKind kind, std::string_view directive = {},
               int components = 1) {
    std::vector<Diagnostic> problems;
    Parameter p = make_parameter(std::move(name), kind, components,
                                 parse_directive(directive, 1, 1, problems));
    EXPECT_TRUE(problems.empty());
    return p;
}
Parameter real(std::string name, std::string_view d = {}) {
    return make(std::move(name), ParameterKind::real, d);
}
Parameter integer(std::string name, std::string_view d = {}) {
    return make(std::move(name), ParameterKind::integer, d);
}
double number(ParameterSet& set, std::string_view name) { return std::get<double>(set.get(name)); }
std::string message(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) { return e.what(); }
    return "nothing thrown";
}

} // namespace

TEST(Parameter, DirectiveDecidesWidgetRangeAndInitialValue) {
    EXPECT_EQ(real("a").widget, ParameterWidget::drag);
    EXPECT_EQ(std::get<double>(real("a").initial), 0.0);
    EXPECT_EQ(real("a", "1..3").widget, ParameterWidget::slider);
    EXPECT_EQ(std::get<double>(real("a", "1..3").initial), 2.0);
    EXPECT_EQ(std::get<double>(real("a", "1..100 log").initial), 10.0);
    EXPECT_EQ(std::get<std::int64_t>(integer("a", "1..32 =5").initial), 5);
    const auto choice = integer("mode", "enum(spots,waves) =1");
    EXPECT_EQ(choice.kind, ParameterKind::choice);
    EXPECT_EQ(choice.widget, ParameterWidget::combo);
    EXPECT_EQ(format_value(choice), "waves");
    EXPECT_EQ(std::get<bool>(make("b", ParameterKind::boolean, "=true").initial), true);
    const auto color = make("tint", ParameterKind::vector, "color =(1,0.5,0)", 4);
    EXPECT_EQ(color.widget, ParameterWidget::color);
    EXPECT_EQ(std::get<std::vector<double>>(color.initial), (std::vector{1.0, 0.5, 0.0, 1.0}));
    EXPECT_EQ(real("a", "hidden =2").widget, ParameterWidget::hidden);
}

TEST(Parameter, TextGoesThereAndBack) {
    for (const auto& [p, text] : std::vector<std::pair<Parameter, std::string>>{
             {real("F", "0..1"), "0.037"},
             {integer("n"), "-12"},
             {make("b", ParameterKind::boolean), "true"},
             {integer("m", "enum(a,b)"), "b"},
             {make("v", ParameterKind::vector, {}, 3), "(1, 0.5, -2)"}})
        EXPECT_EQ(format_value(p, parse_value(p, text)), text);
    EXPECT_EQ(std::get<double>(parse_value(real("F", "0..1"), "7")), 1.0) << "clamped";
}

TEST(Parameter, BadTextNamesParameterValueAndExpectation) {
    EXPECT_EQ(message([] { parse_value(real("F"), "fast"); }),
              "parameter F is 'fast', expected a number");
    EXPECT_EQ(message([] { parse_value(integer("n"), "0.5"); }),
              "parameter n is '0.5', expected an integer");
    EXPECT_EQ(message([] { parse_value(integer("m", "enum(a,b)"), "c"); }),
              "parameter m is 'c', expected one of a, b");
    EXPECT_EQ(message([] { parse_value(make("v", ParameterKind::vector, {}, 3), "(1,2)"); }),
              "parameter v is '(1,2)', expected 3 numbers as (1, 0.5, 0)");
}

TEST(ParameterSet, TouchedValuesSurviveEditsByName) {
    ParameterSet set;
    set.declare("step.cu", {real("F", "0..1 =0.5"), real("k", "0..1 =0.25")});
    set.set("F", 0.7);
    set.declare("step.cu", {real("k", "0..1 =0.3"), real("F", "0..2 =0.9"), real("dt")});
    EXPECT_EQ(number(set, "F"), 0.7) << "touched: kept";
    EXPECT_EQ(number(set, "k"), 0.3) << "untouched: follows the directive";
    ASSERT_EQ(set.all().size(), 3u);
    EXPECT_EQ(set.all()[0]->name, "k") << "order of the source";
    set.declare("step.cu", {real("F", "0..0.6")});
    EXPECT_EQ(number(set, "F"), 0.6) << "clamped to the new range";
    set.reset("F");
    EXPECT_EQ(number(set, "F"), 0.3);
}

TEST(ParameterSet, AValueThatTheSourceSaysByNowFollowsTheSource) {
    ParameterSet set;
    set.declare("a.cu", {real("F", "0..1 =0.5")});
    set.set("F", 0.5);
    set.declare("b.cu", {});
    set.declare("a.cu", {real("F", "0..1 =0.7")});
    EXPECT_EQ(number(set, "F"), 0.5) << "the program's word";
    set.declare("a.cu", {real("F", "0..1 =0.5")}); // it was written there
    set.declare("a.cu", {real("F", "0..1 =0.2")});
    EXPECT_EQ(number(set, "F"), 0.2);
}

TEST(ParameterSet, AParameterThatComesBackHasItsValue) {
    ParameterSet set;
    set.declare("a.cu", {real("F", "0..1")});
    set.set("F", 0.125);
    set.declare("a.cu", {});
    EXPECT_EQ(set.find("F"), nullptr);
    EXPECT_TRUE(set.empty());
    set.declare("a.cu", {real("F", "0..1")});
    EXPECT_EQ(number(set, "F"), 0.125);
}

TEST(ParameterSet, ValuesAreConvertedWhereATypeChanges) {
    ParameterSet set;
    set.declare("a.cu", {real("n", "0..10")});
    set.set("n", 3.7);
    set.declare("a.cu", {integer("n", "0..10")});
    EXPECT_EQ(std::get<std::int64_t>(set.get("n")), 4);
    set.declare("a.cu", {make("n", ParameterKind::vector, "=(1,2,3)", 3)});
    EXPECT_EQ(std::get<std::vector<double>>(set.get("n")), (std::vector{1.0, 2.0, 3.0}))
        << "no way from a number to a vector: the initial value";
}

TEST(ParameterSet, OwnersShareANameAndTheFirstDecides) {
    ParameterSet set;
    set.declare("a.cu", {real("dt", "0..1 =0.5")});
    set.declare("b.cu", {real("dt", "0..9 =4"), real("c")});
    ASSERT_EQ(set.all().size(), 2u);
    EXPECT_EQ(set.find("dt")->max, 1.0);
    set.withdraw("a.cu");
    EXPECT_EQ(set.find("dt")->max, 9.0);
    EXPECT_EQ(number(set, "dt"), 4.0);
}

TEST(ParameterSet, ErrorsNameWhatThereIs) {
    ParameterSet set;
    EXPECT_EQ(message([&] { set.get("F"); }), "no parameter is named 'F'; there are no parameters");
    set.declare("a.cu", {real("F"), integer("n")});
    EXPECT_EQ(message([&] { set.set("k", 1.0); }), "no parameter is named 'k'; known are F, n");
    EXPECT_NE(message([&] { set.set("n", 0.5); }).find("parameter n is set to 0.5"),
              std::string::npos);
}

TEST(ParameterSet, AssignmentsWaitForTheirParameter) {
    ParameterSet set;
    set.set_from_text("F=0.04");
    set.set_from_text("n=two");
    set.set_from_text("speed=1");
    EXPECT_NE(message([&] { set.set_from_text("F"); }).find("name=value"), std::string::npos);
    set.declare("a.cu", {real("F", "0..1 =0.5"), integer("n")});
    EXPECT_EQ(number(set, "F"), 0.04);
    EXPECT_EQ(set.assignment("F"), "F=0.04");
    const std::string problems = message([&] { set.check_assignments(); });
    EXPECT_NE(problems.find("parameter n is 'two', expected an integer"), std::string::npos);
    EXPECT_NE(problems.find("--set speed=1: no parameter is named 'speed'; known are F, n"),
              std::string::npos);
}

TEST(ParameterSet, AnAssignmentOutsideOfTheRangeIsSaid) {
    ParameterSet set;
    set.declare("a.cu", {real("F", "0..0.5"), integer("n", "1..9")});
    testing::internal::CaptureStderr();
    set.set_from_text("F=0.25");
    set.set_from_text("n=9");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    set.set_from_text("F=999");
    set.set_from_text("n=0");
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("--set F=999 is outside of 0..0.5: F is 0.5"), std::string::npos) << said;
    EXPECT_NE(said.find("--set n=0 is outside of 1..9: n is 1"), std::string::npos) << said;
    EXPECT_EQ(number(set, "F"), 0.5);
}

TEST(ParameterSet, AnAssignmentToWhatTheProgramPassesIsRefused) {
    ParameterSet set;
    set.declare("a.cu", {real("F"), real("dt", "hidden"), real("x"), real("y", "hidden")});
    set.set_from_text("dt=3");
    set.set_from_text("x=1");
    set.set_from_text("F=2");
    set.set_from_text("y=2");
    for (const char* passed : {"dt", "x", "no parameter of ours"}) set.note_passed(passed);
    set.get("F");
    set.get("x"); // another kernel takes the slider's value
    const std::string problems = message([&] { set.check_assignments(); });
    EXPECT_EQ(problems, "--set dt=3 has no effect: the program passes its own dt; known are F, x");
}

TEST(ParameterSet, MembersBelongToTheirStructure) {
    ParameterSet set;
    set.declare("a.cu", {real("light.x"), real("light.w[0]"), real("lights"), real("w[1].y")});
    for (const char* name : {"light", "light.x", "light.w", "lights", "w", "w[1]"})
        EXPECT_TRUE(set.has(name)) << name;
    for (const char* name : {"lig", "light.y", "w[", "x"}) EXPECT_FALSE(set.has(name)) << name;
    set.note_passed("light");
    EXPECT_TRUE(set.find("light.w[0]")->passed);
    EXPECT_FALSE(set.find("lights")->passed);
    set.set("light.x", 2.0);
    set.declare("a.cu", {real("light.y"), real("light.x")}); // an edit adds a member
    EXPECT_EQ(number(set, "light.x"), 2);
}

TEST(ParameterSet, AScriptsWordCountsWhereTheKernelSaysNothing) {
    ParameterSet set;
    Parameter speed = real("speed");
    speed.implied = true;
    set.declare("a.cu", {speed, real("F", "0..1 =0.5")});
    EXPECT_EQ(std::get<double>(set.get("speed")), 0);
    set.declare_one("script", real("speed", "0..9 =2"));
    set.declare_one("script", real("F", "0..9 =4"));
    EXPECT_EQ(std::get<double>(set.get("speed")), 2);
    EXPECT_EQ(set.find("speed")->max, 9);
    EXPECT_EQ(std::get<double>(set.get("F")), 0.5); // the kernel's source says it
    set.set("speed", 3.0);
    set.declare("a.cu", {speed}); // an edit
    EXPECT_EQ(std::get<double>(set.get("speed")), 3);
    set.withdraw("script");
    EXPECT_EQ(std::get<double>(set.get("speed")), 3); // as it was touched
    EXPECT_FALSE(set.find("speed")->max);
}

TEST(ParameterSet, AHiddenOneGivesWayToOneThatIsShown) {
    ParameterSet set;
    set.declare("a.cu", {real("hawk", "hidden =2"), real("F")});
    EXPECT_EQ(number(set, "hawk"), 2.0);
    set.declare_one("script", real("hawk", "0..1 =0.5"));
    EXPECT_EQ(number(set, "hawk"), 0.5);
    EXPECT_EQ(set.find("hawk")->widget, ParameterWidget::slider);
    ASSERT_EQ(set.all().size(), 2u);
    EXPECT_EQ(set.all()[0]->name, "hawk");
    set.set("hawk", 0.75);
    set.declare("b.cu", {real("hawk", "hidden =9")});
    EXPECT_EQ(number(set, "hawk"), 0.75);
    set.withdraw("script");
    EXPECT_EQ(set.find("hawk")->widget, ParameterWidget::hidden);
}

TEST(ParameterSet, VersionAndReadFlagsFollow) {
    ParameterSet set;
    set.declare("a.cu", {real("F")});
    EXPECT_FALSE(set.find("F")->read);
    const auto before = set.version();
    set.set("F", 2.0);
    EXPECT_GT(set.version(), before);
    set.get("F");
    EXPECT_TRUE(set.find("F")->read);
    set.declare("a.cu", {real("F")});
    EXPECT_TRUE(set.find("F")->read);
}
