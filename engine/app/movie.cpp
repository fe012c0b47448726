// SPDX-License-Identifier: MIT
#include "engine/app/movie.h"

#include "engine/core/log.h"

#include <chrono>
#include <exception>
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
    try {
        if (wanted_) recorder_.emplace(*std::exchange(wanted_, std::nullopt));
        if (recorder_) recorder_->add(picture);
    } catch (const std::exception& error) { fail(error); }
}

std::optional<std::filesystem::path> Movie::finish() {
    wanted_.reset(); // of which no frame was added
    if (!recorder_) return {};
    const Stopwatch watch{seconds_};
    try {
        recorder_->finish();
    } catch (const std::exception& error) {
        fail(error);
        return {};
    }
    const Recorder recorder = std::move(*std::exchange(recorder_, std::nullopt));
    frames_ = recorder.frames();
    return recorder.output();
}

/// A full disk: the program goes on.
void Movie::fail(const std::exception& error) {
    ++failures_;
    log::error("the recording ends: {}", error.what());
    recorder_.reset();
}

} // namespace lathe
