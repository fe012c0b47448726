// SPDX-License-Identifier: MIT
#include "engine/broadcast/h264.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/process.h"

#include <fmt/format.h>
#include <turbojpeg.h>

#include <memory>
#include <thread>

namespace lathe {

namespace {

constexpr int kProbeSide = 256;                           ///< some take none that is much smaller
constexpr std::chrono::milliseconds kProbePatience{5000}; ///< a GPU may have to wake

constexpr std::chrono::milliseconds kLook{10};

int even(int side) { return (side + 1) / 2 * 2; }

/// One picture in, one picture out: nothing looks ahead, and no picture refers to a later one.
/// Times are made up: the pace is ours.
std::vector<std::string> arguments_of(const H264Config& config) {
    // clang-format off
    std::vector<std::string> words{
        config.program, "-hide_banner", "-loglevel", "error", "-probesize", "32",
        "-f", "rawvideo", "-pixel_format", "yuvj420p",
        "-video_size", fmt::format("{}x{}", even(config.width), even(config.height)),
        "-framerate", "60", "-i", "-", "-c:v", config.encoder,
    };
    const auto add = [&](std::initializer_list<std::string> more) {
        words.insert(words.end(), more);
    };
    const std::string quality = fmt::format("{}", config.quality);
    if (config.encoder == "libx264")
        add({"-preset", "ultrafast", "-tune", "zerolatency", "-crf", quality,
             "-x264-params", "scenecut=0"});
    else
        add({"-preset", "p1", "-tune", "ull", "-rc", "constqp", "-qp", quality,
             "-zerolatency", "1", "-delay", "0"});
    // The colours of JPEG, which a browser turns into those that the App has drawn.
    add({"-g", "1000000", "-bf", "0", "-threads", "4",
         "-color_range", "pc", "-colorspace", "smpte170m", "-color_primaries", "bt709",
         "-color_trc", "iec61966-2-1", "-flush_packets", "1", "-f", "flv", "-"});
    // clang-format on
    return words;
}

} // namespace

H264Encoder::H264Encoder(const H264Config& config)
    : config_{config}, child_{arguments_of(config)},
      planes_(std::size_t(even(config.width)) * std::size_t(even(config.height)) * 3 / 2) {}

void H264Encoder::load(const std::byte* rgba) {
    const std::unique_ptr<void, int (*)(tjhandle)> converter{tjInitCompress(), &tjDestroy};
    if (!converter ||
        tjEncodeYUV3(converter.get(), reinterpret_cast<const unsigned char*>(rgba), config_.width,
                     0, config_.height, TJPF_RGBX, reinterpret_cast<unsigned char*>(planes_.data()),
                     1, TJSAMP_420, TJFLAG_BOTTOMUP) != 0)
        throw Error{fmt::format("a frame of {} x {} pixels was not converted", config_.width,
                                config_.height)};
}

AccessUnit H264Encoder::encode(const std::atomic<bool>& stops) {
    std::optional<AccessUnit> unit;
    child_.ask(
        planes_,
        [&](std::span<const std::byte> bytes) {
            if (auto whole = reader_.take(bytes)) unit = std::move(whole);
            return unit.has_value();
        },
        config_.patience, stops);
    return std::move(*unit);
}

std::string H264Program::encoder(const std::atomic<bool>& stops) {
    std::unique_lock lock{mutex_, std::try_to_lock};
    while (!lock.owns_lock()) { // another one tries it, which may take seconds
        if (stops) return {};
        std::this_thread::sleep_for(kLook);
        lock.try_lock();
    }
    if (encoder_) return *encoder_;
    if (!program_exists(program_)) return encoder_.emplace();
    for (const char* const name : {"h264_nvenc", "libx264"}) {
        try {
            H264Config config{program_, name, kProbeSide, kProbeSide};
            config.patience = kProbePatience;
            H264Encoder trial{config};
            if (!trial.encode(stops).is_key) continue;
            return encoder_.emplace(name);
        } catch (const Error& error) {
            if (stops) return {};
            log::debug("{} with {}: {}", program_, name, error.what());
        }
    }
    return encoder_.emplace();
}

} // namespace lathe
