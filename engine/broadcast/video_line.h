// SPDX-License-Identifier: MIT
// The H.264 stream of one viewer: a thread and a child of its own, so that one which stalls holds
// up nobody. Private to engine/broadcast.
#pragma once

#include "engine/app/remote_display.h"
#include "engine/broadcast/h264.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace lathe {

class VideoLine {
public:
    struct Job {
        RemoteFrame frame{};
        std::uint32_t number = 0;
        int quality = 0; ///< as H264Config has it
    };
    struct Result {
        AccessUnit unit{};
        Job job{}; ///< without its frame
        double milliseconds = 0, processor_milliseconds = 0;
    };
    /// Who has the line; called by the line's thread, without its lock.
    class Owner {
    public:
        virtual ~Owner() = default;
        /// From now on it takes frames.
        virtual void video_ready(const VideoLine& line) = 0;
        virtual void video_encoded(const VideoLine& line, Result result) = 0;
        /// It is at its end. `why` is empty where the machine has no encoder.
        virtual void video_failed(const VideoLine& line, const std::string& why) = 0;
    };

    VideoLine(Owner& owner, int its_viewer, std::shared_ptr<H264Program> program)
        : viewer{its_viewer}, owner_{owner}, program_{std::move(program)},
          thread_{[this] { run(); }} {}
    VideoLine(const VideoLine&) = delete;
    VideoLine& operator=(const VideoLine&) = delete;
    /// Waits for its thread, so the owner must not hold a lock that its calls want.
    ~VideoLine();

    /// The next frame. There is none under way.
    void encode(Job job);
    /// Nothing comes any more, soon.
    void stop();

    const int viewer;

private:
    void run();
    void run_until_stopped(const std::string& encoder);
    H264Encoder& stream_for(const H264Config& config);
    Result result_of(Job job, const std::string& encoder);

    Owner& owner_;
    const std::shared_ptr<H264Program> program_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Job> job_;
    std::atomic<bool> stops_{false};
    // Of the thread alone.
    std::unique_ptr<H264Encoder> stream_, next_; ///< the next one has another quality
    std::chrono::steady_clock::time_point next_began_{};
    std::thread thread_; // the last: it uses the others
};

} // namespace lathe
