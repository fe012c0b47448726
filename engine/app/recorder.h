// SPDX-License-Identifier: MIT
// Records frames as an H.264 movie through the ffmpeg program, or as a folder of PNGs without it.
// Pixels leave GL two frames late and are written by a thread, so the loop does not wait.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace lathe {

namespace gl {
class Framebuffer;
}

struct RecorderConfig {
    std::filesystem::path file; ///< movie.mp4; the PNG sequence goes to the folder "movie"
    double frames_per_second = 60;
    int quality = 18;         ///< x264's constant rate factor, 0 (lossless) … 51
    bool allow_ffmpeg = true; ///< false: always PNGs
};

class LATHE_API Recorder {
public:
    explicit Recorder(RecorderConfig config);
    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) noexcept;
    /// Finishes; failures are logged.
    ~Recorder();

    /// Adds the framebuffer's picture. The first decides the size; later ones of another size are
    /// scaled to fit, between black bars. Odd sizes lose their last column or row, as H.264 wants.
    /// Throws lathe::Error where a file cannot be written, and then the recording is finished.
    void add(const gl::Framebuffer& framebuffer);
    /// Writes what is under way and closes the file. Throws lathe::Error where writing failed.
    void finish();

    std::uint64_t frames() const;
    /// False: PNGs.
    bool is_movie() const;
    /// The movie, or the folder of PNGs.
    const std::filesystem::path& output() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace lathe
