// SPDX-License-Identifier: MIT
// A file of version 2: a header of attributes, a table of where each block of 16 rows begins, the
// blocks. All numbers are little-endian (openexr.com, "OpenEXR File Layout").
#include "engine/app/exr.h"

#include "engine/core/error.h"
#include "engine/core/output_file.h"

#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr int kRowsABlock = 16;         // of ZIP
constexpr std::int32_t kHalf = 1;       // a channel's type
constexpr std::int32_t kFloat = 2;      // likewise
constexpr std::uint8_t kZip = 3;        // compression
constexpr std::uint8_t kIncreasing = 0; // order of the rows
constexpr int kZlibQuality = 6;         // of stb: how many matches it looks at

template <class T> void put(std::string& to, T value) {
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    to.append(bytes.data(), bytes.size());
}

void put_name(std::string& to, std::string_view name) {
    to += name;
    to += '\0';
}

void put_attribute(std::string& to, std::string_view name, std::string_view type,
                   const std::string& value) {
    put_name(to, name);
    put_name(to, type);
    put(to, std::int32_t(value.size()));
    to += value;
}

/// Names in the order of the file, which is that of the alphabet, and their places in a texel.
struct Channel {
    std::string_view name;
    std::size_t place;
};
std::vector<Channel> channels_of(int count) {
    switch (count) {
    case 1: return {{"Y", 0}};
    case 2: return {{"G", 1}, {"R", 0}};
    case 3: return {{"B", 2}, {"G", 1}, {"R", 0}};
    default: return {{"A", 3}, {"B", 2}, {"G", 1}, {"R", 0}};
    }
}

std::string header_of(const FloatImage& image) {
    std::string header;
    put(header, std::int32_t(20000630)); // what begins each such file
    put(header, std::int32_t(2));        // version; one part, scan lines
    std::string channels;
    for (const Channel& each : channels_of(image.channels)) {
        put_name(channels, each.name);
        put(channels, image.is_half ? kHalf : kFloat);
        put(channels, std::int32_t(0)); // linear
        put(channels, std::int32_t(1)); // each column
        put(channels, std::int32_t(1)); // each row
    }
    channels += '\0';
    std::string window;
    for (const int corner : {0, 0, image.width - 1, image.height - 1})
        put(window, std::int32_t(corner));
    std::string one, middle;
    put(one, 1.0f);
    put(middle, 0.0f);
    put(middle, 0.0f);
    put_attribute(header, "channels", "chlist", channels);
    put_attribute(header, "compression", "compression", {char(kZip)});
    put_attribute(header, "dataWindow", "box2i", window);
    put_attribute(header, "displayWindow", "box2i", window);
    put_attribute(header, "lineOrder", "lineOrder", {char(kIncreasing)});
    put_attribute(header, "pixelAspectRatio", "float", one);
    put_attribute(header, "screenWindowCenter", "v2f", middle);
    put_attribute(header, "screenWindowWidth", "float", one);
    header += '\0';
    return header;
}

/// Row by row, each channel's numbers together.
std::string rows_of(const FloatImage& image, int first, int end) {
    const std::size_t bytes = image.is_half ? 2 : 4;
    const auto width = std::size_t(image.width), channels = std::size_t(image.channels);
    std::string rows;
    rows.reserve(std::size_t(end - first) * width * channels * bytes);
    const auto* const begin = reinterpret_cast<const char*>(image.bytes.data());
    for (int y = first; y < end; ++y)
        for (const Channel& each : channels_of(image.channels))
            for (std::size_t x = 0; x < width; ++x)
                rows.append(begin + ((std::size_t(y) * width + x) * channels + each.place) * bytes,
                            bytes);
    return rows;
}

/// What ZIP compresses: first the bytes of even places, then the others; each as the difference
/// from the one before, plus 128.
std::string prepared(const std::string& raw) {
    std::string apart(raw.size(), '\0');
    const std::size_t half = (raw.size() + 1) / 2;
    for (std::size_t i = 0; i < raw.size(); ++i) apart[i / 2 + (i % 2 ? half : 0)] = raw[i];
    for (std::size_t i = apart.size(); i-- > 1;)
        apart[i] = char(std::uint8_t(apart[i]) - std::uint8_t(apart[i - 1]) + 128);
    return apart;
}

/// As it is where that is not longer.
std::string compressed(const std::string& raw) {
    std::string in = prepared(raw);
    int size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> zipped{
        stbi_zlib_compress(reinterpret_cast<unsigned char*>(in.data()), int(in.size()), &size,
                           kZlibQuality),
        std::free};
    if (!zipped || std::size_t(size) >= raw.size()) return raw;
    return {reinterpret_cast<const char*>(zipped.get()), std::size_t(size)};
}

void check_image(const FloatImage& image) {
    constexpr std::size_t kLongest = std::size_t{1} << 30; // bytes of a block
    const std::size_t row = std::size_t(std::max(image.width, 0)) *
                            std::size_t(std::max(image.channels, 0)) * (image.is_half ? 2 : 4);
    const std::size_t needed = row * std::size_t(std::max(image.height, 0));
    if (needed == 0 || needed != image.bytes.size() || image.channels > 4 ||
        row > kLongest / kRowsABlock)
        throw Error{fmt::format("an image {} x {} with {} channels and {} bytes cannot be saved "
                                "as EXR",
                                image.width, image.height, image.channels, image.bytes.size())};
}

} // namespace

void save_exr(const std::filesystem::path& file, const FloatImage& image) {
    check_image(image);
    OutputFile out{file};
    const std::string header = header_of(image);
    const int blocks = (image.height + kRowsABlock - 1) / kRowsABlock;
    std::string places(std::size_t(blocks) * 8, '\0');
    std::uint64_t at = header.size() + places.size();
    out << header << places; // the places are known once the blocks are
    places.clear();
    for (int first = 0; first < image.height && out; first += kRowsABlock) {
        const int end = std::min(first + kRowsABlock, image.height);
        const std::string rows = compressed(rows_of(image, first, end));
        std::string head;
        put(head, std::int32_t(first));
        put(head, std::int32_t(rows.size()));
        out << head << rows;
        put(places, at);
        at += head.size() + rows.size();
    }
    out.seek(std::streamoff(header.size()));
    out << places;
    out.close();
}

} // namespace lathe
