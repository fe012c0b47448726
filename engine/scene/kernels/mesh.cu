// SPDX-License-Identifier: MIT
// Of triangles, three numbers of vertices each. A negative int32 is a large number here, and so
// outside of the vertices, too.

extern "C" __global__ void add_normals(const float* vertices, const unsigned* triangles,
                                       float* normals, long long count, long long faces) {
    for (long long at = first_item(); at < faces; at += item_step()) {
        const unsigned* corners = triangles + 3 * at;
        if (corners[0] >= count || corners[1] >= count || corners[2] >= count) continue;
        const float *a = vertices + 3LL * corners[0], *b = vertices + 3LL * corners[1],
                    *c = vertices + 3LL * corners[2];
        const float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
        const float vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
        const float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        if (!is_finite(x) || !is_finite(y) || !is_finite(z)) continue;
        for (int k = 0; k < 3; ++k) {
            float* sum = normals + 3LL * corners[k];
            atomicAdd(sum, x);
            atomicAdd(sum + 1, y);
            atomicAdd(sum + 2, z);
        }
    }
}

extern "C" __global__ void count_outside(const unsigned* indices, unsigned long long* outside,
                                         long long count, long long length) {
    unsigned long long found = 0;
    for (long long at = first_item(); at < length; at += item_step())
        found += indices[at] >= count;
    if (found) atomicAdd(outside, found);
}

struct Grid { // as height_field.h has it
    int rows, columns;
    float origin[3], right[3], down[3], up[3];
};

/// Two triangles for each four neighbours, by the row and column of their first.
extern "C" __global__ void spread_heights(const float* heights, float* vertices,
                                          unsigned* triangles, const __grid_constant__ Grid g) {
    for (long long at = first_item(); at < (long long)g.rows * g.columns; at += item_step()) {
        const int row = int(at / g.columns), column = int(at % g.columns);
        for (int axis = 0; axis < 3; ++axis)
            vertices[3 * at + axis] = g.origin[axis] + float(column) * g.right[axis] +
                                      float(row) * g.down[axis] + heights[at] * g.up[axis];
        if (row + 1 == g.rows || column + 1 == g.columns) continue;
        const unsigned a = unsigned(at), b = a + 1, c = a + unsigned(g.columns), d = c + 1;
        unsigned* out = triangles + 6 * ((long long)row * (g.columns - 1) + column);
        out[0] = a, out[1] = c, out[2] = b;
        out[3] = b, out[4] = c, out[5] = d;
    }
}
