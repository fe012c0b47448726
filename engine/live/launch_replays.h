// SPDX-License-Identifier: MIT
// Launches of live kernels on a device that cannot be looked at: in some frames they are copied,
// and then repeated on the software device beside the frames that follow, which says what each line
// costs and what is wrong there.
//
// Of each kernel of a slot the first launch of a frame is repeated, and its counts stand for all
// launches of the kernel in that frame.
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/launch_watch.h"
#include "engine/live/worker.h"
#include "gpu/inspect/launch_replay.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

struct LoadedKernels;

/// What replays of one frame's launches say.
struct ReplayedFrame {
    std::vector<gpu::LineCounts> counts;
    std::vector<gpu::HazardFinding> findings;
    bool is_searched = false; ///< for hazards
    /// Texts of the versions that were launched, by slot.
    std::map<const KernelSlot*, std::string> texts;
    /// "step.cu: step: …": replays that failed, and why.
    std::vector<std::string> problems;
    std::chrono::steady_clock::duration took{};
};

class LATHE_API LaunchReplays final : public LaunchWatch {
public:
    /// More is not copied for a launch.
    static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

    /// Kernels run in the primary context of `device`, replays on a thread of their own.
    explicit LaunchReplays(gpu::Device device) : device_{device} {}
    /// Ends the replay that runs.
    ~LaunchReplays() override;

    /// This frame's launches are copied. Kernels that the software device has not compiled yet are
    /// compiled beside, and left out. The compile waits until the text rests: NVRTC compiles one
    /// source at a time, and the user may type on.
    void begin_frame(bool searches);
    /// After the launches: they are replayed. False where nothing will come of this frame: no
    /// kernel was launched, or none that can be replayed.
    bool end_frame();
    /// What an earlier frame's replays say has not been taken.
    bool is_busy() const { return job_ != nullptr; }
    /// This frame's launches are looked at for hazards.
    bool is_searching() const { return is_copying_ && searches_; }
    /// What was replayed since the last call; nothing where nothing is done.
    std::optional<ReplayedFrame> take();

    bool is_armed() const override { return is_copying_; }
    bool wants(const KernelSlot& slot, std::string_view kernel) override;
    void launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                void** arguments) override;

private:
    using Key = std::pair<const KernelSlot*, std::string>;
    using Kernel = std::shared_ptr<MadeBeside<gpu::ReplayKernel>>;
    struct Compiled {
        std::weak_ptr<const LoadedKernels> version;
        std::chrono::steady_clock::time_point since; ///< it was launched first
        Kernel kernel;                               ///< null before it is compiled
    };
    struct Launched {
        std::uint64_t launches = 0;
        Kernel kernel; ///< null where nothing will be replayed
        std::optional<gpu::LaunchCopy> copy;
    };
    struct Job; ///< one frame's replays
    /// For the slot's running version; null where its compile waits.
    Kernel compiled(const Key& key);
    void give_up(const Key& key, const std::string& problem);

    gpu::Device device_;
    std::map<Key, Compiled> compiled_;
    bool is_copying_ = false, searches_ = false;
    bool waits_for_rest_ = false;
    std::map<Key, Launched> launched_; ///< in the frame that is copied
    Key next_;                         ///< what launch() launches
    std::vector<std::string> problems_;
    std::shared_ptr<const gpu::Stream> copy_on_;
    std::shared_ptr<Job> job_;
    Worker worker_; ///< the last: it ends first
};

} // namespace lathe
