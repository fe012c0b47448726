// SPDX-License-Identifier: MIT
// Frames as H.264, by the ffmpeg program where the user has it. It is a program that is started,
// and no library of ours.
#pragma once

#include "engine/broadcast/flv.h"
#include "engine/core/api.h"
#include "engine/core/dialog.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct H264Config {
    std::string program = "ffmpeg"; ///< a path, or a name on PATH
    std::string encoder = "libx264";
    int width = 0, height = 0; ///< a picture of odd sides is coded with one more column or row
    int quality = 23;          ///< 0 (the finest) to 51
    std::chrono::milliseconds patience{2000};
};

/// One stream, whose first picture is a key, and no other need be.
class LATHE_API H264Encoder {
public:
    /// Starts the program. Throws lathe::Error where it cannot be.
    explicit H264Encoder(const H264Config& config);

    const H264Config& config() const { return config_; }
    /// Takes the next picture. `rgba` has width × height × 4 bytes, the bottom row first.
    void load(const std::byte* rgba);
    /// Encodes the one that was taken. Throws lathe::Error where the program does not do it: the
    /// stream is at its end then. It also is where `stops` has become true.
    AccessUnit encode(const std::atomic<bool>& stops);
    /// That the program has used.
    std::chrono::nanoseconds processor_time() const { return child_.processor_time(); }

private:
    H264Config config_;
    Dialog child_;
    FlvReader reader_;
    std::vector<std::byte> planes_; ///< brightness, then two of colour, half as fine
};

/// What encodes H.264 on this machine. It is tried once.
class LATHE_API H264Program {
public:
    explicit H264Program(std::string program) : program_{std::move(program)} {}

    const std::string& program() const { return program_; }
    /// The name of the encoder that works: of the GPU where it has one, else of the CPU; empty
    /// where none does. The first call takes some 100 ms. Any thread.
    std::string encoder(const std::atomic<bool>& stops);

private:
    const std::string program_;
    std::mutex mutex_;
    std::optional<std::string> encoder_;
};

} // namespace lathe
