// SPDX-License-Identifier: MIT
// The movie of a run: which frames it has, what it costs, how it ends.
#pragma once

#include "engine/app/recorder.h"
#include "engine/core/api.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

namespace lathe {

/// Pixels of a frame up to which a movie is made.
inline constexpr std::int64_t kLargestMovie = 7680 * 4320;

class LATHE_API Movie {
public:
    /// Records every frame from the next one: to an MP4 file, or PNGs where there is no ffmpeg.
    void begin(std::filesystem::path file, double frames_per_second = 60);
    void begin(RecorderConfig config) { wanted_ = std::move(config); }
    bool wanted() const { return wanted_.has_value() || recorder_.has_value(); }
    /// Adds a frame. Where writing fails the movie ends, and the log says why.
    void add(const gl::Framebuffer& picture);
    /// Waits for the encoder. The file, or the folder of pictures; nothing where there is none, or
    /// where writing failed: the log says why.
    std::optional<std::filesystem::path> finish();

    /// Spent on it: handing frames over, waiting for the encoder.
    double seconds() const { return seconds_; }
    /// In it, once it is written.
    std::uint64_t frames() const { return frames_; }
    /// How many movies ended because they could not be written.
    int failures() const { return failures_; }

private:
    void fail(const std::exception& error);

    std::optional<RecorderConfig> wanted_;
    std::optional<Recorder> recorder_;
    double seconds_ = 0;
    std::uint64_t frames_ = 0;
    int failures_ = 0;
};

} // namespace lathe
