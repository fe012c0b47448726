// SPDX-License-Identifier: MIT
// Which viewers get H.264. It takes a fifth of JPEG's bytes and twice its processor time, so a
// viewer gets it when its line is short. Each has an encoder of its own, whose frames are the ones
// that this viewer takes: none is dropped, so none but the first need be a key, nobody waits for
// another, and each has the quality that its own line carries.
#include "engine/broadcast/broadcast_state.h"

#include "engine/core/log.h"

#include <algorithm>
#include <array>
#include <exception>

namespace lathe {

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

/// Of the pace's levels. The finest picture is a JPEG: it comes once, when the picture rests.
constexpr std::array<int, LinePace::kLevels> kQualities{18, 20, 24, 29, 34};
/// Beyond it H.264 costs more than it brings: the processors are short, too.
constexpr double kMostVideoMilliseconds = 100;
constexpr int kVideosOfMean = 16; ///< frames

} // namespace

bool Broadcast::State::wants_video(const Line& line) const {
    if (!line.shows_video || line.video_failed || line.video) return false;
    return config.video == VideoUse::always ||
           (config.video == VideoUse::when_the_line_is_short && line.pace.level() > 1);
}

void Broadcast::State::start_videos() {
    auto running =
        std::ranges::count_if(lines, [](const auto& each) { return each.second.video != nullptr; });
    for (auto& [viewer, line] : lines) {
        if (running >= kMostVideos) return;
        if (!wants_video(line)) continue;
        try {
            line.video = std::make_unique<VideoLine>(*this, viewer, program);
            line.video_ms = line.videos = 0;
            ++running;
        } catch (const std::exception& error) { // no thread can be had
            log::warning("broadcast without H.264: {}", error.what());
            line.video_failed = true;
        }
    }
}

void Broadcast::State::feed_videos(LinePace::Clock::time_point now) {
    for (auto& [viewer, line] : lines) {
        const int level = level_for(line, now);
        if (!line.video_is_ready || level == 0 || !wants_more(line, now)) continue;
        const Pane& pane = seen_by(line);
        line.frame = pane.number;
        line.level = level;
        line.is_encoding = true;
        line.video->encode({pane.current, pane.number, kQualities.at(std::size_t(level))});
    }
}

/// Under the lock, which its thread may want: so the thread is joined later.
void Broadcast::State::end_video(Line& line) {
    if (!line.video) return;
    line.video->stop();
    ended_videos.push_back(std::move(line.video));
    line.video_is_ready = line.is_encoding = false;
    for_encoder.notify_all();
}

/// Of a video that has not been ended; else null.
Viewer::Line* Broadcast::State::line_of(const VideoLine& video) {
    const auto found = lines.find(video.viewer);
    return found != lines.end() && found->second.video.get() == &video ? &found->second : nullptr;
}

void Broadcast::State::video_ready(const VideoLine& video) {
    const std::lock_guard lock{mutex};
    Line* const line = line_of(video);
    if (!line) return;
    line->video_is_ready = true;
    for_encoder.notify_all();
}

void Broadcast::State::video_encoded(const VideoLine& video, VideoLine::Result result) {
    const Packet packet = packet_of(result);
    const std::lock_guard lock{mutex};
    Line* const line = line_of(video);
    if (!line) return;
    line->is_encoding = false;
    deliver(*line, result.job.number, packet, false);
    count_encoding(result.milliseconds, result.processor_milliseconds);
    if (!result.unit.is_key) { // which took the start of a program
        line->videos = std::min(line->videos + 1, kVideosOfMean);
        line->video_ms += (result.milliseconds - line->video_ms) / line->videos;
    }
    if (config.video != VideoUse::always && line->videos == kVideosOfMean &&
        line->video_ms > kMostVideoMilliseconds) {
        log::debug("broadcast: H.264 takes {:.0f} ms a frame here, so viewer {} gets JPEG",
                   line->video_ms, video.viewer);
        line->video_failed = true;
        end_video(*line);
    }
    for_encoder.notify_all();
}

void Broadcast::State::video_failed(const VideoLine& video, const std::string& why) {
    const std::lock_guard lock{mutex};
    Line* const line = line_of(video);
    if (!line) return;
    if (!why.empty()) log::warning("broadcast: frames are JPEG from now on: {}", why);
    line->video_failed = true;
    line->frame = 0; // the frame that was to come has not
    end_video(*line);
}

} // namespace lathe
