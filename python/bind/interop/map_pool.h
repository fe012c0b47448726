// SPDX-License-Identifier: MIT
// The App's arrays and textures between CUDA and GL: mapped from their first use in a frame until
// GL draws.
#pragma once

#include "engine/interop/mapping.h"
#include "gl/context.h"
#include "gpu/stream.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace lathe::bind {

class Shared;

/// Keeps the memory of a frame mapped from its first use to the moment GL draws. What was used
/// in the last round is mapped in one driver call at the first use of the next.
class MapPool {
public:
    /// GL's side of a mapping belongs to this context, which each call makes current.
    explicit MapPool(gl::Context& context) : context_{context} {}
    /// Maps it where it is not mapped. CUDA has it until unmap_all().
    void hold(const std::shared_ptr<Shared>& memory, gpu::StreamView stream);
    /// Hands everything back to GL, ordered on the stream.
    void unmap_all();
    std::size_t mapped() const { return held_.size(); }

private:
    void map(std::vector<std::shared_ptr<Shared>> memories, gpu::StreamView stream);

    gl::Context& context_;
    std::vector<Mapping> mappings_;
    std::vector<std::shared_ptr<Shared>> held_; ///< alive while mapped
    std::vector<std::weak_ptr<Shared>> last_;   ///< used in the round before
};

} // namespace lathe::bind
