// SPDX-License-Identifier: MIT
// The encoder's thread: the newest frame goes to each viewer whose line has room for it.
#include "engine/broadcast/broadcast_state.h"

#include "engine/broadcast/jpeg.h"
#include "engine/broadcast/processor_time.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lathe {

namespace {

using namespace std::chrono_literals;
using Clock = LinePace::Clock;

constexpr auto kRest = 250ms; ///< after which a picture that stays is sent as it is
constexpr auto kPingPeriod = 2s;
constexpr double kNewestEncoding = 1.0 / 16; ///< its weight in the mean

constexpr std::array<JpegConfig, LinePace::kLevels> kLevels{
    JpegConfig{95, true, false}, JpegConfig{82, false, false}, JpegConfig{65, false, false},
    JpegConfig{45, false, false}, JpegConfig{45, false, true}};

bool is_same(const RemoteFrame& a, const RemoteFrame& b) {
    return a.rgba && a.width == b.width && a.height == b.height &&
           std::memcmp(a.rgba.get(), b.rgba.get(),
                       std::size_t(a.width) * std::size_t(a.height) * 4) == 0;
}

template <class T> void put(std::string& bytes, T value) {
    for (std::size_t k = 0; k < sizeof value; ++k) bytes += char(value >> (8 * k) & 0xff);
}

enum class Codec : char { jpeg, h264, h264_key };

std::string head_of(Codec codec, std::uint32_t number, const RemoteFrame& frame,
                    Clock::time_point made) {
    std::string bytes{'\x01', char(codec), '\0', '\0'};
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - made);
    put(bytes, number);
    put(bytes, std::uint16_t(frame.width));
    put(bytes, std::uint16_t(frame.height));
    put(bytes, std::uint32_t(time.count()));
    return bytes;
}

} // namespace

/// A picture that moves is as fine as the line carries; one that stays is sent once more, as it is.
int Broadcast::State::level_for(const Line& line, Clock::time_point now) const {
    return now - seen_by(line).changed_at > kRest ? 0 : line.pace.level();
}

bool Broadcast::State::wants_more(const Line& line, Clock::time_point now) const {
    const std::uint32_t number = seen_by(line).number;
    if (number == 0 || line.is_encoding || !line.pace.is_ready()) return false;
    return line.frame != number || level_for(line, now) < line.level;
}

std::map<std::pair<int, int>, std::vector<int>>
Broadcast::State::wanted(Clock::time_point now) const {
    std::map<std::pair<int, int>, std::vector<int>> pictures;
    for (const auto& [viewer, line] : lines)
        if (wants_more(line, now))
            pictures[{line.looks_at, level_for(line, now)}].push_back(viewer);
    return pictures;
}

Clock::time_point Broadcast::State::next_look(Clock::time_point now) const {
    const bool will_refine = std::ranges::any_of(lines, [&](const auto& each) {
        return each.second.frame == seen_by(each.second).number && each.second.level;
    });
    return now + (will_refine ? kRest / 4 : kPingPeriod);
}

Packet Broadcast::State::packet_of(const RemoteFrame& frame, std::uint32_t of_number, int level,
                                   JpegEncoder& jpeg) const {
    std::string bytes = head_of(Codec::jpeg, of_number, frame, made);
    jpeg.append(bytes, frame.rgba.get(), frame.width, frame.height, kLevels.at(std::size_t(level)));
    return {std::make_shared<const std::string>(std::move(bytes)), false};
}

Packet Broadcast::State::packet_of(const VideoLine::Result& result) const {
    std::string bytes = head_of(result.unit.is_key ? Codec::h264_key : Codec::h264,
                                result.job.number, result.job.frame, made);
    bytes += result.unit.bytes;
    return {std::make_shared<const std::string>(std::move(bytes)), false};
}

void Broadcast::State::deliver(Line& line, std::uint32_t of_number, const Packet& packet,
                               bool is_still) {
    line.pace.sent(of_number, Clock::now(), is_still);
    counts.sent_bytes += packet.bytes->size();
    ++counts.sent_frames;
    line.add(packet);
}

void Broadcast::State::count_encoding(double milliseconds, double processor_milliseconds) {
    const double weight = counts.encode_ms == 0 ? 1 : kNewestEncoding;
    counts.encode_ms += (milliseconds - counts.encode_ms) * weight;
    counts.encode_cpu_ms += (processor_milliseconds - counts.encode_cpu_ms) * weight;
}

/// True where a frame came. A window may close while its frame is looked at.
bool Broadcast::State::take_incoming(std::unique_lock<std::mutex>& lock) {
    const auto found = std::ranges::find_if(
        panes, [](const auto& each) { return each.second.incoming.has_value(); });
    if (found == panes.end()) return false;
    const int at = found->first;
    RemoteFrame next = *std::exchange(found->second.incoming, {});
    const RemoteFrame before = found->second.current;
    lock.unlock();
    const bool differs = !is_same(before, next);
    lock.lock();
    if (at == 0) ++arrivals;
    for_still.notify_all();
    Pane* const pane = find(at);
    if (!pane || !differs) return true;
    pane->current = std::move(next);
    pane->changed_at = Clock::now();
    pane->number = newest_frame = newest_frame == std::uint32_t(-1) ? 1 : newest_frame + 1;
    ++counts.frames;
    return true;
}

void Broadcast::State::encode_until_stopped() {
    JpegEncoder jpeg;
    std::unique_lock lock{mutex};
    while (!stops) {
        const auto now = Clock::now();
        if (take_incoming(lock)) continue;
        for (auto& [viewer, line] : lines)
            if (line.pace.under_way() == 0 && now - line.pinged > kPingPeriod) {
                line.pinged = now;
                line.say(fmt::format("ping {}", ++line.ping));
            }
        if (auto ended = std::exchange(ended_videos, {}); !ended.empty()) {
            lock.unlock();
            ended.clear();
            lock.lock();
            continue;
        }
        start_videos();
        feed_videos(now);
        const auto pictures = wanted(now);
        if (pictures.empty()) {
            for_encoder.wait_until(lock, next_look(now));
            continue;
        }
        for (const auto& [picture, viewers] : pictures) {
            const auto [at, level] = picture;
            const Pane* const pane = find(at);
            if (!pane) continue;
            const RemoteFrame frame = pane->current;
            const std::uint32_t of_number = pane->number;
            lock.unlock();
            const auto begin = Clock::now();
            const double used = processor_milliseconds_of_this_thread();
            Packet packet;
            try {
                packet = packet_of(frame, of_number, level, jpeg);
            } catch (const Error& error) { log::error("broadcast: {}", error.what()); }
            const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
            const double processor = processor_milliseconds_of_this_thread() - used;
            lock.lock();
            count_encoding(took.count(), processor);
            for (const int viewer : viewers) {
                const auto found = lines.find(viewer);
                if (found == lines.end() || found->second.looks_at != at) continue;
                found->second.frame = of_number;
                found->second.level = level;
                if (packet.bytes) deliver(found->second, of_number, packet, level == 0);
            }
        }
    }
}

void Broadcast::State::stop_encoder() {
    {
        const std::lock_guard lock{mutex};
        stops = true;
    }
    for_encoder.notify_all();
    if (encoder.joinable()) encoder.join();
    std::vector<std::unique_ptr<VideoLine>> ended;
    {
        const std::lock_guard lock{mutex};
        for (auto& [viewer, line] : lines) end_video(line);
        ended.swap(ended_videos);
    }
}

} // namespace lathe
