// SPDX-License-Identifier: MIT
// Watches the kernels of slots while they run: what each line of their texts costs, and data races,
// unwritten reads and barriers apart. Only the software device can be watched.
//
// Counting makes launches slower, the search for hazards much slower. So both look at the launches
// of some frames: of the first one after each edit and each reset, then the counts of about every
// fourth, the search of one now and then, so that it takes a small part of the time.
//
// The numbers belong to lines of the text. While the text is edited they move with their lines, and
// go where a line is changed, until launches of the new version bring others.
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_rates.h"
#include "engine/live/line_costs.h"
#include "gpu/inspect/hazards.h"
#include "gpu/inspect/line_counts.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class InspectedSlot;
class KernelSlot;

enum class Inspecting {
    off,
    costs,   ///< by line
    hazards, ///< and hazards, in some frames
};
/// "off", "costs", "hazards".
LATHE_API std::string_view name_of(Inspecting mode);
/// Throws lathe::Error for another word.
LATHE_API Inspecting inspecting_from(std::string_view name);

/// A hazard that the text had not before.
struct InspectorNews {
    std::string slot;
    LineFinding finding;
};
/// "step.cu:4: data race in shared memory …": one line for the console.
LATHE_API std::string to_string(const InspectorNews& news);

class LATHE_API Inspector {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Off. `now` may be empty: steady_clock.
    explicit Inspector(std::function<Time()> now = {});
    ~Inspector();
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    /// Why kernels cannot be watched here, and what mends it; empty where they can. Opens the
    /// driver.
    static std::string problem();

    /// Launches from now on; `off` forgets all. Throws lathe::Error where the device cannot.
    void set_mode(Inspecting mode);
    Inspecting mode() const { return mode_; }
    /// The next frame is counted, and looked at for hazards where these are searched.
    void look_soon() { look_soon_ = true; }

    /// Before a frame's launches, once the slots run what they will be launched with.
    void begin_frame(std::span<KernelSlot* const> slots);
    /// After them: they must be done.
    void end_frame(std::span<KernelSlot* const> slots);

    /// Of the slot's present text; null where nothing is known. Valid until the next call.
    const SlotInspection* of(const KernelSlot& slot);
    /// Hazards that were found since the last call and that the texts had not before.
    std::vector<InspectorNews> take_news();

    /// How fast kernels compute is measured in frames that are not counted, until as many unwanted
    /// it as wanted it; not while the mode is off.
    void want_rates() { ++rates_wanted_; }
    void unwant_rates();
    /// Of all kernels that are launched, also those of no slot.
    std::vector<gpu::KernelRate> rates() const;

    /// This frame's launches are looked at for hazards.
    bool is_searching() const { return search_ != nullptr; }
    /// Seconds since the newest counts, and since the last search; nothing where there are none.
    std::optional<double> age() const;
    std::optional<double> search_age() const;

private:
    struct Search;
    bool search_is_due(std::span<KernelSlot* const> slots) const;
    bool count_is_due(std::span<KernelSlot* const> slots);
    /// Seconds since the newest of these times.
    std::optional<double> age_of(std::optional<Time> SlotInspection::* when) const;
    void take_counts(std::span<KernelSlot* const> slots);
    void take_findings(std::span<KernelSlot* const> slots);
    InspectedSlot& inspected(const KernelSlot& slot);

    std::function<Time()> now_;
    Inspecting mode_ = Inspecting::off;
    std::unique_ptr<gpu::CountingScope> counting_; ///< in frames that are counted
    int not_counted_ = 0;                          ///< frames since the last one
    int counted_ = 0;
    std::unique_ptr<Search> search_;
    int rates_wanted_ = 0;
    std::unique_ptr<KernelRates> rates_;
    std::vector<gpu::LineCounts> before_; ///< the sums when the counts under way began
    Time began_{};                        ///< and the time
    bool look_soon_ = false;
    Time next_search_{};
    std::map<const KernelSlot*, std::unique_ptr<InspectedSlot>> slots_;
    std::vector<InspectorNews> news_;
};

} // namespace lathe
