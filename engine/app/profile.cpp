// SPDX-License-Identifier: MIT
#include "engine/app/profile.h"

#include "engine/core/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace lathe {

namespace {

constexpr int kFramesTrack = int(kLaneNames.size()) + 1;

/// Between quotes, as JSON wants it (RFC 8259, section 7).
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", int(c));
        else out += c;
    }
    return out += '"';
}

double microseconds(std::chrono::nanoseconds time) { return double(time.count()) * 1e-3; }

template <class Out>
void write_event(Out to, std::string_view name, int track, std::chrono::nanoseconds begin,
                 std::chrono::nanoseconds time) {
    fmt::format_to(to,
                   R"({{"name":{},"ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f}}},)"
                   "\n",
                   quoted(name), track, microseconds(begin), microseconds(time));
}

} // namespace

std::string name_of(const ProfiledBlocks& blocks) {
    if (blocks.count == 1) return fmt::format("{} [{}]", blocks.kernel, blocks.first);
    return fmt::format("{} [{} … {}]", blocks.kernel, blocks.first,
                       blocks.first + blocks.count - 1);
}

std::vector<ZoneSum> sum_zones(const std::deque<ProfiledFrame>& frames, std::size_t most) {
    std::vector<ZoneSum> sums;
    std::map<std::pair<std::string_view, Lane>, std::size_t> places;
    for (auto frame = frames.end() - std::ptrdiff_t(std::min(most, frames.size()));
         frame != frames.end(); ++frame) {
        std::map<std::pair<std::string_view, Lane>, std::chrono::nanoseconds> ends;
        for (const ProfiledZone& zone : frame->zones) {
            const std::pair key{zone.name, zone.lane};
            const auto [place, is_new] = places.emplace(key, sums.size());
            if (is_new) sums.push_back({zone.name, zone.lane});
            ZoneSum& sum = sums[place->second];
            ++sum.calls;
            std::chrono::nanoseconds& end = ends.try_emplace(key, zone.begin).first->second;
            if (zone.begin + zone.time <= end) continue; // within another one
            sum.time += zone.time;
            end = zone.begin + zone.time;
        }
    }
    return sums;
}

std::string chrome_trace(const std::deque<ProfiledFrame>& frames) {
    std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    const auto to = std::back_inserter(text);
    int workers = 0;
    for (const ProfiledFrame& frame : frames) {
        write_event(to, fmt::format("frame {}", frame.index), kFramesTrack, frame.begin,
                    frame.time);
        for (const ProfiledZone& zone : frame.zones)
            write_event(to, zone.name, int(zone.lane) + 1, zone.begin, zone.time);
        for (const ProfiledBlocks& each : frame.blocks) {
            workers = std::max(workers, int(each.worker) + 1);
            write_event(to, name_of(each), kFramesTrack + 1 + int(each.worker), each.begin,
                        each.time);
        }
    }
    const auto name_track = [&](int track, int order, std::string_view name) {
        fmt::format_to(to,
                       R"({{"name":"thread_name","ph":"M","pid":1,"tid":{0},"args":{{"name":{2}}}}},
{{"name":"thread_sort_index","ph":"M","pid":1,"tid":{0},"args":{{"sort_index":{1}}}}},
)",
                       track, order, quoted(name));
    };
    name_track(kFramesTrack, 0, "frames");
    for (std::size_t i = 0; i < kLaneNames.size(); ++i)
        name_track(int(i) + 1, int(i) + 1, kLaneNames[i]);
    for (int i = 0; i < workers; ++i)
        name_track(kFramesTrack + 1 + i, kFramesTrack + i, fmt::format("worker {}", i));
    text += R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"lathe"}}]})";
    return text += '\n';
}

void save_chrome_trace(const std::deque<ProfiledFrame>& frames, const std::filesystem::path& file) {
    write_file(file, chrome_trace(frames));
}

} // namespace lathe
