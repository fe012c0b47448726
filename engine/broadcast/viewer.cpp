// SPDX-License-Identifier: MIT
// What viewers do: a line's words become events of the window, and one of the viewers steers.
#include "engine/broadcast/broadcast_state.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace lathe {

namespace {

constexpr std::size_t kMostEvents = 4096; ///< that wait for the loop
constexpr double kMostPixels = 3840.0 * 2160.0;

/// The largest size of that shape which a broadcast sends.
glm::ivec2 bounded(const client::Size& size) {
    const double pixels = double(size.width) * size.height;
    const double scale = std::min(1.0, std::sqrt(kMostPixels / pixels));
    return {std::max(16, int(size.width * scale)), std::max(16, int(size.height * scale))};
}

} // namespace

const char* name_of(CursorShape shape) {
    switch (shape) {
    case CursorShape::text: return "text";
    case CursorShape::resize_vertically: return "ns-resize";
    case CursorShape::resize_horizontally: return "ew-resize";
    case CursorShape::hand: return "pointer";
    case CursorShape::arrow: break;
    }
    return "default";
}

void Broadcast::Pane::add_event(InputEvent event) {
    if (!is_open) return;
    held.note(event);
    const bool merges = !events.empty() && events.back().index() == event.index();
    if (auto* move = std::get_if<MoveEvent>(&event); move && merges) {
        std::get<MoveEvent>(events.back()).position = move->position;
    } else if (auto* wheel = std::get_if<WheelEvent>(&event); wheel && merges) {
        std::get<WheelEvent>(events.back()).delta += wheel->delta;
    } else if (events.size() >= kMostEvents) { // nobody types as fast
        events.clear();
        held.release_into(events);
    } else {
        events.push_back(std::move(event));
    }
}

void Broadcast::State::follow(const client::Size& to) {
    ratio = to.ratio;
    const auto line = lines.find(steerer);
    Pane& pane = line == lines.end() ? first() : seen_by(line->second);
    if (const glm::ivec2 wanted = bounded(to); wanted != pane.size)
        pane.add_event(ResizeEvent{wanted.x, wanted.y});
    for_loop.notify_all();
}

void Broadcast::State::steer(int viewer) {
    if (viewer != steerer)
        for (auto& [at, pane] : panes) pane.release();
    steerer = viewer;
    tell_roles();
    const auto line = lines.find(viewer);
    if (line == lines.end()) return;
    line->second.say(fmt::format("cursor {}", name_of(seen_by(line->second).cursor)));
    if (line->second.size) follow(*line->second.size);
    for_loop.notify_all();
}

void Broadcast::State::tell_roles() {
    for (auto& [viewer, line] : lines) line.say(fmt::format("role {} {}", viewer, steerer));
    say_all(fmt::format("viewers {}", lines.size()));
}

void Broadcast::State::leave(int viewer) {
    const auto line = lines.find(viewer);
    if (line == lines.end()) return;
    end_video(line->second);
    lines.erase(line);
    if (viewer == steerer) steer(lines.empty() ? 0 : lines.begin()->first);
    else tell_roles();
}

void Broadcast::State::handle(int viewer, client::Message message) {
    const auto found = lines.find(viewer);
    if (found == lines.end()) return;
    Line& line = found->second;
    const bool steers = viewer == steerer;
    const auto on = [&]<class T>(T& m) {
        if constexpr (std::is_same_v<T, client::Shown>) {
            line.pace.shown(m.frame, LinePace::Clock::now());
            for_encoder.notify_all();
        } else if constexpr (std::is_same_v<T, client::Pong>) {
            if (m.number == line.ping) line.pace.answered(LinePace::Clock::now() - line.pinged);
        } else if constexpr (std::is_same_v<T, client::Codec>) {
            line.shows_video = m.shows_video;
            if (!m.shows_video) end_video(line);
            for_encoder.notify_all();
        } else if constexpr (std::is_same_v<T, client::Name>) {
            line.name = std::move(m.text);
        } else if constexpr (std::is_same_v<T, client::Size>) {
            line.size = m;
            if (steers) follow(m);
        } else if constexpr (std::is_same_v<T, client::Ask>) {
            if (const auto other = lines.find(steerer); other == lines.end()) steer(viewer);
            else if (!steers)
                other->second.say(fmt::format(
                    "asked {} {}", viewer,
                    client::percent_encoded(line.name.empty() ? fmt::format("viewer {}", viewer)
                                                              : line.name)));
        } else if constexpr (std::is_same_v<T, client::Look>) {
            look(viewer, m.window);
        } else if (steers) {
            Pane& pane = seen_by(line);
            if constexpr (std::is_same_v<T, client::File> || std::is_same_v<T, client::Drop>) {
                return; // the viewer's own (Viewer::receive)
            } else if constexpr (std::is_same_v<T, client::Give>) {
                if (lines.contains(m.viewer)) steer(m.viewer);
            } else if constexpr (std::is_same_v<T, client::Paste>) {
                clipboard = std::move(m.text);
            } else if constexpr (std::is_same_v<T, client::Typed>) {
                for (const char32_t c : m.text) pane.add_event(TextEvent{c});
            } else if constexpr (std::is_same_v<T, CloseEvent>) {
                if (line.looks_at != 0) pane.add_event(m); // the program's end is not the page's
            } else {
                pane.add_event(std::move(m));
            }
            for_loop.notify_all();
        }
    };
    std::visit(on, message);
}

Viewer::Viewer(std::shared_ptr<Broadcast> broadcast, int number, int signal)
    : broadcast_{std::move(broadcast)}, number_{number}, signal_{signal} {}

Viewer::~Viewer() {
    leave();
    ::close(signal_);
    if (!inbox_->has_files()) return;
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard lock{s.mutex};
    s.inboxes.push_back(std::move(inbox_));
}

std::vector<Packet> Viewer::take() {
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard lock{s.mutex};
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(signal_, &count, sizeof count);
    const auto line = s.lines.find(number_);
    if (line == s.lines.end()) return {};
    std::vector<Packet> packets{std::make_move_iterator(line->second.packets.begin()),
                                std::make_move_iterator(line->second.packets.end())};
    line->second.packets.clear();
    return packets;
}

void Viewer::receive(std::string_view lines) {
    if (lines.size() > kLongestClientMessage) throw Error{"a message is longer than 1 MiB"};
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        const std::string_view line = lines.substr(0, end);
        lines = end == lines.npos ? std::string_view{} : lines.substr(end + 1);
        client::Message message = client::parse(line);
        if (const auto* file = std::get_if<client::File>(&message)) {
            begin_file(*file);
            continue;
        }
        if (std::holds_alternative<client::Drop>(message)) {
            drop_files();
            continue;
        }
        Broadcast::State& s = *broadcast_->state_;
        const std::lock_guard lock{s.mutex};
        s.handle(number_, std::move(message));
    }
}

// Files are written without the broadcast's lock: a disk may be slow.

void Viewer::begin_file(const client::File& file) {
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard inbox_lock{inbox_mutex_};
    bool steers = false;
    {
        const std::lock_guard lock{s.mutex};
        steers = s.steerer == number_;
    }
    if (steers) return tell(inbox_->begin(file.bytes, file.name));
    inbox_->skip(file.bytes);
    tell("Only who steers drops files.");
}

void Viewer::receive_bytes(std::string_view bytes) {
    const std::lock_guard lock{inbox_mutex_};
    tell(inbox_->add(bytes));
}

void Viewer::drop_files() {
    const std::lock_guard inbox_lock{inbox_mutex_};
    std::vector<std::filesystem::path> files = inbox_->take();
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard lock{s.mutex};
    const auto line = s.lines.find(number_);
    if (files.empty() || s.steerer != number_ || line == s.lines.end()) return;
    s.seen_by(line->second).add_event(DropEvent{std::move(files), {}});
    s.for_loop.notify_all();
}

void Viewer::tell(const std::optional<std::string>& words) {
    if (!words) return;
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard lock{s.mutex};
    const auto line = s.lines.find(number_);
    if (line != s.lines.end())
        line->second.say(fmt::format("told {}", client::percent_encoded(*words)));
}

void Viewer::leave() {
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard lock{s.mutex};
    s.leave(number_);
}

} // namespace lathe
