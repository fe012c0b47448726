// SPDX-License-Identifier: MIT
#include "engine/app/sampled_picture.h"

#include "engine/core/log.h"
#include "gl/error.h"

#include <utility>

namespace lathe {

void SampledPicture::resize(std::array<int, 2> size, const std::array<float, 4>& background) {
    if (picture_ && picture_.width() == size[0] && picture_.height() == size[1]) return;
    if (samples_ > 1 && !make_fine(size)) samples_ = 1;
    gl::Framebuffer sized{size[0], size[1], gl::Format::rgba8, samples_ == 1};
    sized.clear(background);
    if (picture_) picture_.blit_to(sized);
    picture_ = std::move(sized);
}

/// False where nobody has asked for samples and GL has no picture so large.
bool SampledPicture::make_fine(std::array<int, 2> size) {
    try {
        fine_ = gl::Framebuffer{samples_ * size[0], samples_ * size[1], gl::Format::rgba8, true};
        return true;
    } catch (const gl::Error& error) {
        if (!is_wish_) throw;
        log::warning("a pixel has one sample from now on: {}", error.what());
        return false;
    }
}

/// Two samples in each direction: a linear blit is their mean.
void SampledPicture::average() {
    if (samples_ > 1) fine_.blit_to(picture_);
}

} // namespace lathe
