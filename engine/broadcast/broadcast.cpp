// SPDX-License-Identifier: MIT
#include "engine/broadcast/broadcast.h"

#include "engine/broadcast/client_message.h"
#include "engine/broadcast/held_inputs.h"
#include "engine/broadcast/jpeg.h"
#include "engine/broadcast/line_pace.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace lathe {

namespace {

using namespace std::chrono_literals;
using Clock = LinePace::Clock;

constexpr auto kRest = 250ms; ///< after which a picture that stays is sent as it is
constexpr auto kPingPeriod = 2s;
constexpr std::size_t kMostEvents = 4096; ///< that wait for the loop
constexpr double kMostPixels = 3840.0 * 2160.0;
constexpr std::size_t kMostTexts = 256; ///< that wait for a viewer

constexpr std::array<JpegConfig, LinePace::kLevels> kLevels{
    JpegConfig{95, true, false}, JpegConfig{82, false, false}, JpegConfig{65, false, false},
    JpegConfig{45, false, false}, JpegConfig{45, false, true}};

const char* name_of(CursorShape shape) {
    switch (shape) { // CSS's names
    case CursorShape::text: return "text";
    case CursorShape::resize_vertically: return "ns-resize";
    case CursorShape::resize_horizontally: return "ew-resize";
    case CursorShape::hand: return "pointer";
    case CursorShape::arrow: break;
    }
    return "default";
}

bool is_same(const RemoteFrame& a, const RemoteFrame& b) {
    return a.rgba && a.width == b.width && a.height == b.height &&
           std::memcmp(a.rgba.get(), b.rgba.get(),
                       std::size_t(a.width) * std::size_t(a.height) * 4) == 0;
}

RemoteFrame copy_of(const RemoteFrame& frame) {
    const std::size_t bytes = std::size_t(frame.width) * std::size_t(frame.height) * 4;
    const std::shared_ptr<std::byte> own{new std::byte[bytes], std::default_delete<std::byte[]>{}};
    std::memcpy(own.get(), frame.rgba.get(), bytes);
    return {frame.width, frame.height, own};
}

template <class T> void put(std::string& bytes, T value) {
    for (std::size_t k = 0; k < sizeof value; ++k) bytes += char(value >> (8 * k) & 0xff);
}

/// The largest size of that shape which a broadcast sends.
glm::ivec2 bounded(const client::Size& size) {
    const double pixels = double(size.width) * size.height;
    const double scale = std::min(1.0, std::sqrt(kMostPixels / pixels));
    return {std::max(16, int(size.width * scale)), std::max(16, int(size.height * scale))};
}

} // namespace

/// Of a viewer, under the broadcast's lock.
struct Viewer::Line {
    int signal = -1;
    std::string name;
    LinePace pace;
    std::optional<client::Size> size;
    std::deque<Packet> packets;
    std::uint32_t frame = 0; ///< sent last; 0: none
    int level = 0;           ///< of that
    Clock::time_point pinged{};
    std::uint32_t ping = 0;

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

struct Broadcast::State {
    using Line = Viewer::Line;

    mutable std::mutex mutex;
    std::condition_variable for_encoder, for_loop, for_still;
    std::map<int, Line> lines; ///< by number: who came first stands first
    int newest_viewer = 0, steerer = 0;

    // The window.
    bool is_open = false;
    glm::ivec2 size{};
    float ratio = 1;
    std::string title, clipboard;
    CursorShape cursor = CursorShape::arrow;
    std::vector<InputEvent> events;
    HeldInputs held;

    // Frames.
    const Clock::time_point made = Clock::now();
    std::optional<RemoteFrame> incoming;
    RemoteFrame current;
    std::uint32_t number = 0;       ///< of current
    std::uint64_t arrivals = 0;     ///< also of frames that do not differ
    Clock::time_point changed_at{}; ///< current
    int stills = 0;                 ///< wanted
    bool is_stale = true;           ///< nobody wanted the newest frame
    BroadcastStatus counts;
    bool stops = false;
    std::thread encoder;

    void encode_until_stopped();
    bool wants_more(const Line& line, Clock::time_point now) const;
    int level_for(const Line& line, Clock::time_point now) const;
    std::map<int, std::vector<int>> wanted(Clock::time_point now) const;
    Clock::time_point next_look(Clock::time_point now) const;
    Packet packet_of(const RemoteFrame& frame, std::uint32_t of_number, int level,
                     JpegEncoder& jpeg) const;
    void stop_encoder();

    void add_event(InputEvent event);
    void steer(int viewer);
    void tell_roles();
    void follow(const client::Size& to);
    void say_all(const std::string& text) {
        for (auto& [viewer, line] : lines) line.say(text);
    }
    void handle(int viewer, client::Message message);
    void leave(int viewer);
};

// -- what viewers do ---------------------------------------------------------------------------

void Broadcast::State::add_event(InputEvent event) {
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
    for_loop.notify_all();
}

void Broadcast::State::follow(const client::Size& to) {
    ratio = to.ratio;
    if (const glm::ivec2 wanted = bounded(to); wanted != size)
        add_event(ResizeEvent{wanted.x, wanted.y});
}

void Broadcast::State::steer(int viewer) {
    if (viewer != steerer) held.release_into(events);
    steerer = viewer;
    tell_roles();
    const auto line = lines.find(viewer);
    if (line == lines.end()) return;
    line->second.say(fmt::format("cursor {}", name_of(cursor)));
    if (line->second.size) follow(*line->second.size);
    for_loop.notify_all();
}

void Broadcast::State::tell_roles() {
    for (auto& [viewer, line] : lines) line.say(fmt::format("role {} {}", viewer, steerer));
    say_all(fmt::format("viewers {}", lines.size()));
}

void Broadcast::State::leave(int viewer) {
    if (lines.erase(viewer) == 0) return;
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
            line.pace.shown(m.frame, Clock::now());
            for_encoder.notify_all();
        } else if constexpr (std::is_same_v<T, client::Pong>) {
            if (m.number == line.ping) line.pace.answered(Clock::now() - line.pinged);
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
        } else if (steers) {
            if constexpr (std::is_same_v<T, client::Give>) {
                if (lines.contains(m.viewer)) steer(m.viewer);
            } else if constexpr (std::is_same_v<T, client::Paste>) {
                clipboard = std::move(m.text);
            } else if constexpr (std::is_same_v<T, client::Typed>) {
                for (const char32_t c : m.text) add_event(TextEvent{c});
            } else {
                add_event(std::move(m));
            }
        }
    };
    std::visit(on, message);
}

// -- the encoder's thread ----------------------------------------------------------------------

/// A picture that moves is as fine as the line carries; one that stays is sent once more, as it is.
int Broadcast::State::level_for(const Line& line, Clock::time_point now) const {
    return now - changed_at > kRest ? 0 : line.pace.level();
}

bool Broadcast::State::wants_more(const Line& line, Clock::time_point now) const {
    if (number == 0 || !line.pace.is_ready()) return false;
    return line.frame != number || level_for(line, now) < line.level;
}

std::map<int, std::vector<int>> Broadcast::State::wanted(Clock::time_point now) const {
    std::map<int, std::vector<int>> levels;
    for (const auto& [viewer, line] : lines)
        if (wants_more(line, now)) levels[level_for(line, now)].push_back(viewer);
    return levels;
}

Clock::time_point Broadcast::State::next_look(Clock::time_point now) const {
    const bool will_refine = std::ranges::any_of(
        lines, [&](const auto& each) { return each.second.frame == number && each.second.level; });
    return now + (will_refine ? kRest / 4 : kPingPeriod);
}

Packet Broadcast::State::packet_of(const RemoteFrame& frame, std::uint32_t of_number, int level,
                                   JpegEncoder& jpeg) const {
    std::string bytes{"\x01\x00\x00\x00", 4};
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - made);
    put(bytes, of_number);
    put(bytes, std::uint16_t(frame.width));
    put(bytes, std::uint16_t(frame.height));
    put(bytes, std::uint32_t(time.count()));
    jpeg.append(bytes, frame.rgba.get(), frame.width, frame.height, kLevels.at(std::size_t(level)));
    return {std::make_shared<const std::string>(std::move(bytes)), false};
}

void Broadcast::State::encode_until_stopped() {
    JpegEncoder jpeg;
    std::unique_lock lock{mutex};
    while (!stops) {
        const auto now = Clock::now();
        if (incoming) {
            RemoteFrame next = *std::exchange(incoming, {});
            const RemoteFrame before = current;
            lock.unlock();
            const bool differs = !is_same(before, next);
            lock.lock();
            ++arrivals;
            for_still.notify_all();
            if (differs) {
                current = std::move(next);
                changed_at = Clock::now();
                number = number == std::uint32_t(-1) ? 1 : number + 1;
                ++counts.frames;
            }
            continue;
        }
        for (auto& [viewer, line] : lines)
            if (line.pace.under_way() == 0 && now - line.pinged > kPingPeriod) {
                line.pinged = now;
                line.say(fmt::format("ping {}", ++line.ping));
            }
        const auto levels = wanted(now);
        if (levels.empty()) {
            for_encoder.wait_until(lock, next_look(now));
            continue;
        }
        const RemoteFrame frame = current;
        const std::uint32_t of_number = number;
        for (const auto& [level, viewers] : levels) {
            lock.unlock();
            const auto begin = Clock::now();
            Packet packet;
            try {
                packet = packet_of(frame, of_number, level, jpeg);
            } catch (const Error& error) { log::error("broadcast: {}", error.what()); }
            const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
            lock.lock();
            counts.encode_ms += (took.count() - counts.encode_ms) / (counts.encode_ms ? 16 : 1);
            for (const int viewer : viewers) {
                const auto found = lines.find(viewer);
                if (found == lines.end()) continue;
                Line& line = found->second;
                line.frame = of_number;
                line.level = level;
                if (!packet.bytes) continue;
                line.pace.sent(of_number, Clock::now());
                counts.sent_bytes += packet.bytes->size();
                ++counts.sent_frames;
                line.add(packet);
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
}

// -- a viewer ----------------------------------------------------------------------------------

Viewer::Viewer(std::shared_ptr<Broadcast> broadcast, int number, int signal)
    : broadcast_{std::move(broadcast)}, number_{number}, signal_{signal} {}

Viewer::~Viewer() {
    leave();
    ::close(signal_);
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
        Broadcast::State& s = *broadcast_->state_;
        const std::lock_guard lock{s.mutex};
        s.handle(number_, std::move(message));
    }
}

void Viewer::leave() {
    Broadcast::State& s = *broadcast_->state_;
    const std::lock_guard lock{s.mutex};
    s.leave(number_);
}

// -- the broadcast --------------------------------------------------------------------------------

Broadcast::Broadcast() : state_{std::make_unique<State>()} {}

std::shared_ptr<Broadcast> Broadcast::make() { return std::shared_ptr<Broadcast>{new Broadcast}; }

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
    line.say(fmt::format("title {}", client::percent_encoded(s.title)));
    if (!s.is_open && s.number != 0) line.say("over");
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
    const bool is_seen = s.number != 0 && !s.is_stale; // resting, the loop sends no other
    s.for_still.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
        return is_seen || s.arrivals > before || (s.number && !s.is_open);
    });
    --s.stills;
    if (s.number == 0) return {};
    const RemoteFrame& frame = s.current; // under the lock: close() waits for it
    ImageData image{frame.width, frame.height, 3, {}};
    image.bytes.reserve(std::size_t(frame.width) * std::size_t(frame.height) * 3);
    for (int y = frame.height - 1; y >= 0; --y)
        for (int x = 0; x < frame.width; ++x) {
            const std::byte* const texel =
                frame.rgba.get() + (std::size_t(y) * std::size_t(frame.width) + std::size_t(x)) * 4;
            image.bytes.insert(image.bytes.end(), texel, texel + 3);
        }
    return image;
}

BroadcastStatus Broadcast::status() const {
    const State& s = *state_;
    const std::lock_guard lock{s.mutex};
    BroadcastStatus status = s.counts;
    status.viewers = int(s.lines.size());
    status.width = s.size.x;
    status.height = s.size.y;
    status.is_open = s.is_open;
    return status;
}

void Broadcast::open(glm::ivec2 size) {
    State& s = *state_;
    const std::lock_guard lock{s.mutex};
    if (s.is_open) throw Error{"a broadcast shows one window at a time"};
    s.is_open = true;
    s.stops = false;
    s.size = size;
    s.encoder = std::thread{[&s] { s.encode_until_stopped(); }};
    if (const auto line = s.lines.find(s.steerer); line != s.lines.end() && line->second.size)
        s.follow(*line->second.size);
}

void Broadcast::close() {
    State& s = *state_;
    s.stop_encoder();
    const std::lock_guard lock{s.mutex};
    s.is_open = false;
    s.incoming.reset();
    if (s.current.rgba) s.current = copy_of(s.current);
    s.events.clear();
    s.held = {};
    s.say_all("over");
    s.for_still.notify_all();
}

std::string Broadcast::description() const {
    const std::lock_guard lock{state_->mutex};
    const std::size_t viewers = state_->lines.size();
    return fmt::format("broadcast to {} viewer{}", viewers, viewers == 1 ? "" : "s");
}

bool Broadcast::wants_frame() {
    const std::lock_guard lock{state_->mutex};
    state_->is_stale = state_->lines.empty() && state_->stills == 0;
    return !state_->is_stale;
}

void Broadcast::show(RemoteFrame frame) {
    {
        const std::lock_guard lock{state_->mutex};
        state_->incoming = std::move(frame);
    }
    state_->for_encoder.notify_all();
}

void Broadcast::resized(glm::ivec2 size) {
    const std::lock_guard lock{state_->mutex};
    state_->size = size;
}

void Broadcast::take_events(std::vector<InputEvent>& events) {
    const std::lock_guard lock{state_->mutex};
    events.insert(events.end(), std::make_move_iterator(state_->events.begin()),
                  std::make_move_iterator(state_->events.end()));
    state_->events.clear();
}

bool Broadcast::wait(double seconds) {
    State& s = *state_;
    std::unique_lock lock{s.mutex};
    return s.for_loop.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
        const bool is_looked_at = !s.lines.empty() || s.stills > 0;
        return !s.events.empty() || (s.is_stale && is_looked_at);
    });
}

float Broadcast::pixel_ratio() const {
    const std::lock_guard lock{state_->mutex};
    return state_->ratio;
}

void Broadcast::set_title(const std::string& title) {
    const std::lock_guard lock{state_->mutex};
    state_->title = title;
    state_->say_all(fmt::format("title {}", client::percent_encoded(title)));
}

void Broadcast::set_cursor(CursorShape shape) {
    const std::lock_guard lock{state_->mutex};
    state_->cursor = shape;
    const auto line = state_->lines.find(state_->steerer);
    if (line != state_->lines.end()) line->second.say(fmt::format("cursor {}", name_of(shape)));
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
