// SPDX-License-Identifier: MIT
// The window's side of a broadcast.
#include "engine/broadcast/broadcast.h"

#include "engine/broadcast/broadcast_state.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lathe {

namespace {

RemoteFrame copy_of(const RemoteFrame& frame) {
    const std::size_t bytes = std::size_t(frame.width) * std::size_t(frame.height) * 4;
    const std::shared_ptr<std::byte> own{new std::byte[bytes], std::default_delete<std::byte[]>{}};
    std::memcpy(own.get(), frame.rgba.get(), bytes);
    return {frame.width, frame.height, own};
}

} // namespace

Broadcast::Broadcast(BroadcastConfig config) : state_{std::make_unique<State>(std::move(config))} {}

std::shared_ptr<Broadcast> Broadcast::make(BroadcastConfig config) {
    return std::shared_ptr<Broadcast>{new Broadcast{std::move(config)}};
}

Broadcast::~Broadcast() { state_->stop_encoder(); }

std::shared_ptr<Viewer> Broadcast::connect() {
    State& s = *state_;
    const std::lock_guard lock{s.mutex};
    if (s.lines.size() >= kMostViewers)
        throw Error{fmt::format("{} viewers look already, and no more can", s.lines.size())};
    const int signal = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (signal < 0) throw Error{fmt::format("no line for a viewer: {}", std::strerror(errno))};
    const int number = ++s.newest_viewer;
    std::shared_ptr<Viewer> viewer{new Viewer{shared_from_this(), number, signal}};
    State::Line& line = s.lines[number];
    line.signal = signal;
    line.say(fmt::format("title {}", client::percent_encoded(s.first().title)));
    if (!s.first().is_open && s.first().number != 0) line.say("over");
    if (s.panes.size() > 1) s.tell_windows();
    if (s.steerer == 0) s.steer(number);
    else s.tell_roles();
    s.for_loop.notify_all();
    s.for_encoder.notify_all();
    return viewer;
}

std::optional<ImageData> Broadcast::still(double seconds) {
    State& s = *state_;
    std::unique_lock lock{s.mutex};
    ++s.stills;
    s.for_loop.notify_all();
    const std::uint64_t before = s.arrivals;
    const Pane& pane = s.first();
    const bool is_seen = pane.number != 0 && !pane.is_stale; // resting, the loop sends no other
    s.for_still.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
        return is_seen || s.arrivals > before || (pane.number && !pane.is_open);
    });
    --s.stills;
    if (pane.number == 0) return {};
    const RemoteFrame& frame = pane.current; // under the lock: close() waits for it
    return upright_rgb(frame.rgba.get(), frame.width, frame.height);
}

BroadcastStatus Broadcast::status() const {
    State& s = *state_;
    const std::lock_guard lock{s.mutex};
    BroadcastStatus status = s.counts;
    status.viewers = int(s.lines.size());
    status.width = s.first().size.x;
    status.height = s.first().size.y;
    status.is_open = s.first().is_open;
    status.windows = int(s.panes.size());
    status.videos = int(std::ranges::count_if(
        s.lines, [](const auto& each) { return each.second.video_is_ready; }));
    return status;
}

void Broadcast::open(glm::ivec2 size) {
    State& s = *state_;
    const std::lock_guard lock{s.mutex};
    Pane& pane = s.first();
    if (pane.is_open) throw Error{"a broadcast shows one App at a time"};
    pane.is_open = true;
    s.stops = false;
    pane.size = size;
    s.encoder = std::thread{[&s] { s.encode_until_stopped(); }};
    if (const auto line = s.lines.find(s.steerer); line != s.lines.end() && line->second.size)
        s.follow(*line->second.size);
}

void Broadcast::close() {
    State& s = *state_;
    s.stop_encoder();
    const std::lock_guard lock{s.mutex};
    Pane& pane = s.first();
    pane.is_open = false;
    pane.incoming.reset();
    if (pane.current.rgba) pane.current = copy_of(pane.current);
    pane.events.clear();
    pane.held = {};
    s.say_all("over");
    s.for_still.notify_all();
}

std::string Broadcast::description() const {
    const std::lock_guard lock{state_->mutex};
    const std::size_t viewers = state_->lines.size();
    return fmt::format("broadcast to {} viewer{}", viewers, viewers == 1 ? "" : "s");
}

bool Broadcast::wants_frame() { return state_->wants_frame(0); }
void Broadcast::show(RemoteFrame frame) { state_->show(0, std::move(frame)); }
void Broadcast::resized(glm::ivec2 size) { state_->resized(0, size); }
void Broadcast::take_events(std::vector<InputEvent>& events) { state_->take_events(0, events); }
void Broadcast::set_title(const std::string& title) { state_->set_title(0, title); }
void Broadcast::set_cursor(CursorShape shape) { state_->set_cursor(0, shape); }

bool Broadcast::wait(double seconds) {
    State& s = *state_;
    std::unique_lock lock{s.mutex};
    return s.for_loop.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
        return std::ranges::any_of(s.panes, [&](const auto& each) {
            return !each.second.events.empty() ||
                   (each.second.is_stale && s.is_looked_at(each.first));
        });
    });
}

float Broadcast::pixel_ratio() const {
    const std::lock_guard lock{state_->mutex};
    return state_->ratio;
}

std::string Broadcast::clipboard() const {
    const std::lock_guard lock{state_->mutex};
    return state_->clipboard;
}

void Broadcast::set_clipboard(const std::string& text) {
    const std::lock_guard lock{state_->mutex};
    state_->clipboard = text;
    const auto line = state_->lines.find(state_->steerer);
    if (line != state_->lines.end())
        line->second.say(fmt::format("clipboard {}", client::percent_encoded(text)));
}

} // namespace lathe
