// SPDX-License-Identifier: MIT
// Frames as JPEG, by libjpeg-turbo.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lathe {

struct JpegConfig {
    int quality = 85;         ///< 1 to 100
    bool full_colour = false; ///< colours as fine as brightness; else half as fine each way
    bool half_size = false;   ///< each pixel is the mean of four
};

class LATHE_API JpegEncoder {
public:
    JpegEncoder();
    JpegEncoder(const JpegEncoder&) = delete;
    JpegEncoder& operator=(const JpegEncoder&) = delete;
    ~JpegEncoder();

    /// Appends a JPEG file to `bytes`. `rgba` has width × height × 4 bytes, the bottom row first.
    /// Throws lathe::Error where the library refuses.
    void append(std::string& bytes, const std::byte* rgba, int width, int height,
                const JpegConfig& config);

private:
    void* handle_;
    std::vector<std::byte> halved_;
    unsigned char* buffer_ = nullptr; ///< the library's own
    unsigned long capacity_ = 0;
};

} // namespace lathe
