// SPDX-License-Identifier: MIT
#include "python/bind/render/screenshot.h"

#include "engine/app/exr.h"
#include "python/bind/bind.h"

#include <pybind11/stl/filesystem.h>

#include <cstring>
#include <filesystem>

namespace lathe::bind {

py::array_t<std::uint8_t> to_numpy(const ImageData& image) {
    py::array_t<std::uint8_t> out({image.height, image.width, image.channels});
    if (!image.bytes.empty())
        std::memcpy(out.mutable_data(), image.bytes.data(), image.bytes.size());
    return out;
}

namespace {

ImageData image_of(const py::array_t<std::uint8_t, py::array::c_style>& pixels) {
    ImageData image;
    if (pixels.ndim() < 2 || pixels.ndim() > 3)
        throw py::value_error("a picture is (height, width) or (height, width, channels) uint8");
    image.height = int(pixels.shape(0));
    image.width = int(pixels.shape(1));
    image.channels = pixels.ndim() == 3 ? int(pixels.shape(2)) : 1;
    if (image.channels != 1 && image.channels != 3 && image.channels != 4)
        throw py::value_error("a picture has 1, 3 or 4 channels");
    image.bytes.resize(std::size_t(pixels.nbytes()));
    std::memcpy(image.bytes.data(), pixels.data(), image.bytes.size());
    return image;
}

} // namespace

void bind_screenshot(py::module_& m) {
    using Pixels = py::array_t<std::uint8_t, py::array::c_style>;
    m.def(
        "png_of",
        [](const Pixels& pixels) {
            const ImageData image = image_of(pixels);
            std::string png;
            {
                const py::gil_scoped_release release;
                png = png_of(image);
            }
            return py::bytes(png);
        },
        py::arg("pixels"), "A PNG file's bytes of (height, width[, channels]) uint8.");
    m.def(
        "save_png",
        [](const std::filesystem::path& file, const Pixels& pixels) {
            const ImageData image = image_of(pixels);
            py::gil_scoped_release release;
            save_png(file, image);
        },
        py::arg("file"), py::arg("pixels"),
        "Writes (height, width[, channels]) uint8 as a PNG file; makes missing folders.");
    m.def(
        "save_exr",
        [](const std::filesystem::path& file, const py::array& numbers) {
            const py::array packed = py::array::ensure(numbers, py::array::c_style);
            const bool is_half = packed && packed.dtype().equal(py::dtype{"float16"});
            if (!is_half && !(packed && packed.dtype().equal(py::dtype::of<float>())))
                throw py::value_error("numbers of an EXR file are float16 or float32");
            if (packed.ndim() != 3 || packed.shape(2) < 1 || packed.shape(2) > 4)
                throw py::value_error("a picture is (height, width, 1 to 4 channels)");
            const FloatImage image{
                int(packed.shape(1)),
                int(packed.shape(0)),
                int(packed.shape(2)),
                is_half,
                {static_cast<const std::byte*>(packed.data()), std::size_t(packed.nbytes())}};
            py::gil_scoped_release release;
            save_exr(file, image);
        },
        py::arg("file"), py::arg("numbers"),
        "Writes (height, width, channels) float16 or float32 as an EXR file; makes missing "
        "folders.");
    m.def(
        "load_image",
        [](const std::filesystem::path& file, int channels) {
            return to_numpy(load_image(file, channels));
        },
        py::arg("file"), py::arg("channels") = 0,
        "Reads PNG, JPEG, BMP ... as (height, width, channels) uint8; 0 keeps the file's "
        "channels.");
}

} // namespace lathe::bind
