// SPDX-License-Identifier: MIT
#include "engine/broadcast/jpeg.h"

#include "engine/core/error.h"

#include <fmt/core.h>
#include <turbojpeg.h>

#include <algorithm>

namespace lathe {

namespace {

/// A last odd column or row is left out.
void halve(const std::byte* rgba, int width, int height, std::vector<std::byte>& to) {
    const int w = width / 2, h = height / 2;
    to.resize(std::size_t(w) * std::size_t(h) * 4);
    for (int y = 0; y < h; ++y) {
        const auto* const above = reinterpret_cast<const unsigned char*>(rgba) +
                                  std::size_t(2 * y) * std::size_t(width) * 4;
        const auto* const below = above + std::size_t(width) * 4;
        auto* const row =
            reinterpret_cast<unsigned char*>(to.data()) + std::size_t(y) * std::size_t(w) * 4;
        for (int x = 0; x < w; ++x)
            for (int c = 0; c < 4; ++c) {
                const int at = 8 * x + c;
                row[4 * x + c] = static_cast<unsigned char>(
                    (above[at] + above[at + 4] + below[at] + below[at + 4] + 2) / 4);
            }
    }
}

} // namespace

JpegEncoder::JpegEncoder() : handle_{tjInitCompress()} {
    if (!handle_) throw Error{"libjpeg-turbo did not start: memory is short"};
}

JpegEncoder::~JpegEncoder() {
    tjFree(buffer_);
    tjDestroy(handle_);
}

void JpegEncoder::append(std::string& bytes, const std::byte* rgba, int width, int height,
                         const JpegConfig& config) {
    if (config.half_size && width > 1 && height > 1) {
        halve(rgba, width, height, halved_);
        rgba = halved_.data();
        width /= 2;
        height /= 2;
    }
    const auto subsampling = config.full_colour ? TJSAMP_444 : TJSAMP_420;
    unsigned long size = capacity_;
    if (tjCompress2(handle_, reinterpret_cast<const unsigned char*>(rgba), width, 0, height,
                    TJPF_RGBX, &buffer_, &size, subsampling, config.quality,
                    TJFLAG_BOTTOMUP | TJFLAG_FASTDCT) != 0)
        throw Error{fmt::format("a frame of {} x {} pixels was not encoded: {}", width, height,
                                tjGetErrorStr2(handle_))};
    capacity_ = std::max(capacity_, size);
    bytes.append(reinterpret_cast<const char*>(buffer_), size);
}

} // namespace lathe
