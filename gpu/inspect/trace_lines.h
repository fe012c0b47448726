// SPDX-License-Identifier: MIT
// What a followed thread did, line by line: which variables a line changed, what the other lanes of
// the warp have there, and values in words.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/thread_trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::gpu {

/// A line that the thread ran.
struct TraceLine {
    std::string function;            ///< as the source spells it
    std::string file;                ///< as given to the compiler
    int line = 0;                    ///< from 1
    int depth = 0;                   ///< calls around it
    std::vector<TracedValue> values; ///< before it, in the order of their declarations
    /// After it, with what it calls: variables that are new, or have another value.
    std::vector<TracedValue> changes;
    std::vector<TracedTouch> touched; ///< of shared memory, without what it calls
    std::size_t step = 0;             ///< of the trace: its first one

    /// Before the line; null where it is not known. Of variables that hide each other the inner.
    LATHE_API const TracedValue* value(std::string_view name) const;
    /// After the line.
    LATHE_API const TracedValue* value_after(std::string_view name) const;
};

/// In the order in which the thread ran them. A line of several parts, such as a loop's head, is
/// one line where its later parts change nothing.
LATHE_API std::vector<TraceLine> lines_of(std::vector<TraceStep> steps);

/// What the lanes of a warp have at the lines of the one that was followed, its leader.
class LATHE_API LaneLines {
public:
    LaneLines() = default;
    explicit LaneLines(std::shared_ptr<const TracedWarp> warp) : warp_{std::move(warp)} {}

    /// Null where nothing was followed.
    const TracedWarp* warp() const { return warp_.get(); }
    /// Lanes that are at a line of the leader together with it.
    std::uint32_t active(const TraceLine& line) const {
        return warp_ ? warp_->active(line.step) : 0;
    }
    /// What a lane does there, with the leader's values of variables in shared memory; nothing
    /// where the lane is not at the line. The first call for a lane takes longer.
    std::optional<TraceLine> at(unsigned lane, const TraceLine& line) const;

private:
    std::shared_ptr<const TracedWarp> warp_;
    mutable std::map<unsigned, std::vector<TraceLine>> lanes_;
};

/// "0.25", "true", the name of an enumerator, "0x7f5e00", "[1, 2]", "{x: 1, y: 2}"; "?" where so
/// few bytes do not tell it. Floating-point numbers have as many digits as they need. Of arrays the
/// first elements, as many as fit ptx::kMostTracedBytes.
LATHE_API std::string to_text(const TracedValue& value);

/// The elements of an array; of what is none, itself.
LATHE_API std::size_t elements_of(const TracedValue& value);
/// One of them, by its number; its name has the index: "tile[2][0]".
LATHE_API TracedValue element_of(const TracedValue& value, std::size_t number);
/// Elements that a line reads or writes, of a variable in shared memory.
LATHE_API std::vector<std::size_t> touched_elements(const TraceLine& line, std::string_view name);

/// Of an array in shared memory: at most `most` elements that a line touches, then such that are
/// different after it.
LATHE_API std::vector<std::size_t> elements_at(const TraceLine& line, std::string_view name,
                                               std::size_t most);

/// "n = 2, tile[2][0] = 1, 30 more": what a line changed. Of an array in shared memory at most
/// `most` elements, first those that the line writes itself.
LATHE_API std::string changes_in_words(const TraceLine& line, std::size_t most = 3);

} // namespace lathe::gpu
