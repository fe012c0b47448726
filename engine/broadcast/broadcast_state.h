// SPDX-License-Identifier: MIT
// What a broadcast knows, all of it under one lock. The window's thread, the encoder's and those of
// the lines meet here. Private to engine/broadcast.
#pragma once

#include "engine/broadcast/broadcast.h"
#include "engine/broadcast/client_message.h"
#include "engine/broadcast/held_inputs.h"
#include "engine/broadcast/line_pace.h"
#include "engine/broadcast/video_line.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

namespace lathe {

class JpegEncoder;

/// CSS's name.
const char* name_of(CursorShape shape);

/// Of a viewer, under the broadcast's lock.
struct Viewer::Line {
    int signal = -1;
    std::string name;
    LinePace pace;
    int looks_at = 0; ///< the number of a window
    std::optional<client::Size> size;
    std::deque<Packet> packets;
    std::uint32_t frame = 0; ///< sent last; 0: none
    int level = 0;           ///< of that
    LinePace::Clock::time_point pinged{};
    std::uint32_t ping = 0;
    bool shows_video = false;         ///< it says that it can
    std::unique_ptr<VideoLine> video; ///< where its frames go by H.264
    bool video_is_ready = false;
    bool is_encoding = false; ///< a frame for it, by `video`
    double video_ms = 0;      ///< of an encoding, the mean of the last `videos`
    int videos = 0;
    bool video_failed = false; ///< or does not help: none for this line any more

    static constexpr std::size_t kMostTexts = 256; ///< that wait

    void add(Packet packet) {
        if (packet.is_text && packets.size() >= kMostTexts) return; // it reads nothing
        packets.push_back(std::move(packet));
        tell();
    }
    void say(std::string text) {
        add({std::make_shared<const std::string>(std::move(text)), true});
    }
    void tell() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(signal, &one, sizeof one);
    }
};

/// A window of the App, under the broadcast's lock.
struct Broadcast::Pane {
    bool is_open = false;
    glm::ivec2 size{};
    std::string title;
    CursorShape cursor = CursorShape::arrow;
    std::vector<InputEvent> events;
    HeldInputs held;
    // Frames.
    std::optional<RemoteFrame> incoming;
    RemoteFrame current;
    std::uint32_t number = 0; ///< of current; all windows count together
    LinePace::Clock::time_point changed_at{};
    bool is_stale = true; ///< nobody wanted the newest frame

    void add_event(InputEvent event);
    /// Keys and buttons that are down go up.
    void release() { held.release_into(events); }
};

struct Broadcast::State final : VideoLine::Owner {
    using Line = Viewer::Line;

    explicit State(BroadcastConfig its_config)
        : config{std::move(its_config)}, program{std::make_shared<H264Program>(config.ffmpeg)} {
        panes[0];
    }

    const BroadcastConfig config;
    const std::shared_ptr<H264Program> program;
    mutable std::mutex mutex;
    std::condition_variable for_encoder, for_loop, for_still;
    std::map<int, Line> lines; ///< by number: who came first stands first
    int newest_viewer = 0, steerer = 0;

    float ratio = 1;
    std::string clipboard;
    std::vector<std::unique_ptr<FileInbox>>
        inboxes;               ///< of viewers who left: the App has their files
    std::map<int, Pane> panes; ///< the App's first window is 0, and always there
    int newest_pane = 0;

    const LinePace::Clock::time_point made = LinePace::Clock::now();
    std::uint32_t newest_frame = 0;
    std::uint64_t arrivals = 0; ///< of the first window, also of frames that do not differ
    int stills = 0;             ///< wanted
    BroadcastStatus counts;
    bool stops = false;
    std::thread encoder;
    std::vector<std::unique_ptr<VideoLine>> ended_videos; ///< whose threads are to be joined

    // What the displays of all windows do. Each takes the lock.
    int open_pane(glm::ivec2 size);
    void close_pane(int at);
    bool wants_frame(int at);
    void show(int at, RemoteFrame frame);
    void resized(int at, glm::ivec2 size);
    void take_events(int at, std::vector<InputEvent>& taken);
    bool has_events(int at);
    void set_title(int at, const std::string& title);
    void set_cursor(int at, CursorShape shape);

    Pane& first() { return panes.at(0); }
    /// Null where it is closed.
    Pane* find(int at);
    Pane& seen_by(const Line& line) { return panes.at(line.looks_at); }
    const Pane& seen_by(const Line& line) const { return panes.at(line.looks_at); }
    bool is_looked_at(int at) const;
    void look(int viewer, int at);
    void tell_windows();

    void encode_until_stopped();
    bool take_incoming(std::unique_lock<std::mutex>& lock);
    bool wants_more(const Line& line, LinePace::Clock::time_point now) const;
    int level_for(const Line& line, LinePace::Clock::time_point now) const;
    /// Viewers by the window and the level that each wants.
    std::map<std::pair<int, int>, std::vector<int>> wanted(LinePace::Clock::time_point now) const;
    LinePace::Clock::time_point next_look(LinePace::Clock::time_point now) const;
    Packet packet_of(const RemoteFrame& frame, std::uint32_t of_number, int level,
                     JpegEncoder& jpeg) const;
    Packet packet_of(const VideoLine::Result& result) const;
    void deliver(Line& line, std::uint32_t of_number, const Packet& packet, bool is_still);
    void count_encoding(double milliseconds, double processor_milliseconds);
    void stop_encoder();

    bool wants_video(const Line& line) const;
    void start_videos();
    void feed_videos(LinePace::Clock::time_point now);
    void end_video(Line& line);
    Line* line_of(const VideoLine& video);
    void video_ready(const VideoLine& line) override;
    void video_encoded(const VideoLine& line, VideoLine::Result result) override;
    void video_failed(const VideoLine& line, const std::string& why) override;

    void steer(int viewer);
    void tell_roles();
    void follow(const client::Size& to);
    void say_all(const std::string& text) {
        for (auto& [viewer, line] : lines) line.say(text);
    }
    void handle(int viewer, client::Message message);
    void leave(int viewer);
};

} // namespace lathe
