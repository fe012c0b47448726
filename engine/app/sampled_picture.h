// SPDX-License-Identifier: MIT
// The picture of a scene, with one or more samples a pixel in each direction; private to
// engine/app.
#pragma once

#include "engine/scene/scene.h"
#include "gl/framebuffer.h"

#include <array>

namespace lathe {

class SampledPicture {
public:
    /// `is_wish`: where GL has no picture so large, pixels have one sample.
    void set_samples(int samples, bool is_wish) {
        samples_ = samples;
        is_wish_ = is_wish;
    }
    /// In pixels. A new size shows what was there, scaled, until the next drawing. Throws gl::Error
    /// for a size that GL has not.
    void resize(std::array<int, 2> size, const std::array<float, 4>& background);

    int samples() const { return samples_; }
    /// What is drawn into.
    gl::Framebuffer& canvas() { return samples_ > 1 ? fine_ : picture_; }
    /// The mean of what was drawn becomes the picture.
    void average();
    gl::Framebuffer& picture() { return picture_; }

private:
    bool make_fine(std::array<int, 2> size);

    gl::Framebuffer picture_;
    gl::Framebuffer fine_; ///< where there are several samples a pixel: what they are drawn into
    int samples_ = 1;
    bool is_wish_ = false;
};

} // namespace lathe
