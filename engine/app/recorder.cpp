// SPDX-License-Identifier: MIT
#include "engine/app/recorder.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/pending_file.h"
#include "engine/core/process.h"
#include "engine/render/screenshot.h"
#include "gl/buffer.h"
#include "gl/framebuffer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace lathe {
namespace {

using Frame = std::vector<std::byte>; // RGBA, bottom row first

/// Raw frames in, H.264 out: turned upright, cut to even sides, in HDTV's colours. The preset is
/// for recording while a simulation computes: of 720p frames "superfast" takes 16 ms of CPU each,
/// "veryfast" 27 ms for files two thirds as large.
std::vector<std::string> encoder_arguments(const RecorderConfig& config,
                                           const std::filesystem::path& output, int width,
                                           int height) {
    // clang-format off
    return {
        "ffmpeg", "-hide_banner", "-loglevel", "error", "-y",
        "-xerror", // without it a file whose end could not be written passes for one that is whole
        "-f", "rawvideo", "-pixel_format", "rgba",
        "-video_size", fmt::format("{}x{}", width, height),
        "-framerate", fmt::format("{}", config.frames_per_second), "-i", "-",
        "-vf", "vflip,crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,"
               "scale=out_color_matrix=bt709,format=yuv420p",
        "-c:v", "libx264", "-preset", "superfast", "-crf", fmt::format("{}", config.quality),
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
        "-movflags", "+faststart", output.string(),
    };
    // clang-format on
}

/// Where frames end: one of the two, on the writer's thread.
class Sink {
public:
    Sink(const RecorderConfig& config, std::filesystem::path output, bool movie, int width,
         int height)
        : output_{std::move(output)}, width_{width}, height_{height} {
        const auto folder = movie ? output_.parent_path() : output_;
        std::error_code failed;
        if (!folder.empty()) std::filesystem::create_directories(folder, failed);
        if (failed)
            throw Error{fmt::format("cannot write {}: its folder {} cannot be made: {}",
                                    output_.string(), folder.string(), failed.message())};
        if (!movie) return;
        movie_.emplace(output_);
        encoder_.emplace(encoder_arguments(config, movie_->path(), width, height));
    }

    void write(const Frame& frame) {
        if (encoder_) {
            try {
                encoder_->write(frame);
            } catch (const Error& stopped) {
                end_encoder(); // throws the encoder's own words, where it left some
                fail(stopped);
            }
            return;
        }
        save_png(output_ / fmt::format("{:06}.png", number_++),
                 upright_rgb(frame.data(), width_, height_));
    }
    void finish() {
        if (!encoder_) return;
        end_encoder();
        movie_->put_in_place();
    }

private:
    void end_encoder() {
        try {
            encoder_->finish();
        } catch (const Error& error) { fail(error); }
    }
    [[noreturn]] void fail(const Error& why) const {
        throw Error{fmt::format("cannot write {}: {}", output_.string(), why.what())};
    }

    std::filesystem::path output_;
    int width_, height_;
    int number_ = 0;
    std::optional<PendingFile> movie_;
    std::optional<PipeTo> encoder_;
};

/// Frames wait here for the encoder; when it is slow, push() waits: no frame is dropped.
class Writer {
public:
    explicit Writer(Sink& sink) : sink_{sink}, thread_{[this] { run(); }} {}
    ~Writer() { stop(); }

    void push(Frame frame) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return queue_.size() < kLongest || failure_; });
        if (failure_) std::rethrow_exception(failure_);
        queue_.push_back(std::move(frame));
        changed_.notify_all();
    }
    void finish() {
        stop();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    static constexpr std::size_t kLongest = 8;

    void stop() {
        {
            std::lock_guard lock{mutex_};
            ending_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    void run() {
        for (;;) {
            Frame frame;
            {
                std::unique_lock lock{mutex_};
                changed_.wait(lock, [&] { return !queue_.empty() || ending_; });
                if (queue_.empty()) return;
                frame = std::move(queue_.front());
                queue_.pop_front();
            }
            changed_.notify_all();
            try {
                sink_.write(frame);
            } catch (...) {
                std::lock_guard lock{mutex_};
                failure_ = std::current_exception();
                queue_.clear();
                changed_.notify_all();
                return;
            }
        }
    }

    Sink& sink_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Frame> queue_;
    std::exception_ptr failure_;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace

struct Recorder::State {
    static constexpr std::size_t kInFlight = 2;

    RecorderConfig config;
    std::filesystem::path output;
    bool movie = true;
    int width = 0;
    int height = 0;
    std::uint64_t added = 0;
    std::uint64_t handed = 0; // to the writer
    std::array<gl::Buffer, kInFlight> pixels;
    gl::Framebuffer fitted; ///< for pictures of another size
    std::optional<Sink> sink;
    std::optional<Writer> writer;
    bool finished = false;

    ~State() {
        try {
            finish();
        } catch (const std::exception& e) {
            log::error("recording {}: {}", output.string(), e.what());
        }
    }
    void start(int w, int h) {
        width = w;
        height = h;
        sink.emplace(config, output, movie, w, h);
        writer.emplace(*sink);
        const std::size_t bytes = std::size_t(w) * std::size_t(h) * 4;
        // Mapped storage lies in host memory, where the copy has to go anyway.
        for (gl::Buffer& b : pixels) b = gl::Buffer{bytes, gl::Storage::device};
    }
    /// The picture, as large as fits the recording.
    const gl::Framebuffer& between_bars(const gl::Framebuffer& picture) {
        if (!fitted) fitted = gl::Framebuffer{width, height};
        fitted.clear({0, 0, 0, 1});
        const float scale = std::min(float(width) / float(picture.width()),
                                     float(height) / float(picture.height()));
        const int w = std::max(1, int(std::lround(float(picture.width()) * scale)));
        const int h = std::max(1, int(std::lround(float(picture.height()) * scale)));
        picture.blit_to(fitted.id(), (width - w) / 2, (height - h) / 2, w, h);
        return fitted;
    }
    void hand_over_oldest() {
        const gl::Buffer& buffer = pixels[handed % kInFlight];
        Frame frame(buffer.bytes());
        buffer.download(frame);
        ++handed;
        writer->push(std::move(frame));
    }
    /// Also after a failure, which is told once: by what threw it.
    void finish() {
        if (finished) return;
        finished = true;
        if (!writer) return;
        while (handed < added) hand_over_oldest();
        writer->finish();
        sink->finish();
    }
};

Recorder::Recorder(RecorderConfig config) : state_{std::make_unique<State>()} {
    if (config.file.empty()) throw Error{"a recording needs a file name, as in movie.mp4"};
    if (!(config.frames_per_second > 0))
        throw Error{fmt::format("a recording needs a positive frame rate, not {}",
                                config.frames_per_second)};
    state_->movie = config.allow_ffmpeg && program_exists("ffmpeg");
    state_->output = config.file;
    if (!state_->movie) {
        state_->output.replace_extension();
        if (config.allow_ffmpeg)
            log::warning("ffmpeg was not found (sudo apt-get install ffmpeg): frames go to {}/ as "
                         "PNG files",
                         state_->output.string());
    }
    state_->config = std::move(config);
}

Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

Recorder::~Recorder() = default;

void Recorder::add(const gl::Framebuffer& framebuffer) {
    State& s = *state_;
    if (s.finished) throw Error{"a picture was added to a recording that is finished"};
    const int w = framebuffer.width(), h = framebuffer.height();
    s.finished = true; // unless nothing fails
    if (!s.writer) s.start(w, h);
    if (s.added - s.handed == State::kInFlight) s.hand_over_oldest();
    const gl::Buffer& pixels = s.pixels[s.added % State::kInFlight];
    if (w == s.width && h == s.height) framebuffer.read_to(pixels);
    else s.between_bars(framebuffer).read_to(pixels);
    ++s.added;
    s.finished = false;
}

void Recorder::finish() { state_->finish(); }
std::uint64_t Recorder::frames() const { return state_->added; }
bool Recorder::is_movie() const { return state_->movie; }
const std::filesystem::path& Recorder::output() const { return state_->output; }

} // namespace lathe
