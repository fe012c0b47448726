// SPDX-License-Identifier: MIT
// Positions of float64 as floats from an origin near them.

struct Origin {
    double at[3];
};

/// Of so many rows of 2 to 4 numbers; a fourth one stays.
extern "C" __global__ void subtract_origin(const double* positions, float* to, long long count,
                                           int components, Origin origin) {
    for (long long i = first_item(); i < count; i += item_step()) {
        const double* const from = positions + i * components;
        float* const row = to + i * components;
        row[0] = (float)(from[0] - origin.at[0]);
        row[1] = (float)(from[1] - origin.at[1]);
        if (components > 2) row[2] = (float)(from[2] - origin.at[2]);
        if (components > 3) row[3] = (float)from[3];
    }
}
