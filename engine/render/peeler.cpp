// SPDX-License-Identifier: MIT
#include "engine/render/peeler.h"

#include "engine/render/bound_target.h"
#include "engine/render/draw_state.h"

#include <glad/gl.h>

#include <algorithm>

namespace lathe {

namespace {

/// Whether any sample passes.
class Asked {
public:
    explicit Asked(GLuint query) { glBeginQuery(GL_ANY_SAMPLES_PASSED, query); }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    ~Asked() { glEndQuery(GL_ANY_SAMPLES_PASSED); }
};

/// Commands go on only where the query before found something.
class OnlyIfSeen {
public:
    explicit OnlyIfSeen(GLuint query) : query_{query} {
        if (query_) glBeginConditionalRender(query_, GL_QUERY_WAIT);
    }
    OnlyIfSeen(const OnlyIfSeen&) = delete;
    OnlyIfSeen& operator=(const OnlyIfSeen&) = delete;
    ~OnlyIfSeen() {
        if (query_) glEndConditionalRender();
    }

private:
    GLuint query_;
};

} // namespace

void Peeler::put(const gl::Texture& layer, glm::ivec2 corner) {
    layer.bind(0);
    program_->set("corner", corner.x, corner.y);
    program_->use();
    corners_->bind();
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void Peeler::draw(const gl::Texture& solid, const std::function<void(const PeelPass&)>& draw) {
    const BoundTarget target;
    const glm::ivec2 size = target.size();
    if (size.x < 1 || size.y < 1) return;
    if (!program_) {
        program_.emplace("peel.vert", "peel.frag");
        corners_.emplace();
        for (auto& query : seen_) {
            GLuint id = 0;
            glCreateQueries(GL_ANY_SAMPLES_PASSED, 1, &id);
            query = gl::Object<gl::Kind::query>{gl::name_here(id)};
        }
    }
    const bool has_pictures = bool(sum_);
    if (!has_pictures || sum_.width() < size.x || sum_.height() < size.y) {
        const int width = has_pictures ? std::max(sum_.width(), size.x) : size.x,
                  height = has_pictures ? std::max(sum_.height(), size.y) : size.y;
        for (gl::Framebuffer& layer : layers_)
            layer = gl::Framebuffer{width, height, gl::Format::rgba8, true};
        sum_ = gl::Framebuffer{width, height, gl::Format::rgba16f};
    }
    constexpr std::array<float, 4> kNothing{0, 0, 0, 0};
    sum_.clear(kNothing);
    layers_[1].clear(kNothing, 0); // nothing is nearer than the first layer
    for (std::size_t pass = 0; pass < kMostLayers; ++pass) {
        const OnlyIfSeen before{pass > 0 ? seen_[pass - 1].get().id : 0};
        const gl::Framebuffer &layer = layers_[pass % 2], &nearer = layers_[(pass + 1) % 2];
        layer.clear(kNothing);
        layer.bind();
        glViewport(0, 0, size.x, size.y);
        {
            const Asked whether{seen_[pass].get().id};
            draw({solid, nearer.depth(), target.corner()});
        }
        sum_.bind();
        glViewport(0, 0, size.x, size.y);
        const DrawState state{Mix::under, false};
        put(layer.color(), {0, 0});
    }
    target.bind();
    const DrawState state{Mix::over, false};
    put(sum_.color(), target.corner());
}

} // namespace lathe
