// SPDX-License-Identifier: MIT
#include "gl/saved_state.h"

#include "gl/context.h"

#include <glad/gl.h>

#include <array>
#include <cstddef>
#include <utility>

namespace lathe::gl {
namespace {

constexpr std::array kSwitches{GL_BLEND,
                               GL_CULL_FACE,
                               GL_DEPTH_TEST,
                               GL_SCISSOR_TEST,
                               GL_STENCIL_TEST,
                               GL_PROGRAM_POINT_SIZE,
                               GL_FRAMEBUFFER_SRGB,
                               GL_RASTERIZER_DISCARD,
                               GL_COLOR_LOGIC_OP,
                               GL_DEPTH_CLAMP,
                               GL_PRIMITIVE_RESTART,
                               GL_PRIMITIVE_RESTART_FIXED_INDEX,
                               GL_DITHER,
                               GL_MULTISAMPLE,
                               GL_POLYGON_OFFSET_FILL,
                               GL_CLIP_DISTANCE0,
                               GL_CLIP_DISTANCE1,
                               GL_CLIP_DISTANCE2,
                               GL_CLIP_DISTANCE3,
                               GL_SAMPLE_ALPHA_TO_COVERAGE};
constexpr std::array kOnByDefault{GL_PROGRAM_POINT_SIZE, GL_DITHER, GL_MULTISAMPLE};

constexpr std::array kPixelStorage{
    GL_PACK_ALIGNMENT,    GL_PACK_ROW_LENGTH,    GL_PACK_SKIP_ROWS,      GL_PACK_SKIP_PIXELS,
    GL_PACK_IMAGE_HEIGHT, GL_PACK_SKIP_IMAGES,   GL_UNPACK_ALIGNMENT,    GL_UNPACK_ROW_LENGTH,
    GL_UNPACK_SKIP_ROWS,  GL_UNPACK_SKIP_PIXELS, GL_UNPACK_IMAGE_HEIGHT, GL_UNPACK_SKIP_IMAGES,
    GL_PACK_SWAP_BYTES,   GL_UNPACK_SWAP_BYTES};

/// What is bound, by target and the name of the question.
constexpr std::array<std::pair<GLenum, GLenum>, 6> kBuffers{
    {{GL_ARRAY_BUFFER, GL_ARRAY_BUFFER_BINDING},
     {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING},
     {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING},
     {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING},
     {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING},
     {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING}}};
constexpr std::array<std::pair<GLenum, GLenum>, 6> kTextures{
    {{GL_TEXTURE_1D, GL_TEXTURE_BINDING_1D},
     {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D},
     {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D},
     {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY},
     {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP},
     {GL_TEXTURE_BUFFER, GL_TEXTURE_BINDING_BUFFER}}};
constexpr std::size_t kUnits = 16; // each stage of GL 4.5 has as many

GLint integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value;
}

GLuint bound(GLenum name) { return GLuint(integer(name)); }

void turn(GLenum what, bool on) { on ? glEnable(what) : glDisable(what); }

} // namespace

struct SavedState::Values {
    std::uint32_t context = 0;
    std::array<bool, kSwitches.size()> switches{};
    std::array<GLint, kPixelStorage.size()> pixel_storage{};
    std::array<GLuint, kBuffers.size()> buffers{};
    std::array<std::array<GLuint, kTextures.size()>, kUnits> textures{};
    std::array<GLuint, kUnits> samplers{};
    GLint unit = 0;
    GLuint program = 0, vertex_array = 0, draw = 0, read = 0, renderbuffer = 0;
    std::array<GLint, 4> viewport{}, scissor{};
    std::array<GLint, 6> blend{}; ///< source and target of colour, of alpha, equations
    std::array<GLint, 2> polygon_mode{};
    std::array<GLboolean, 4> color_mask{};
    std::array<GLfloat, 4> clear_color{};
    GLboolean depth_mask = GL_TRUE;
    GLint depth_function = GL_LESS, cull_face = GL_BACK, front_face = GL_CCW;
    GLfloat clear_depth = 1, line_width = 1, point_size = 1;

    void read_bindings();
    void put_bindings() const;
};

void SavedState::Values::read_bindings() {
    for (std::size_t i = 0; i < kBuffers.size(); ++i) buffers[i] = bound(kBuffers[i].second);
    unit = integer(GL_ACTIVE_TEXTURE);
    for (std::size_t u = 0; u < kUnits; ++u) {
        glActiveTexture(GLenum(GL_TEXTURE0 + u));
        for (std::size_t i = 0; i < kTextures.size(); ++i)
            textures[u][i] = bound(kTextures[i].second);
        samplers[u] = bound(GL_SAMPLER_BINDING);
    }
    glActiveTexture(GLenum(unit));
    program = bound(GL_CURRENT_PROGRAM);
    vertex_array = bound(GL_VERTEX_ARRAY_BINDING);
    draw = bound(GL_DRAW_FRAMEBUFFER_BINDING);
    read = bound(GL_READ_FRAMEBUFFER_BINDING);
    renderbuffer = bound(GL_RENDERBUFFER_BINDING);
}

void SavedState::Values::put_bindings() const {
    for (std::size_t u = 0; u < kUnits; ++u) {
        glActiveTexture(GLenum(GL_TEXTURE0 + u));
        for (std::size_t i = 0; i < kTextures.size(); ++i)
            glBindTexture(kTextures[i].first, textures[u][i]);
        glBindSampler(GLuint(u), samplers[u]);
    }
    glActiveTexture(GLenum(unit));
    glUseProgram(program);
    glBindVertexArray(vertex_array);
    for (std::size_t i = 0; i < kBuffers.size(); ++i) glBindBuffer(kBuffers[i].first, buffers[i]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, draw);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, read);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
}

SavedState::SavedState() {
    auto made = std::make_unique<Values>();
    Values& v = *made;
    v.context = Context::require_current().serial();
    v.read_bindings();
    for (std::size_t i = 0; i < kSwitches.size(); ++i)
        v.switches[i] = glIsEnabled(kSwitches[i]) == GL_TRUE;
    for (std::size_t i = 0; i < kPixelStorage.size(); ++i)
        v.pixel_storage[i] = integer(kPixelStorage[i]);
    constexpr std::array kBlend{GL_BLEND_SRC_RGB,   GL_BLEND_DST_RGB,      GL_BLEND_SRC_ALPHA,
                                GL_BLEND_DST_ALPHA, GL_BLEND_EQUATION_RGB, GL_BLEND_EQUATION_ALPHA};
    for (std::size_t i = 0; i < kBlend.size(); ++i) v.blend[i] = integer(kBlend[i]);
    glGetIntegerv(GL_VIEWPORT, v.viewport.data());
    glGetIntegerv(GL_SCISSOR_BOX, v.scissor.data());
    glGetIntegerv(GL_POLYGON_MODE, v.polygon_mode.data());
    glGetBooleanv(GL_COLOR_WRITEMASK, v.color_mask.data());
    glGetBooleanv(GL_DEPTH_WRITEMASK, &v.depth_mask);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, v.clear_color.data());
    glGetFloatv(GL_DEPTH_CLEAR_VALUE, &v.clear_depth);
    glGetFloatv(GL_LINE_WIDTH, &v.line_width);
    glGetFloatv(GL_POINT_SIZE, &v.point_size);
    v.depth_function = integer(GL_DEPTH_FUNC);
    v.cull_face = integer(GL_CULL_FACE_MODE);
    v.front_face = integer(GL_FRONT_FACE);
    values_ = std::move(made);
}

SavedState::~SavedState() {
    const Values& v = *values_;
    const Context* const here = Context::current();
    if (!here || here->serial() != v.context) return;
    v.put_bindings();
    for (std::size_t i = 0; i < kSwitches.size(); ++i) turn(kSwitches[i], v.switches[i]);
    for (std::size_t i = 0; i < kPixelStorage.size(); ++i)
        glPixelStorei(kPixelStorage[i], v.pixel_storage[i]);
    const auto as_enum = [](GLint value) { return static_cast<GLenum>(value); };
    glBlendFuncSeparate(as_enum(v.blend[0]), as_enum(v.blend[1]), as_enum(v.blend[2]),
                        as_enum(v.blend[3]));
    glBlendEquationSeparate(as_enum(v.blend[4]), as_enum(v.blend[5]));
    glViewport(v.viewport[0], v.viewport[1], v.viewport[2], v.viewport[3]);
    glScissor(v.scissor[0], v.scissor[1], v.scissor[2], v.scissor[3]);
    glPolygonMode(GL_FRONT_AND_BACK, as_enum(v.polygon_mode[0]));
    glColorMask(v.color_mask[0], v.color_mask[1], v.color_mask[2], v.color_mask[3]);
    glDepthMask(v.depth_mask);
    glClearColor(v.clear_color[0], v.clear_color[1], v.clear_color[2], v.clear_color[3]);
    glClearDepth(double(v.clear_depth));
    glLineWidth(v.line_width);
    glPointSize(v.point_size);
    glDepthFunc(as_enum(v.depth_function));
    glCullFace(as_enum(v.cull_face));
    glFrontFace(as_enum(v.front_face));
    while (glGetError() != GL_NO_ERROR) {} // of what its owner deleted meanwhile
}

unsigned SavedState::draw_framebuffer() const noexcept { return values_->draw; }
const int* SavedState::viewport() const noexcept { return values_->viewport.data(); }

void set_expected_state() {
    for (GLenum each : kSwitches) turn(each, false);
    for (GLenum each : kOnByDefault) turn(each, true);
    for (GLenum each : kPixelStorage)
        glPixelStorei(each, each == GL_PACK_ALIGNMENT || each == GL_UNPACK_ALIGNMENT ? 1 : 0);
    for (const auto& [target, question] : kBuffers) glBindBuffer(target, 0);
    for (GLuint unit = 0; unit < kUnits; ++unit) glBindSampler(unit, 0);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    glBlendEquation(GL_FUNC_ADD);
    glFrontFace(GL_CCW);
    glBindVertexArray(0);
    glUseProgram(0);
}

} // namespace lathe::gl
