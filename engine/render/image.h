// SPDX-License-Identifier: MIT
// A picture from a texture, or straight from the buffer a kernel writes: no copy in between.
// One channel goes through a colormap, a NaN being magenta; two to four are colours.
#pragma once

#include "engine/core/api.h"
#include "engine/core/dtype.h"
#include "engine/render/clip_planes.h"
#include "engine/render/colormap.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace lathe {

namespace gl {
class Buffer;
class Texture;
} // namespace gl

struct ImageSource;

/// What is seen of complex numbers.
enum class ComplexAs {
    magnitude, ///< through the colormap
    phase,     ///< likewise: -π to π
    color,     ///< the phase is the hue, 0 red, and the magnitude the brightness
};

struct ImageStyle {
    /// Of one channel, or the values of black and full colour. None: 0 to 255 for uint8, 0 to 1
    /// for others; of an App, the console says once that floats lie outside.
    std::optional<ValueRange> range{};
    /// Of an App: instead of `range`, so much of the picture's own values.
    std::optional<Percentiles> percentiles{};
    float gamma = 1;     ///< after the range: t^(1/gamma)
    bool linear = false; ///< interpolate, and average where shrunk; else sharp squares
    bool y_up = false;   ///< row 0 at the bottom
    std::string colormap = "viridis";
    float opacity = 1; ///< over what is there
    ComplexAs complex_as = ComplexAs::magnitude;
    /// Lines where a picture of one channel, interpolated, is a multiple of this; 0: none.
    float contours = 0;
    glm::vec4 contour_color{0.02f, 0.02f, 0.03f, 0.9f};
    float contour_width = 1.3f; ///< pixels
};

/// Elements of shape (height, width, channels) in a buffer.
struct ImageBuffer {
    const gl::Buffer* buffer = nullptr;
    DType dtype =
        DType::float32; ///< float16, float32, bool_, an integer of up to 32 bits, complex64
    int height = 0;
    int width = 0;
    int channels = 1;       ///< 1…4; a fourth is not looked at
    std::size_t offset = 0; ///< bytes to the first element
    /// Two floats instead of ImageStyle's range; null: that one.
    const gl::Buffer* range = nullptr;
};

/// A parallelogram in space: row 0 lies at its upper side, or with ImageStyle::y_up at the lower.
struct ImagePlane {
    glm::dvec3 origin{0, 0, 0}; ///< the lower left corner
    glm::vec3 right{1, 0, 0};   ///< the lower side, from there
    glm::vec3 up{0, 1, 0};      ///< the left side
};

/// Where the picture lies: pixels of the framebuffer, from the top left corner.
struct LATHE_API ImagePlacement {
    glm::vec2 origin{0, 0};
    glm::vec2 size{1, 1};

    /// As large as fits without distortion (zoom 1), with the picture's point `center`
    /// (fractions, from its top left) in the viewport's middle.
    static ImagePlacement fit(glm::vec2 picture, glm::vec2 viewport, float zoom = 1,
                              glm::vec2 center = {0.5f, 0.5f});
    /// The picture's element (column, row as shown) under a framebuffer position; may lie outside.
    glm::vec2 element_at(glm::vec2 position, glm::vec2 picture) const;
};

class LATHE_API ImageRenderer {
public:
    ImageRenderer() = default;

    /// Draws into the bound framebuffer of `framebuffer_size`; programs are compiled on first use.
    void draw(const gl::Texture& texture, const ImageStyle& style, const ImagePlacement& placement,
              glm::vec2 framebuffer_size);
    /// Throws lathe::Error for a type it cannot show, an offset not aligned to the element, or a
    /// buffer too small for the shape.
    void draw(const ImageBuffer& image, const ImageStyle& style, const ImagePlacement& placement,
              glm::vec2 framebuffer_size);

    /// In space, behind what stands before it. It hides what is drawn later behind it where its
    /// opacity is 1.
    void draw(const gl::Texture& texture, const ImageStyle& style, const ImagePlane& plane,
              const glm::mat4& view_projection, const ClipPlanes& clip = {});
    void draw(const ImageBuffer& image, const ImageStyle& style, const ImagePlane& plane,
              const glm::mat4& view_projection, const ClipPlanes& clip = {});

private:
    struct Place;
    void draw(const ImageSource& source, const ImageStyle& style, const Place& place);
    gl::Program& program(const ImageSource& source, unsigned features);

    std::map<std::tuple<std::string_view, int, unsigned>, gl::Program> programs_; ///< sampler first
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
