// SPDX-License-Identifier: MIT
// Pictures on their way from OpenGL to the CPU, without anybody waiting for them. Private to
// engine/app.
#pragma once

#include "engine/app/remote_display.h"
#include "gl/buffer.h"
#include "gl/sync.h"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace lathe {

namespace gl {
class Framebuffer;
}

class FrameRing {
public:
    /// Begins to read `picture` back; does nothing where all places are taken.
    void read(const gl::Framebuffer& picture);
    /// The newest picture that has arrived; older ones are dropped.
    std::optional<RemoteFrame> take();
    /// Pictures that have not arrived.
    std::size_t under_way() const { return under_way_.size(); }
    void wait_for_oldest();

private:
    /// One is held, one is encoded, two are under way.
    static constexpr std::size_t kPlaces = 4;
    struct Place {
        gl::Buffer pixels;
        int width, height;
        std::atomic<bool> is_held{false}; ///< by whoever took it
        bool is_under_way = false;
    };
    struct Picture {
        std::shared_ptr<Place> place;
        gl::Fence read;
    };

    std::shared_ptr<Place> free_place(int width, int height);

    std::vector<std::shared_ptr<Place>> places_;
    std::deque<Picture> under_way_;
};

} // namespace lathe
