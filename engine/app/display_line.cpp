// SPDX-License-Identifier: MIT
// The near end; display_far_end.cpp has the other.
#include "engine/app/display_line.h"

#include "engine/app/display_message.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace lathe {

namespace {

using display::Call;
using display::Reader;
using display::Writer;

/// The socket, and the answer under way.
class Line {
public:
    explicit Line(int socket) : socket_{socket} {}
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line() { ::close(socket_); }

    bool is_broken() const { return is_broken_; }

    /// The answer, until the next call; nothing where the line is broken. Throws lathe::Error for
    /// what the far end refuses.
    std::optional<Reader> call(Call call, int window, const Writer& values = {},
                               std::span<const std::byte> more = {}) {
        const display::CallHead head{call, window, values.bytes().size() + more.size()};
        display::AnswerHead answer;
        const auto send = [&](auto bytes) { return display::send_all(socket_, bytes); };
        if (is_broken_ || !send(std::as_bytes(std::span{&head, 1})) || !send(values.bytes()) ||
            !send(more) ||
            !display::receive_all(socket_, std::as_writable_bytes(std::span{&answer, 1})) ||
            answer.bytes > display::kMostBytes)
            return end();
        answer_.resize(answer.bytes);
        if (!display::receive_all(socket_, answer_)) return end();
        Reader values_of_answer{answer_};
        if (answer.is_problem) throw Error{values_of_answer.take_text()};
        return values_of_answer;
    }

private:
    std::nullopt_t end() {
        if (!std::exchange(is_broken_, true)) log::info("the display is gone: its windows close");
        return std::nullopt;
    }
    int socket_;
    bool is_broken_ = false;
    std::vector<std::byte> answer_;
};

class NearEnd final : public RemoteDisplay {
public:
    NearEnd(std::shared_ptr<Line> line, int window) : line_{std::move(line)}, window_{window} {}
    ~NearEnd() override {
        if (window_ != 0) call_at_end(Call::forget);
    }

    void open(glm::ivec2 size) override { call(Call::open, Writer{}.put(size)); }
    void close() override { call_at_end(Call::close); }
    std::string description() const override {
        auto answer = call(Call::description);
        return answer ? answer->take_text() : "a display that is gone";
    }
    bool wants_frame() override { return answer_of<bool>(Call::wants_frame, false); }
    void show(RemoteFrame frame) override {
        const glm::ivec2 size{frame.width, frame.height};
        const std::size_t bytes = std::size_t(frame.width) * std::size_t(frame.height) * 4;
        line_->call(Call::show, window_, Writer{}.put(size), {frame.rgba.get(), bytes});
    }
    void resized(glm::ivec2 size) override { call(Call::resized, Writer{}.put(size)); }
    void take_events(std::vector<InputEvent>& events) override {
        if (auto answer = call(Call::take_events))
            for (auto left = answer->take<std::uint64_t>(); left > 0; --left)
                events.push_back(answer->take_event());
        else events.emplace_back(CloseEvent{});
    }
    bool wait(double seconds) override {
        return answer_of<bool>(Call::wait, true, Writer{}.put(seconds));
    }
    std::shared_ptr<RemoteDisplay> beside() override {
        const int number = answer_of<int>(Call::beside, 0);
        return number ? std::make_shared<NearEnd>(line_, number) : nullptr;
    }
    float pixel_ratio() const override { return answer_of<float>(Call::pixel_ratio, 1); }
    void set_title(const std::string& title) override {
        call(Call::set_title, Writer{}.put_text(title));
    }
    void set_cursor(CursorShape shape) override { call(Call::set_cursor, Writer{}.put(shape)); }
    std::string clipboard() const override {
        auto answer = call(Call::clipboard);
        return answer ? answer->take_text() : std::string{};
    }
    void set_clipboard(const std::string& text) override {
        call(Call::set_clipboard, Writer{}.put_text(text));
    }

private:
    std::optional<Reader> call(Call what, const Writer& values = {}) const {
        return line_->call(what, window_, values);
    }
    /// Destructors call it.
    void call_at_end(Call what) const noexcept {
        try {
            call(what);
        } catch (const std::exception& error) { log::debug("{}", error.what()); }
    }
    template <class T> T answer_of(Call what, T otherwise, const Writer& values = {}) const {
        auto answer = call(what, values);
        return answer ? answer->take<T>() : otherwise;
    }

    const std::shared_ptr<Line> line_;
    const int window_;
};

} // namespace

std::shared_ptr<RemoteDisplay> connect_display(int socket) {
    auto line = std::make_shared<Line>(socket);
    auto answer = line->call(Call::greet, 0, Writer{}.put_text(display::greeting()));
    if (!answer) throw Error{"the display does not answer"};
    return std::make_shared<NearEnd>(std::move(line), 0);
}

std::shared_ptr<RemoteDisplay> display_of_environment() {
    const char* const given = environment("LATHE_DISPLAY");
    if (!given) return nullptr;
    const std::string text = given;
    ::unsetenv("LATHE_DISPLAY"); // children have displays of their own
    int socket = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), socket);
    if (failed != std::errc{} || *end || ::fcntl(socket, F_SETFD, FD_CLOEXEC) < 0)
        throw Error{fmt::format("LATHE_DISPLAY is no open socket: '{}'", text)};
    return connect_display(socket);
}

} // namespace lathe
