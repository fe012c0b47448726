// SPDX-License-Identifier: MIT
#include "engine/app/movie.h"

#include "engine/core/error.h"
#include "engine/core/log.h"

#include <chrono>
#include <utility>

namespace lathe {

namespace {

/// Adds what its scope took.
class Stopwatch {
public:
    explicit Stopwatch(double& seconds) : seconds_{seconds} {}
    ~Stopwatch() {
        seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

private:
    double& seconds_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

} // namespace

void Movie::begin(std::filesystem::path file, double frames_per_second) {
    wanted_ = RecorderConfig{.file = std::move(file), .frames_per_second = frames_per_second};
}

void Movie::add(const gl::Framebuffer& picture) {
    const Stopwatch watch{seconds_};
    if (wanted_) recorder_.emplace(*std::exchange(wanted_, std::nullopt));
    if (!recorder_) return;
    try {
        recorder_->add(picture);
    } catch (const Error& error) { // a full disk: the program goes on
        log::error("the recording ends: {}", error.what());
        recorder_.reset();
    }
}

std::optional<std::filesystem::path> Movie::finish() {
    if (!recorder_) return {};
    const Stopwatch watch{seconds_};
    Recorder recorder = std::move(*std::exchange(recorder_, std::nullopt));
    recorder.finish();
    frames_ = recorder.frames();
    return recorder.output();
}

} // namespace lathe
