// SPDX-License-Identifier: MIT
#include "engine/broadcast/video_line.h"

#include "engine/broadcast/processor_time.h"
#include "engine/core/error.h"

#include <utility>

namespace lathe {

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

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
    std::optional<H264Encoder> stream;
    for (;;) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return job_ || stops_; });
        if (stops_) return;
        Job job = *std::exchange(job_, {});
        lock.unlock();
        owner_.video_encoded(*this, result_of(std::move(job), encoder, stream));
    }
}

/// A picture of another size or quality begins another stream.
VideoLine::Result VideoLine::result_of(Job job, const std::string& encoder,
                                       std::optional<H264Encoder>& stream) {
    const auto begin = std::chrono::steady_clock::now();
    const double used = processor_milliseconds_of_this_thread();
    const int width = job.frame.width, height = job.frame.height;
    if (!stream || stream->config().width != width || stream->config().height != height ||
        stream->config().quality != job.quality) {
        stream.reset(); // one child at a time
        stream.emplace(H264Config{program_->program(), encoder, width, height, job.quality});
    }
    const Milliseconds childs = stream->processor_time();
    stream->load(job.frame.rgba.get());
    job.frame.rgba.reset(); // OpenGL wants its place
    Result result{stream->encode(stops_), std::move(job), 0, 0};
    result.milliseconds = Milliseconds{std::chrono::steady_clock::now() - begin}.count();
    result.processor_milliseconds = processor_milliseconds_of_this_thread() - used +
                                    (Milliseconds{stream->processor_time()} - childs).count();
    return result;
}

} // namespace lathe
