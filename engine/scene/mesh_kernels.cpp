// SPDX-License-Identifier: MIT
#include "engine/scene/mesh_kernels.h"

#include "engine/scene/scene_kernel.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

namespace lathe {

namespace {

gpu::LaunchConfig config_of(const gpu::ArrayKernel& kernel, std::int64_t items) {
    return {{kernel.blocks_for(static_cast<std::uint64_t>(items))},
            {kernel.threads},
            0,
            gpu::StreamView::legacy()};
}

} // namespace

void add_normals(const gpu::Array& vertices, const gpu::Array& triangles,
                 const gpu::Array& normals) {
    const std::int64_t count = vertices.shape()[0], faces = triangles.shape()[0];
    const CUdeviceptr sums = normals.address();
    gpu::fill_units(sums, 0, 4, normals.bytes() / 4, gpu::StreamView::legacy());
    const gpu::ArrayKernel& kernel = scene_kernel("mesh.cu", "add_normals");
    gpu::launch(kernel.kernel, config_of(kernel, faces), vertices.address(), triangles.address(),
                sums, count, faces);
}

void spread_heights(const gpu::Array& heights, const Grid& grid, const gpu::Array& vertices,
                    const gpu::Array& triangles) {
    const gpu::ArrayKernel& kernel = scene_kernel("mesh.cu", "spread_heights");
    gpu::launch(kernel.kernel, config_of(kernel, heights.size()), heights.address(),
                vertices.address(), triangles.address(), grid);
}

std::uint64_t indices_outside(const gpu::Array& triangles, std::int64_t vertices) {
    const gpu::Array found = gpu::Array::empty(DType::uint64, {1});
    gpu::fill_units(found.address(), 0, 4, 2, gpu::StreamView::legacy());
    const gpu::ArrayKernel& kernel = scene_kernel("mesh.cu", "count_outside");
    gpu::launch(kernel.kernel, config_of(kernel, triangles.size()), triangles.address(),
                found.address(), vertices, triangles.size());
    std::uint64_t outside = 0;
    gpu::copy_to_host(&outside, found.address(), sizeof outside);
    return outside;
}

} // namespace lathe
