// SPDX-License-Identifier: MIT
#include "engine/live/directive.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_code.h"
#include "engine/live/parameter_set.h"

#include <gtest/gtest.h>

using namespace lathe;

namespace {

constexpr const char* kSource = R"cu(
struct Light {
    float x, y;    //@ 0..1
    float3 color;  //@ color =(1, 0.5, 0) // warm
    // The reach.
    float reach;   // in metres
    float w[2];    //@ 0..1
    int last;
};
__global__ void step(float* u, float feed, //@ 0.01..0.1 =0.037 log
                     float kill, float tail = 0.5f, bool wrap,
                     float rest) {
    u[0] = feed; // float rest
}
__global__ void other(float* u, float far) { u[0] = far; }
)cu";

struct Code : testing::Test {
    ParameterSet set;
    std::vector<Parameter> declared;

    void add(std::string name, ParameterKind kind, DeclaredIn in, int components = 1,
             std::vector<std::string> choices = {}) {
        Directive d;
        d.choices = std::move(choices);
        Parameter p = make_parameter(std::move(name), kind, components, d);
        p.declared_in = std::move(in);
        declared.push_back(std::move(p));
    }
    void SetUp() override {
        const auto member = [](const char* name) { return DeclaredIn{"Light", name, true}; };
        add("light.x", ParameterKind::real, member("x"));
        add("light.y", ParameterKind::real, member("y"));
        add("light.color", ParameterKind::vector, member("color"), 3);
        add("light.reach", ParameterKind::real, member("reach"));
        add("light.w[0]", ParameterKind::real, member("w"));
        add("light.w[1]", ParameterKind::real, member("w"));
        add("light.last", ParameterKind::integer, member("last"), 1, {"near", "far"});
        add("feed", ParameterKind::real, {"step", "feed"});
        add("kill", ParameterKind::real, {"step", "kill"});
        add("tail", ParameterKind::real, {"step", "tail"});
        add("wrap", ParameterKind::boolean, {"step", "wrap"});
        add("rest", ParameterKind::real, {"step", "rest"});
        add("far", ParameterKind::real, {"other", "far"});
        set.declare("a.cu", declared);
    }
    WrittenValues write(const std::vector<std::string>& names, std::string source = kSource) {
        std::vector<const Parameter*> values;
        for (const std::string& name : names) values.push_back(set.find(name));
        return with_values(std::move(source), declared, values);
    }
    /// Lines that are not in kSource.
    static std::string changed(const WrittenValues& made) {
        std::string lines;
        for (std::size_t begin = 0; begin < made.source.size();) {
            const auto end = std::min(made.source.find('\n', begin), made.source.size());
            const std::string line = made.source.substr(begin, end - begin);
            if (std::string{kSource}.find(line + "\n") == std::string::npos) lines += line + "\n";
            begin = end + 1;
        }
        return lines;
    }
};

} // namespace

TEST_F(Code, IsPythonAndOptions) {
    EXPECT_EQ(as_python(set, nullptr), "");
    EXPECT_EQ(as_options(set, nullptr), "");
    set.set("feed", 0.25);
    set.set("wrap", true);
    set.set("light.color", std::vector{1.0, 0.5, 0.25});
    set.set("light.last", std::int64_t{1});
    ParameterBindings bindings{set};
    bindings.bind("kill", parse_follow("sine(0..1) 4s"));
    bindings.bind("light.color.y", parse_follow("mouse.x(0..1)"));
    bindings.bind("tail", parse_follow("sine(0..1) 4s"));
    bindings.suspend("tail");
    set.set("rest", 3.0); // and then it follows something
    bindings.bind("rest", parse_follow("sine(0..1) 4s"), BoundBy::source);
    EXPECT_EQ(as_python(set, &bindings), "app.set(\"light.color\", (1, 0.5, 0.25))\n"
                                         "app.set(\"light.last\", \"far\")\n"
                                         "app.set(\"feed\", 0.25)\n"
                                         "app.set(\"tail\", 0)\n"
                                         "app.set(\"wrap\", True)\n"
                                         "app.bind(\"light.color.y\", \"mouse.x(0..1)\")\n"
                                         "app.bind(\"kill\", \"sine(0..1) 4s\")\n");
    EXPECT_EQ(as_options(set, &bindings),
              "--set \"light.color=(1, 0.5, 0.25)\" --set light.last=far "
              "--set feed=0.25 --set tail=0 --set wrap=true");
}

TEST_F(Code, ValuesGoIntoDirectivesThatAreThere) {
    set.set("feed", 0.0625);
    set.set("light.y", 0.75);
    const auto made = write({"feed", "light.y"});
    EXPECT_EQ(made.written, (std::vector<std::string>{"feed", "light.y"}));
    EXPECT_TRUE(made.left.empty());
    EXPECT_EQ(changed(made),
              "    float x, y;    //@ 0..1 =0.75\n"
              "__global__ void step(float* u, float feed, //@ 0.01..0.1 =0.0625 log\n");
}

TEST_F(Code, OthersGetAComment) {
    set.set("kill", 0.5);
    set.set("wrap", true);
    set.set("rest", -2.0);
    set.set("far", 3.0);
    set.set("light.last", std::int64_t{1});
    set.set("light.reach", 4.0);
    const auto made = write({"kill", "wrap", "rest", "far", "light.last", "light.reach"});
    EXPECT_TRUE(made.left.empty());
    EXPECT_EQ(changed(made), "    //@ =4\n"
                             "    int last; //@ =1\n"
                             "                     float kill, //@ =0.5\n"
                             "                     float tail = 0.5f, bool wrap, //@ =true\n"
                             "                     float rest) { //@ =-2\n"
                             "__global__ void other(float* u, float far) { u[0] = far; } //@ =3\n");
    const auto found = find_directives(made.source);
    EXPECT_EQ(found.find("step", "kill")->initial, std::vector{0.5});
    EXPECT_EQ(found.find("step", "tail"), nullptr);
    EXPECT_EQ(found.find_member("Light", "reach")->initial, std::vector{4.0});
}

TEST_F(Code, WhatSharesADirectiveNeedsOneValue) {
    set.set("light.w[0]", 0.25);
    set.set("light.w[1]", 0.5);
    set.set("feed", 0.02);
    auto made = write({"light.w[0]", "light.w[1]", "feed"});
    EXPECT_EQ(made.left, (std::vector<std::string>{"light.w[0]", "light.w[1]"}));
    EXPECT_EQ(made.written, std::vector<std::string>{"feed"});
    set.set("light.w[1]", 0.25);
    made = write({"light.w[0]", "light.w[1]"});
    EXPECT_EQ(changed(made), "    float w[2];    //@ 0..1 =0.25\n");
}

TEST_F(Code, WhatCannotBeWrittenIsLeft) {
    set.set("light.color", std::vector{0.0, 0.0, 1.0});
    set.set("light.x", 0.5);
    set.set("far", 2.0);
    const auto made = write({"light.x", "far"}, "__global__ void step(float feed) {}");
    EXPECT_EQ(made.left, (std::vector<std::string>{"light.x", "far"}));
    EXPECT_EQ(made.source, "__global__ void step(float feed) {}");
    EXPECT_EQ(changed(write({"light.x"})), "    float x, //@ =0.5\n    y;    //@ 0..1\n")
        << "the line is broken behind x";
}
