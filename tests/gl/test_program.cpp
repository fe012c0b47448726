// SPDX-License-Identifier: MIT
#include "gl/program.h"

#include "engine/core/error.h"
#include "fixture.h"
#include "gl/error.h"
#include "gl/framebuffer.h"
#include "gl/vertex_array.h"
#include "tests/temp_folder.h"

#include <glad/gl.h>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace lathe;
using gl::Stage;

using test::kTriangle;
using ProgramTest = test::ShaderTest;

TEST_F(ProgramTest, UniformsReachThePixels) {
    write("t.vert", kTriangle);
    write("t.frag", "uniform vec4 tint; uniform mat4 m; uniform int n; out vec4 color;\n"
                    "void main() { color = m * tint * float(n); }\n");
    gl::Program program{"t.vert", "t.frag"};
    const float doubled[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2};
    program.set("tint", 0.05f, 0.1f, 0.0f, 0.25f);
    program.set_matrix("m", doubled);
    program.set("n", 2);
    program.set("no_such_uniform", 1.0f); // ignored
    const gl::Framebuffer f{2, 2};
    const auto p = drawn(program, f);
    EXPECT_EQ(int(p[0]), 51);
    EXPECT_EQ(int(p[1]), 102);
    EXPECT_EQ(int(p[2]), 0);
    EXPECT_EQ(int(p[3]), 255);
}

TEST_F(ProgramTest, ErrorNamesFileAndLine) {
    write("t.vert", kTriangle);
    write("t.frag", "out vec4 color;\n\nvoid main() {\n    color = nonsense;\n}\n");
    try {
        gl::Program program{"t.vert", "t.frag"};
        FAIL() << "nonsense compiled";
    } catch (const gl::Error& e) {
        ASSERT_FALSE(e.diagnostics().empty());
        EXPECT_EQ(e.diagnostics()[0].file, "t.frag");
        EXPECT_EQ(e.diagnostics()[0].line, 4);
        EXPECT_THAT(e.what(), testing::HasSubstr("t.frag:4"));
        EXPECT_THAT(e.what(), testing::HasSubstr("nonsense"));
    }
}

TEST_F(ProgramTest, ErrorsInAndAfterAnIncludeAreTold) {
    write("t.vert", kTriangle);
    write("part.glsl", "float half_of(float x) {\n    return x / two;\n}\n");
    write("t.frag", "out vec4 color;\n#include \"part.glsl\"\n#include \"part.glsl\"\n"
                    "void main() { color = vec4(wrong); }\n");
    try {
        gl::Program program{"t.vert", "t.frag"};
        FAIL() << "wrong compiled";
    } catch (const gl::Error& e) {
        std::map<std::string, int> first_line;
        for (const auto& d : e.diagnostics()) first_line.emplace(d.file, d.line);
        EXPECT_EQ(first_line["part.glsl"], 2);
        EXPECT_EQ(first_line["t.frag"], 4);
    }
}

TEST_F(ProgramTest, DefinesAreSeen) {
    const std::vector<std::string> defines{"LEVEL 3"};
    const gl::ShaderSource sources[] = {
        {Stage::vertex, "a.vert", kTriangle},
        {Stage::fragment, "a.frag",
         "out vec4 c;\n#if LEVEL != 3\n#error not seen\n#endif\nvoid main() { c = vec4(1); }\n"}};
    EXPECT_NO_THROW(gl::Program::from_sources(sources, defines));
    EXPECT_THROW(gl::Program::from_sources(sources), gl::Error);
}

TEST_F(ProgramTest, LinkErrorsNameBothFiles) {
    const gl::ShaderSource sources[] = {
        {Stage::vertex, "a.vert", kTriangle},
        {Stage::fragment, "a.frag",
         "in vec3 missing; out vec4 c;\nvoid main() { c = missing.xyzz; }"}};
    try {
        gl::Program::from_sources(sources);
        FAIL() << "linked with a missing input";
    } catch (const gl::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("a.vert and a.frag do not link"));
    }
}

TEST_F(ProgramTest, MissingFileIsNamed) {
    try {
        gl::Program program{"absent.vert", "absent.frag"};
        FAIL() << "a missing file compiled";
    } catch (const lathe::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("shaders/absent.vert"));
    }
}

} // namespace
