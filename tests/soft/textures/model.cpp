// SPDX-License-Identifier: MIT
#include "tests/soft/textures/model.h"

#include <algorithm>
#include <cmath>

namespace lathe::test {

double fraction_of_8_bits(double x) { return std::floor(x * 256 + 0.5) / 256; }

double Model::texel_or_border(std::array<int, 3> index) const {
    for (int a = 0; a < axes; ++a) {
        const int n = size[a];
        CUaddress_mode mode = address[a];
        const bool repeats = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
        if (repeats && !normalized) mode = CU_TR_ADDRESS_MODE_CLAMP;
        int& i = index[a];
        if (mode == CU_TR_ADDRESS_MODE_WRAP) {
            while (i < 0) i += n;
            while (i >= n) i -= n;
        } else if (mode == CU_TR_ADDRESS_MODE_MIRROR) {
            while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        } else if (mode == CU_TR_ADDRESS_MODE_CLAMP) {
            i = std::clamp(i, 0, n - 1);
        } else if (i < 0 || i >= n) {
            return border;
        }
    }
    return texel(index[0], index[1], index[2]);
}

double Model::read(std::array<double, 3> at) const {
    std::array<int, 3> first{0, 0, 0};
    std::array<double, 3> weight{0, 0, 0};
    for (int a = 0; a < axes; ++a) {
        double x = at[a] * (normalized ? size[a] : 1);
        if (filter == CU_TR_FILTER_MODE_LINEAR) {
            x -= 0.5;
            weight[a] = fraction_of_8_bits(x - std::floor(x));
        }
        first[a] = static_cast<int>(std::floor(x));
    }
    double sum = 0;
    for (int dz = 0; dz < 2; ++dz)
        for (int dy = 0; dy < 2; ++dy)
            for (int dx = 0; dx < 2; ++dx) {
                const double w = (dx ? weight[0] : 1 - weight[0]) *
                                 (dy ? weight[1] : 1 - weight[1]) *
                                 (dz ? weight[2] : 1 - weight[2]);
                if (w == 0) continue;
                sum += w * texel_or_border({first[0] + dx, first[1] + dy, first[2] + dz});
            }
    return sum;
}

double footprint(std::array<double, 2> dx, std::array<double, 2> dy) {
    const auto length = [](double x, double y) {
        x = std::abs(x), y = std::abs(y);
        return std::max(x, y) + std::min(x, y) * 11 / 32;
    };
    double longest = std::max(length(dx[0], dx[1]), length(dy[0], dy[1]));
    for (const double sign : {-1.0, 1.0})
        longest = std::max(longest, length(dx[0] + sign * dy[0], dx[1] + sign * dy[1]) * 11 / 16);
    return longest;
}

FacePlace face_place(double x, double y, double z) {
    const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    auto at = [](int face, double s, double t, double m) {
        return FacePlace{face, (s / m + 1) / 2, (t / m + 1) / 2};
    };
    if (ax >= ay && ax >= az) return x >= 0 ? at(0, -z, -y, ax) : at(1, z, -y, ax);
    if (ay >= az) return y >= 0 ? at(2, x, z, ay) : at(3, x, -z, ay);
    return z >= 0 ? at(4, x, -y, az) : at(5, -x, -y, az);
}

std::array<double, 3> point_on_face(const FacePlace& place) {
    const double s = 2 * place.s - 1, t = 2 * place.t - 1;
    switch (place.face) {
    case 0: return {1, -t, -s};
    case 1: return {-1, -t, s};
    case 2: return {s, 1, t};
    case 3: return {s, -1, -t};
    case 4: return {s, -t, 1};
    default: return {-s, -t, -1};
    }
}

} // namespace lathe::test
