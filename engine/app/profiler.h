// SPDX-License-Identifier: MIT
// Measures what an App's frames spend their time on. While it is off it costs nothing; on, each
// zone takes two looks at the clock, and each launch two events of CUDA.
#pragma once

#include "engine/app/profile.h"
#include "engine/core/api.h"
#include "engine/core/zone.h"
#include "gl/query.h"
#include "gpu/event.h"
#include "gpu/inspect/block_spans.h"
#include "gpu/stream.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class LATHE_API Profiler final : public ZoneSink {
public:
    /// Zones that are kept; with more the oldest frames go.
    static constexpr std::size_t kMostZones = 200'000;
    /// Of a frame; those that follow are counted only.
    static constexpr std::size_t kMostZonesOfFrame = 4096;

    /// The App's stream, which lives longer. A software OpenGL works on the thread's own time, and
    /// has no lane. `use_contexts` makes the App's current.
    Profiler(gpu::StreamView stream, bool gl_is_software, std::function<void()> use_contexts);
    ~Profiler() override;

    /// From the next frame on, as long as somebody wants it: who asks gives it back.
    void want() noexcept { ++wanted_; }
    void unwant() noexcept { --wanted_; }
    bool is_on() const noexcept { return wanted_ > 0; }

    /// Frames whose times are known, oldest first. Those of a GPU are known some frames later.
    const std::deque<ProfiledFrame>& frames() const noexcept { return frames_; }
    /// Waits for the frames that are not known yet. On the thread of the App's frames.
    void finish();
    void clear();

    // -- an App's calls, on the thread of its frames, with its contexts current ------------------
    void begin_frame(std::uint64_t index);
    void end_frame() noexcept;
    /// The frame has not begun, or shall not count.
    void drop_frame() noexcept;

    std::uint64_t begin_zone(std::string_view name, ZoneWork work, void* stream) noexcept override;
    void end_zone(std::uint64_t zone) noexcept override;

private:
    using Clock = std::chrono::steady_clock;
    using Time = std::chrono::nanoseconds;
    /// Around the work of a zone, whose place in the frame it has.
    template <class Mark> struct Marks {
        std::size_t zone;
        Mark begin, end;
        bool has_ended = false;
    };
    struct Pending {
        ProfiledFrame frame;
        gpu::Event base{}; ///< at the frame's begin; without one nothing is known of CUDA
        Time base_issued{};
        std::vector<Marks<gpu::Event>> cuda{};
        std::vector<Marks<gl::Timestamp>> opengl{};
        Time gl_offset{}; ///< of its clock to ours
    };
    struct Open {
        std::size_t zone;
        ZoneWork work;
        std::size_t marks = 0; ///< of its work, if that is measured
        gpu::StreamView stream{};
    };

    Time now() const { return Clock::now() - start_; }
    std::string_view kept_name(std::string_view name);
    gpu::Event take_event();
    gl::Timestamp take_stamp();
    void begin_work(Open& open, std::string_view name);
    void close_last() noexcept;
    void collect(bool is_waiting);
    static bool is_known(const Pending& pending);
    void take(Pending& pending);
    void take_cuda(Pending& pending);
    static void take_opengl(Pending& pending);
    void take_blocks(ProfiledFrame& frame);
    void give_back(Pending& pending) noexcept;
    void keep(ProfiledFrame frame);

    gpu::StreamView stream_;
    bool has_opengl_;
    std::function<void()> use_contexts_;
    int wanted_ = 0;
    Clock::time_point start_ = Clock::now();
    std::set<std::string, std::less<>> names_;
    std::optional<Pending> current_;
    std::uint64_t serial_ = 0; ///< of the current frame
    ZoneSink* before_ = nullptr;
    std::vector<Open> open_;
    std::deque<Pending> pending_;
    std::vector<gpu::Event> free_events_;
    std::vector<gl::Timestamp> free_stamps_;
    gpu::Event last_base_{}; ///< of the frame that was taken last
    Time last_base_at_{};
    std::optional<gpu::BlockSpanScope> span_scope_; ///< while it is on, of a device that tells
    std::uint64_t next_span_ = 0;
    std::deque<gpu::BlockSpan> spans_; ///< of frames that are not taken yet
    std::deque<ProfiledFrame> frames_;
    std::size_t zones_ = 0; ///< of `frames_`, spans of blocks among them
};

} // namespace lathe
