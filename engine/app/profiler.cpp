// SPDX-License-Identifier: MIT
#include "engine/app/profiler.h"

#include "engine/app/nvtx.h"
#include "engine/core/log.h"
#include "gl/context.h"
#include "gpu/driver/check.h"
#include "gpu/inspect/line_counts.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace lathe {

namespace {

/// Of a zone that has not ended, or whose work nobody has measured.
constexpr std::chrono::nanoseconds kUnknown{-1};
constexpr std::size_t kMostNames = 4096;
constexpr std::size_t kMostPending = 16;    ///< frames; with more the device is too far behind
constexpr std::chrono::seconds kLongGap{1}; ///< an event's float counts less exactly behind it
constexpr unsigned kIndexBits = 16;         ///< of a zone's number: its place in the frame
constexpr std::uint64_t kIndexMask = (1u << kIndexBits) - 1;

std::chrono::nanoseconds between(const gpu::Event& begin, const gpu::Event& end) {
    const std::chrono::duration<double, std::milli> time = end.elapsed_since(begin);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
}

} // namespace

Profiler::Profiler(gpu::StreamView stream, bool gl_is_software, std::function<void()> use_contexts)
    : stream_{stream}, has_opengl_{!gl_is_software}, use_contexts_{std::move(use_contexts)} {
    if (nvtx::has_tool()) want();
}

Profiler::~Profiler() { drop_frame(); }

/// Names stay, so that frames need not copy them. A program that makes new ones without end gets
/// one for all that follow.
std::string_view Profiler::kept_name(std::string_view name) {
    if (const auto known = names_.find(name); known != names_.end()) return *known;
    if (names_.size() >= kMostNames) return *names_.emplace("(other names)").first;
    return *names_.emplace(name).first;
}

gpu::Event Profiler::take_event() {
    if (free_events_.empty()) return gpu::Event{gpu::EventConfig{}};
    gpu::Event event = std::move(free_events_.back());
    free_events_.pop_back();
    return event;
}

gl::Timestamp Profiler::take_stamp() {
    if (free_stamps_.empty()) return {};
    gl::Timestamp stamp = std::move(free_stamps_.back());
    free_stamps_.pop_back();
    return stamp;
}

void Profiler::begin_frame(std::uint64_t index) {
    drop_frame();
    if (!is_on()) {
        if (!pending_.empty()) collect(false);
        else span_scope_.reset();
        return;
    }
    try {
        collect(false);
        current_.emplace();
        current_->frame.index = index;
        current_->base = take_event();
        current_->frame.begin = current_->base_issued = now();
        current_->base.record(stream_);
        if (!span_scope_ && gpu::can_inspect()) span_scope_.emplace();
        current_->frame.zones.reserve(64);
    } catch (const std::exception& error) { // of work before it, which others report
        log::debug("a frame is not measured: {}", error.what());
        current_.reset();
        return;
    }
    ++serial_;
    before_ = ZoneSink::exchange(this);
}

void Profiler::drop_frame() noexcept {
    if (!current_) return;
    while (!open_.empty()) close_last();
    give_back(*current_);
    current_.reset();
    if (ZoneSink::current() == this) ZoneSink::exchange(std::exchange(before_, nullptr));
}

void Profiler::end_frame() noexcept {
    if (!current_) return;
    while (!open_.empty()) close_last();
    current_->frame.time = now() - current_->frame.begin;
    if (ZoneSink::current() == this) ZoneSink::exchange(std::exchange(before_, nullptr));
    pending_.push_back(std::move(*current_));
    current_.reset();
}

std::uint64_t Profiler::begin_zone(std::string_view name, ZoneWork work, void* stream) noexcept {
    if (!current_) return 0;
    std::vector<ProfiledZone>& zones = current_->frame.zones;
    if (zones.size() + 2 > kMostZonesOfFrame) {
        ++current_->frame.left_out;
        return 0;
    }
    try {
        const std::string_view kept = kept_name(name);
        Open open{zones.size(), ZoneWork::host, 0, static_cast<CUstream>(stream)};
        zones.push_back({kept, Lane::host, std::uint8_t(std::min<std::size_t>(open_.size(), 255)),
                         now(), kUnknown});
        if (work == ZoneWork::cuda ? !open.stream.is_capturing()
                                   : work == ZoneWork::opengl && has_opengl_) {
            open.work = work;
            begin_work(open, kept);
        }
        open_.push_back(open);
        nvtx::begin_range(kept.data()); // a std::string's
        return serial_ << kIndexBits | open.zone;
    } catch (const std::exception& error) {
        log::debug("zone {} is not measured: {}", name, error.what());
        return 0;
    }
}

void Profiler::begin_work(Open& open, std::string_view name) {
    Pending& frame = *current_;
    std::vector<ProfiledZone>& zones = frame.frame.zones;
    const auto outer = std::ranges::count(open_, open.work, &Open::work);
    const auto depth = std::uint8_t(std::min<std::ptrdiff_t>(outer, 255));
    if (open.work == ZoneWork::cuda) {
        Marks<gpu::Event> marks{zones.size(), take_event(), take_event()};
        marks.begin.record(open.stream);
        open.marks = frame.cuda.size();
        frame.cuda.push_back(std::move(marks));
        zones.push_back({name, Lane::cuda, depth, {}, kUnknown});
        return;
    }
    if (frame.opengl.empty()) frame.gl_offset = now() - Time{std::int64_t(gl::Timestamp::now())};
    Marks<gl::Timestamp> marks{zones.size(), take_stamp(), take_stamp()};
    marks.begin.mark();
    open.marks = frame.opengl.size();
    frame.opengl.push_back(std::move(marks));
    zones.push_back({name, Lane::opengl, depth, {}, kUnknown});
}

void Profiler::end_zone(std::uint64_t zone) noexcept {
    if (!current_ || zone >> kIndexBits != serial_) return;
    const std::size_t place = zone & kIndexMask;
    if (std::ranges::find(open_, place, &Open::zone) == open_.end()) return;
    while (!open_.empty() && open_.back().zone >= place) close_last();
}

void Profiler::close_last() noexcept {
    const Open open = open_.back();
    open_.pop_back();
    nvtx::end_range();
    ProfiledZone& zone = current_->frame.zones[open.zone];
    try {
        if (open.work == ZoneWork::cuda) {
            auto& marks = current_->cuda[open.marks];
            if (!open.stream.is_capturing()) {
                marks.end.record(open.stream);
                marks.has_ended = true;
            }
        } else if (open.work == ZoneWork::opengl) {
            auto& marks = current_->opengl[open.marks];
            marks.end.mark();
            marks.has_ended = true;
        }
    } catch (const std::exception& error) {
        log::debug("work of zone {} is not measured: {}", zone.name, error.what());
    }
    zone.time = now() - zone.begin;
}

void Profiler::finish() {
    if (pending_.empty()) return;
    const gl::RestoreContext after;
    use_contexts_();
    collect(true);
}

void Profiler::clear() {
    frames_.clear();
    zones_ = 0;
}

/// Takes the frames whose device work is done, in their order.
void Profiler::collect(bool is_waiting) {
    while (!pending_.empty()) {
        Pending& pending = pending_.front();
        const bool is_lost = pending_.size() > kMostPending;
        try {
            if (!is_waiting && !is_lost && !is_known(pending)) return;
            if (!is_lost) take(pending);
        } catch (const std::exception& error) { // a fault, which others report
            log::debug("the device's times of a frame are lost: {}", error.what());
            last_base_ = {};
        }
        give_back(pending);
        std::erase_if(pending.frame.zones,
                      [](const ProfiledZone& zone) { return zone.time == kUnknown; });
        keep(std::move(pending.frame));
        pending_.pop_front();
    }
}

bool Profiler::is_known(const Pending& pending) {
    const auto is_done = [](const auto& marks) { return !marks.has_ended || marks.end.done(); };
    const auto is_drawn = [](const auto& marks) { return !marks.has_ended || marks.end.ready(); };
    return pending.base.done() && std::ranges::all_of(pending.cuda, is_done) &&
           std::ranges::all_of(pending.opengl, is_drawn);
}

void Profiler::take(Pending& pending) {
    take_cuda(pending);
    take_opengl(pending);
    take_blocks(pending.frame);
}

/// What the workers did until the frame's end, or that of the device's work for it.
void Profiler::take_blocks(ProfiledFrame& frame) {
    if (!span_scope_) return;
    std::ranges::move(gpu::block_spans(next_span_), std::back_inserter(spans_));
    Time end = frame.begin + frame.time;
    for (const ProfiledZone& zone : frame.zones)
        if (zone.time != kUnknown) end = std::max(end, zone.begin + zone.time);
    for (; !spans_.empty() && spans_.front().begin - start_ <= end; spans_.pop_front()) {
        const gpu::BlockSpan& span = spans_.front();
        if (span.begin - start_ < frame.begin) continue; // of a frame that was not measured
        if (frame.blocks.size() == kMostZonesOfFrame) {
            ++frame.left_out;
            continue;
        }
        frame.blocks.push_back({kept_name(span.kernel), span.worker, span.first_block, span.blocks,
                                span.begin - start_, span.end - span.begin});
    }
}

/// Events know the time between them only. A frame's first one is placed by that of the frame
/// before; it cannot have happened before it was issued, nor after it was seen to be done.
void Profiler::take_cuda(Pending& pending) {
    pending.base.synchronize();
    const Time seen = now();
    Time base = pending.base_issued;
    if (last_base_ && base - last_base_at_ < kLongGap)
        base = std::clamp(last_base_at_ + between(last_base_, pending.base), base, seen);
    for (const auto& marks : pending.cuda) {
        if (!marks.has_ended) continue;
        marks.end.synchronize();
        ProfiledZone& zone = pending.frame.zones[marks.zone];
        zone.begin = base + between(pending.base, marks.begin);
        zone.time = between(marks.begin, marks.end);
    }
    if (last_base_) free_events_.push_back(std::move(last_base_));
    last_base_ = std::exchange(pending.base, {});
    last_base_at_ = base;
}

void Profiler::take_opengl(Pending& pending) {
    for (const auto& marks : pending.opengl) {
        if (!marks.has_ended) continue;
        ProfiledZone& zone = pending.frame.zones[marks.zone];
        const Time begin{std::int64_t(marks.begin.nanoseconds())};
        zone.begin = begin + pending.gl_offset;
        zone.time = Time{std::int64_t(marks.end.nanoseconds())} - begin;
    }
}

void Profiler::give_back(Pending& pending) noexcept {
    try {
        if (pending.base) free_events_.push_back(std::move(pending.base));
        for (auto& marks : pending.cuda) {
            free_events_.push_back(std::move(marks.begin));
            free_events_.push_back(std::move(marks.end));
        }
        for (auto& marks : pending.opengl) {
            free_stamps_.push_back(std::move(marks.begin));
            free_stamps_.push_back(std::move(marks.end));
        }
    } catch (const std::bad_alloc&) {}
    pending.cuda.clear();
    pending.opengl.clear();
}

void Profiler::keep(ProfiledFrame frame) {
    const auto size_of = [](const ProfiledFrame& each) {
        return each.zones.size() + each.blocks.size();
    };
    zones_ += size_of(frame);
    frames_.push_back(std::move(frame));
    for (; zones_ > kMostZones && frames_.size() > 1; frames_.pop_front())
        zones_ -= size_of(frames_.front());
}

} // namespace lathe
