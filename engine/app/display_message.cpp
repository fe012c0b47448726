// SPDX-License-Identifier: MIT
#include "engine/app/display_message.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <sys/types.h>

namespace lathe::display {

namespace {

template <std::size_t... At>
InputEvent event_of(std::size_t kind, Reader& from, std::index_sequence<At...>) {
    InputEvent event;
    const auto take = [&]<std::size_t K>() {
        using Event = std::variant_alternative_t<K, InputEvent>;
        if (kind != K) return;
        if constexpr (std::is_same_v<Event, DropEvent>) {
            DropEvent drop;
            for (auto left = from.take<std::uint64_t>(); left > 0; --left)
                drop.files.emplace_back(from.take_text());
            event = std::move(drop);
        } else {
            event = from.take<Event>();
        }
    };
    (take.template operator()<At>(), ...);
    return event;
}

template <std::size_t... At> std::string sizes(std::index_sequence<At...>) {
    std::string text;
    ((text += fmt::format(" {}", sizeof(std::variant_alternative_t<At, InputEvent>))), ...);
    return text;
}

constexpr std::make_index_sequence<std::variant_size_v<InputEvent>> kEvents;

} // namespace

Writer& Writer::put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    const auto bytes = std::as_bytes(std::span{text});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
}

Writer& Writer::put_event(const InputEvent& event) {
    put(std::uint64_t{event.index()});
    std::visit(
        [this](const auto& e) {
            if constexpr (std::is_same_v<std::decay_t<decltype(e)>, DropEvent>) {
                put(std::uint64_t{e.files.size()});
                for (const auto& file : e.files) put_text(file.native());
            } else {
                put(e);
            }
        },
        event);
    return *this;
}

std::span<const std::byte> Reader::next(std::uint64_t bytes) {
    if (bytes > left_.size()) throw Error{"a message of a display ends too early"};
    const auto taken = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return taken;
}

std::string Reader::take_text() {
    const auto bytes = next(take<std::uint64_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

InputEvent Reader::take_event() {
    const auto kind = take<std::uint64_t>();
    if (kind >= std::variant_size_v<InputEvent>)
        throw Error{fmt::format("a display has no event {}", kind)};
    return event_of(kind, *this, kEvents);
}

std::string greeting() { return "lathe display 1, events" + sizes(kEvents); }

bool send_all(int socket, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(std::size_t(sent));
    }
    return true;
}

bool receive_all(int socket, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes = bytes.subspan(std::size_t(got));
    }
    return true;
}

} // namespace lathe::display
