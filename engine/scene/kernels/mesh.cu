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
