// SPDX-License-Identifier: MIT
// Watches the kernels of slots while they run: what each line of their texts costs, and data races,
// unwritten reads and barriers apart.
//
// The software device is watched itself. Counting makes launches slower, the search for hazards
// much slower. So both look at the launches of some frames: of the first one after each edit and
// each reset, then the counts of about every fourth, the search of one now and then, so that it
// takes a small part of the time.
//
// Launches on a GPU are replayed on the software device, beside the frames (launch_replays.h): of
// the first frame after each edit and each reset, then of one now and then.
//
// The numbers belong to lines of the text. While the text is edited they move with their lines, and
// go where a line is changed, until launches of the new version bring others.
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_rates.h"
#include "engine/live/line_costs.h"
#include "gpu/device.h"
#include "gpu/inspect/hazards.h"
#include "gpu/inspect/line_counts.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class InspectedSlot;
class KernelSlot;
class LaunchReplays;
class LaunchWatch;

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

enum class InspectorWay {
    best,    ///< the device itself where that can be watched, else replays
    replays, ///< also of the software device's launches, for tests
};

class LATHE_API Inspector {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Off. Kernels run in the primary context of `device`.
    explicit Inspector(gpu::Device device = gpu::Device{0}, InspectorWay way = InspectorWay::best);
    ~Inspector();
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    /// Why kernels cannot be watched here, and what mends it; empty where they can. Opens the
    /// driver.
    static std::string problem();
    /// Why how fast they compute is not measured here: only the software device tells it.
    static std::string rates_problem();

    /// Launches from now on; `off` forgets all. Throws lathe::Error where the device cannot.
    void set_mode(Inspecting mode);
    Inspecting mode() const { return mode_; }
    /// The next frame is counted, and looked at for hazards where these are searched.
    void look_soon() { look_soon_ = true; }

    /// Before a frame's launches, once the slots run what they will be launched with.
    void begin_frame(std::span<KernelSlot* const> slots);
    /// Who copies launches of this frame for a replay; null where nobody does.
    LaunchWatch* launch_watch();
    /// After the launches. They must be done where the device itself is watched.
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
    bool is_searching() const;
    /// Seconds since the newest counts, and since the last search; nothing where there are none.
    std::optional<double> age() const;
    std::optional<double> search_age() const;

private:
    bool is_by_replays() const;
    void begin_replays(std::span<KernelSlot* const> slots);
    void take_replays(std::span<KernelSlot* const> slots);
    bool search_is_due(std::span<KernelSlot* const> slots) const;
    /// A version of one of them has not been counted.
    bool want_counts(std::span<KernelSlot* const> slots);
    bool count_is_due(std::span<KernelSlot* const> slots);
    /// Seconds since the newest of these times.
    std::optional<double> age_of(std::optional<Time> SlotInspection::* when) const;
    void take_counts(std::span<KernelSlot* const> slots);
    void take_search(std::span<KernelSlot* const> slots);
    void take_findings(const KernelSlot& slot, std::span<const gpu::HazardFinding> findings,
                       Time now);
    InspectedSlot& inspected(const KernelSlot& slot);

    gpu::Device device_;
    InspectorWay way_;
    Inspecting mode_ = Inspecting::off;
    std::unique_ptr<gpu::CountingScope> counting_; ///< in frames that are counted
    int not_counted_ = 0;                          ///< frames since the last one
    int counted_ = 0;
    std::optional<gpu::HazardSearch> search_;
    Time search_began_{};
    int rates_wanted_ = 0;
    std::unique_ptr<KernelRates> rates_;
    std::vector<gpu::LineCounts> before_; ///< the sums when the counts under way began
    Time began_{};                        ///< and the time
    bool look_soon_ = false;
    Time next_search_{}, next_replays_{};
    std::unique_ptr<LaunchReplays> replays_;
    std::set<std::string> told_; ///< problems of replays
    std::map<const KernelSlot*, std::unique_ptr<InspectedSlot>> slots_;
    std::vector<InspectorNews> news_;
};

} // namespace lathe
