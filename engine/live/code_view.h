// SPDX-License-Identifier: MIT
// The code of a slot's running version while somebody looks at it: read on another thread, read
// anew when another version runs or the device has made other code of it, with lines that move with
// the text.
//
// All members are called from the frame thread.
#pragma once

#include "engine/core/api.h"
#include "engine/live/code_listing.h"
#include "engine/live/worker.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class KernelSlot;

class LATHE_API CodeView {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `slot` must outlive it. Tasks of `read_on` hold nothing of it but copies.
    CodeView(const KernelSlot& slot, ReadCode read, Executor read_on);

    /// Once a frame while it is looked at: takes what was read, and begins to read what is wanted.
    /// Machine code is looked at twice a second.
    void follow(CodeKind kind, Time now = std::chrono::steady_clock::now());

    /// Of the last version that was read; empty until then.
    const CodeListing& listing() const { return listing_; }
    /// By row, the line of the slot's present text that it came from; 0 where there is none, or
    /// where it was changed since.
    const std::vector<int>& lines() const { return lines_; }
    /// Grows with each change of listing() or of a line.
    std::uint64_t version() const { return version_; }
    /// The listing is of another version than the one that runs.
    bool is_reading() const { return is_reading_; }

private:
    struct Shared;
    bool take();
    void begin(CodeKind kind);
    void move_lines();

    const KernelSlot& slot_;
    ReadCode read_;
    Executor read_on_;
    std::shared_ptr<Shared> shared_;
    CodeListing listing_;
    std::string text_;               ///< that the listing's lines are of
    std::vector<int> lines_;         ///< of the present text, by row
    std::uint64_t text_version_ = 0; ///< that lines_ are of
    std::uint64_t version_ = 0;
    std::weak_ptr<const LoadedKernels> read_of_; ///< the last that was begun
    CodeKind kind_ = CodeKind::none;             ///< of it
    std::string text_of_;                        ///< and its text
    bool is_reading_ = false;
    Time next_look_{};
};

} // namespace lathe
