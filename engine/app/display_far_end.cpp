// SPDX-License-Identifier: MIT
// The end of a display line that has the display.
#include "engine/app/display_line.h"
#include "engine/app/display_message.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace lathe {

namespace {

using display::Call;
using display::Reader;
using display::Writer;

constexpr double kLongestWait = 1; // seconds: the near end waits again

class FarEnd {
public:
    FarEnd(RemoteDisplay& first, int socket) : socket_{socket} {
        windows_[0].display = {&first, [](RemoteDisplay*) {}};
    }
    FarEnd(const FarEnd&) = delete;
    FarEnd& operator=(const FarEnd&) = delete;
    ~FarEnd() {
        for (auto& [number, window] : windows_) close(window);
    }

    void run() {
        display::CallHead head;
        while (display::receive_all(socket_, std::as_writable_bytes(std::span{&head, 1}))) {
            if (head.bytes > display::kMostBytes) throw Error{"a call of a display is too long"};
            // A frame keeps its memory.
            const std::shared_ptr<std::byte> values{new std::byte[head.bytes],
                                                    std::default_delete<std::byte[]>{}};
            if (!display::receive_all(socket_, {values.get(), head.bytes})) return;
            if (!answer(head, values)) return;
        }
    }

private:
    struct Window {
        std::shared_ptr<RemoteDisplay> display{};
        bool is_open = false;
    };

    bool answer(const display::CallHead& head, const std::shared_ptr<std::byte>& values) {
        Writer answer;
        bool is_problem = false;
        try {
            Reader from{{values.get(), head.bytes}};
            carry_out(head, from, values, answer);
        } catch (const std::exception& error) {
            is_problem = true;
            answer = Writer{}.put_text(error.what());
        }
        const display::AnswerHead answer_head{is_problem, answer.bytes().size()};
        return display::send_all(socket_, std::as_bytes(std::span{&answer_head, 1})) &&
               display::send_all(socket_, answer.bytes());
    }

    void carry_out(const display::CallHead& head, Reader& from,
                   const std::shared_ptr<std::byte>& values, Writer& answer) {
        if (head.call == Call::greet) {
            if (const std::string said = from.take_text(); said != display::greeting())
                throw Error{"the program is built with another version of Lathe than the one that "
                            "shows it"};
            is_greeted_ = true;
            return;
        }
        const auto found = windows_.find(head.window);
        if (!is_greeted_ || found == windows_.end())
            throw Error{fmt::format("a display has no window {}", head.window)};
        Window& window = found->second;
        RemoteDisplay& to = *window.display;
        switch (head.call) {
        case Call::greet: break;
        case Call::open:
            to.open(from.take<glm::ivec2>());
            window.is_open = true;
            break;
        case Call::close: close(window); break;
        case Call::forget:
            close(window);
            if (head.window != 0) windows_.erase(found);
            break;
        case Call::description: answer.put_text(to.description()); break;
        case Call::wants_frame: answer.put(to.wants_frame()); break;
        case Call::show: show(window, from, values); break;
        case Call::resized: to.resized(from.take<glm::ivec2>()); break;
        case Call::take_events: take_events(to, answer); break;
        case Call::wait:
            answer.put(to.wait(std::clamp(from.take<double>(), 0.0, kLongestWait)));
            break;
        case Call::pixel_ratio: answer.put(to.pixel_ratio()); break;
        case Call::beside: answer.put(beside(to)); break;
        case Call::set_title: to.set_title(from.take_text()); break;
        case Call::set_cursor: to.set_cursor(from.take<CursorShape>()); break;
        case Call::clipboard: answer.put_text(to.clipboard()); break;
        case Call::set_clipboard: to.set_clipboard(from.take_text()); break;
        default: throw Error{fmt::format("a display has no call {}", unsigned(head.call))};
        }
    }

    static void show(Window& window, Reader& from, const std::shared_ptr<std::byte>& values) {
        const auto size = from.take<glm::ivec2>();
        const std::span<const std::byte> texels = from.rest();
        if (size.x <= 0 || size.y <= 0 ||
            std::uint64_t(size.x) * std::uint64_t(size.y) * 4 != texels.size())
            throw Error{
                fmt::format("a frame of {}x{} pixels has {} bytes", size.x, size.y, texels.size())};
        if (window.is_open) window.display->show({size.x, size.y, {values, texels.data()}});
    }

    static void take_events(RemoteDisplay& from, Writer& answer) {
        std::vector<InputEvent> events;
        from.take_events(events);
        answer.put(std::uint64_t{events.size()});
        for (const InputEvent& event : events) answer.put_event(event);
    }

    int beside(RemoteDisplay& first) {
        auto display = first.beside();
        if (!display) return 0;
        windows_[++newest_].display = std::move(display);
        return newest_;
    }

    static void close(Window& window) {
        if (std::exchange(window.is_open, false)) window.display->close();
    }

    const int socket_;
    std::map<int, Window> windows_;
    int newest_ = 0;
    bool is_greeted_ = false;
};

} // namespace

void carry_display(RemoteDisplay& display, int socket) {
    try {
        FarEnd{display, socket}.run();
    } catch (const std::exception& error) { log::error("{}", error.what()); }
}

} // namespace lathe
