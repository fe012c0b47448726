// SPDX-License-Identifier: MIT
// What a step draws, kept as a list: drawn when CUDA has handed the arrays back to OpenGL, and
// drawn again in frames without a step.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/drawn.h"
#include "gpu/array/array.h"
#include "gpu/array/launch_notes.h"

#include <glm/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

/// Where the places of an item count from.
struct ItemOrigin {
    glm::dvec3 place{0, 0, 0};
    /// Positions of float64, and what is drawn of them; empty: there are none such.
    gpu::Array positions{}, taken{};

    bool of_float64() const { return positions.size() > 0; }
};

struct ListItem {
    Drawn drawn;
    std::string name; ///< empty: not given
    /// The program's arrays, not copies, whose first axes a pick's index counts; the one that says
    /// most of an element first.
    std::vector<gpu::ArrayPlace> arrays{};
    ItemOrigin origin{};
};

/// What a list has that a frame has to care for.
struct ListContents {
    bool space = false, annotations = false;
    bool kernels = false; ///< that make pictures
    bool float64 = false; ///< positions
};

/// A number that no other drawing call has.
std::uint64_t next_call();

class LATHE_API DrawList {
public:
    /// What is added from now on takes the place of the list once the step ends.
    void begin_step();
    void end_step();
    /// The step failed: the list stays as it was before it.
    void drop_step();
    void clear();
    void add(ListItem&& item);
    const std::vector<ListItem>& shown() const noexcept { return shown_; }
    /// What the step under way has added; null between steps.
    const std::vector<ListItem>* begun() const noexcept { return begun_ ? &*begun_ : nullptr; }

    /// What is shown counts from another origin from now on. In the order of the legacy default
    /// stream, while arrays are CUDA's.
    void move_origin(std::size_t item, const glm::dvec3& place);

    const ListContents& contents() const noexcept { return contents_; }
    /// Another number for each list that is shown.
    std::uint64_t revision() const noexcept { return revision_; }

private:
    std::vector<ListItem> shown_;
    std::optional<std::vector<ListItem>> begun_;
    ListContents contents_, begun_contents_;
    std::uint64_t revision_ = 0;
};

} // namespace lathe
