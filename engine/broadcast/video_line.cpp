// SPDX-License-Identifier: MIT
#include "engine/broadcast/video_line.h"

#include "engine/broadcast/processor_time.h"
#include "engine/core/error.h"

#include <utility>

namespace lathe {

namespace {

using namespace std::chrono_literals;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr auto kStart = 300ms; ///< after which the program waits for its first picture

} // namespace

VideoLine::~VideoLine() {
    stop();
    thread_.join();
}

void VideoLine::stop() {
    {
        const std::lock_guard lock{mutex_};
        stops_ = true;
    }
    changed_.notify_all();
}

void VideoLine::encode(Job job) {
    {
        const std::lock_guard lock{mutex_};
        job_ = std::move(job);
    }
    changed_.notify_all();
}

void VideoLine::run() {
    try {
        const std::string encoder = program_->encoder(stops_);
        if (encoder.empty()) return owner_.video_failed(*this, "");
        owner_.video_ready(*this);
        run_until_stopped(encoder);
    } catch (const std::exception& error) { owner_.video_failed(*this, error.what()); }
}

void VideoLine::run_until_stopped(const std::string& encoder) {
    for (;;) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return job_ || stops_; });
        if (stops_) return;
        Job job = *std::exchange(job_, {});
        lock.unlock();
        owner_.video_encoded(*this, result_of(std::move(job), encoder));
    }
}

/// Another size begins another stream. So does another quality, but with the next pictures: the old
/// one goes on while the program for the new one starts.
H264Encoder& VideoLine::stream_for(const H264Config& config) {
    const auto is_of = [&](const std::unique_ptr<H264Encoder>& stream) {
        return stream && stream->config().width == config.width &&
               stream->config().height == config.height;
    };
    const auto now = std::chrono::steady_clock::now();
    if (!is_of(stream_)) {
        next_.reset();
        stream_.reset(); // one child at a time
        stream_ = std::make_unique<H264Encoder>(config);
    } else if (stream_->config().quality == config.quality) {
        next_.reset();
    } else if (!next_ || next_->config().quality != config.quality) {
        next_.reset();
        next_ = std::make_unique<H264Encoder>(config);
        next_began_ = now;
    } else if (now - next_began_ > kStart) {
        stream_ = std::move(next_);
    }
    return *stream_;
}

VideoLine::Result VideoLine::result_of(Job job, const std::string& encoder) {
    const auto begin = std::chrono::steady_clock::now();
    const double used = processor_milliseconds_of_this_thread();
    H264Encoder& stream =
        stream_for({program_->program(), encoder, job.frame.width, job.frame.height, job.quality});
    const Milliseconds childs = stream.processor_time();
    stream.load(job.frame.rgba.get());
    job.frame.rgba.reset(); // OpenGL wants its place
    Result result{stream.encode(stops_), std::move(job), 0, 0};
    result.milliseconds = Milliseconds{std::chrono::steady_clock::now() - begin}.count();
    result.processor_milliseconds = processor_milliseconds_of_this_thread() - used +
                                    (Milliseconds{stream.processor_time()} - childs).count();
    return result;
}

} // namespace lathe
