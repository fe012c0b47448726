// SPDX-License-Identifier: MIT
#include "engine/render/screenshot.h"

#include "engine/core/error.h"
#include "engine/core/output_file.h"
#include "gl/framebuffer.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace lathe {

ImageData upright_rgb(const std::byte* rgba, int width, int height) {
    ImageData image{width, height, 3, {}};
    const std::size_t row = std::size_t(width) * 4;
    image.bytes.reserve(row / 4 * 3 * std::size_t(height));
    for (int y = height - 1; y >= 0; --y)
        for (std::size_t x = 0; x < row; x += 4) {
            const std::byte* const texel = rgba + std::size_t(y) * row + x;
            image.bytes.insert(image.bytes.end(), texel, texel + 3);
        }
    return image;
}

ImageData read_image(const gl::Framebuffer& framebuffer, int channels) {
    ImageData image{framebuffer.width(), framebuffer.height(), channels,
                    framebuffer.read(channels)};
    const std::size_t row = std::size_t(image.width) * std::size_t(channels);
    for (int low = 0, high = image.height - 1; low < high; ++low, --high) {
        std::byte* a = image.bytes.data() + std::size_t(low) * row;
        std::swap_ranges(a, a + row, image.bytes.data() + std::size_t(high) * row);
    }
    return image;
}

ImageData averaged(const ImageData& image, int factor) {
    if (factor == 1) return image;
    const auto channels = std::size_t(image.channels),
               area = std::size_t(factor) * std::size_t(factor);
    ImageData mean{image.width / factor, image.height / factor, image.channels, {}};
    mean.bytes.reserve(std::size_t(mean.width) * std::size_t(mean.height) * channels);
    std::vector<std::size_t> sums(std::size_t(mean.width) * channels);
    for (int y = 0; y < mean.height; ++y) {
        std::fill(sums.begin(), sums.end(), 0);
        for (int row = 0; row < factor; ++row) {
            const std::byte* at = image.at(0, y * factor + row);
            for (std::size_t x = 0; x < std::size_t(mean.width * factor); ++x)
                for (std::size_t c = 0; c < channels; ++c)
                    sums[x / std::size_t(factor) * channels + c] +=
                        std::size_t(at[x * channels + c]);
        }
        for (const std::size_t sum : sums) mean.bytes.push_back(std::byte((sum + area / 2) / area));
    }
    return mean;
}

std::string png_of(const ImageData& image) {
    const std::size_t needed = std::size_t(std::max(image.width, 0)) *
                               std::size_t(std::max(image.height, 0)) *
                               std::size_t(std::max(image.channels, 0));
    if (needed == 0 || needed != image.bytes.size() || image.channels > 4)
        throw Error{fmt::format("an image {} x {} with {} channels and {} bytes cannot be saved",
                                image.width, image.height, image.channels, image.bytes.size())};
    std::string png;
    const auto append = [](void* to, void* bytes, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), std::size_t(count));
    };
    stbi_write_png_to_func(append, &png, image.width, image.height, image.channels,
                           image.bytes.data(), image.width * image.channels);
    return png;
}

void save_png(const std::filesystem::path& file, const ImageData& image) {
    write_file(file, png_of(image));
}

ImageData load_image(const std::filesystem::path& file, int channels) {
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
        throw Error{fmt::format("an image has 1, 3 or 4 channels, {} were asked for", channels)};
    const auto require = [&](bool is_fine, const char* reason) {
        if (!is_fine)
            throw Error{fmt::format("cannot read the picture {}: {}", file.string(),
                                    reason ? reason : "its bytes are damaged")};
    };
    std::error_code ignored; // the open below tells better
    require(!std::filesystem::is_directory(file, ignored), "Is a directory");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in{std::fopen(file.c_str(), "rb"),
                                                             &std::fclose};
    require(bool(in), std::strerror(errno));
    int width = 0, height = 0, found = 0;
    const bool is_known = stbi_info_from_file(in.get(), &width, &height, &found);
    require(is_known, stbi_failure_reason());
    if (channels == 0) channels = found == 2 ? 4 : found;
    const std::unique_ptr<stbi_uc, void (*)(void*)> texels{
        stbi_load_from_file(in.get(), &width, &height, &found, channels), stbi_image_free};
    require(bool(texels), stbi_failure_reason());
    const auto* first = reinterpret_cast<const std::byte*>(texels.get());
    return {width,
            height,
            channels,
            {first, first + std::size_t(width) * std::size_t(height) * std::size_t(channels)}};
}

} // namespace lathe
