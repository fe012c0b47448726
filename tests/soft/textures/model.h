// SPDX-License-Identifier: MIT
// Texture reads after the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), in
// double precision with filter weights of 1.8 fixed point: independent of the device's code.
#pragma once

#include <cuda.h>

#include <array>
#include <functional>

namespace lathe::test {

struct Model {
    int axes = 2;
    std::array<int, 3> size{1, 1, 1};
    std::array<CUaddress_mode, 3> address{CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                          CU_TR_ADDRESS_MODE_CLAMP};
    CUfilter_mode filter = CU_TR_FILTER_MODE_POINT;
    bool normalized = false;
    double border = 0;
    std::function<double(int x, int y, int z)> texel;

    double read(std::array<double, 3> at) const;

private:
    double texel_or_border(std::array<int, 3> index) const;
};

/// A fraction with 8 bits, rounded to nearest.
double fraction_of_8_bits(double x);

/// Length of the footprint that two slopes in texels span, as GPUs work it out (by a recording of
/// one; the CUDA guide does not say).
double footprint(std::array<double, 2> dx, std::array<double, 2> dy);

/// Face and place on it, 0 to 1, of a direction: the guide's table for cube maps.
struct FacePlace {
    int face;
    double s, t;
};
FacePlace face_place(double x, double y, double z);

/// The point of a face's plane at (s, t), 0 to 1 within the face.
std::array<double, 3> point_on_face(const FacePlace& place);

} // namespace lathe::test
