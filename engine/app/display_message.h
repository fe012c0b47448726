// SPDX-License-Identifier: MIT
// What goes over a display line: a head, then values one behind another as they lie in memory. Both
// ends are of one machine and of one version. Private to engine/app.
#pragma once

#include "engine/app/input.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lathe::display {

enum class Call : std::uint32_t {
    greet,
    open,
    close,
    description,
    wants_frame,
    show,
    resized,
    take_events,
    wait,
    pixel_ratio,
    beside,
    forget, ///< the display of a further window
    set_title,
    set_cursor,
    clipboard,
    set_clipboard,
};

/// Before a call's values. An answer has the number of its bytes, and whether it is a problem's
/// words.
struct CallHead {
    Call call{};
    std::int32_t window = 0; ///< 0: the first
    std::uint64_t bytes = 0;
};
struct AnswerHead {
    std::uint64_t is_problem = 0;
    std::uint64_t bytes = 0;
};

/// Frames are the longest.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

class Writer {
public:
    template <class T> Writer& put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* const from = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), from, from + sizeof value);
        return *this;
    }
    Writer& put_text(std::string_view text);
    Writer& put_event(const InputEvent& event);
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Throws lathe::Error where there is less than is taken.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : left_{bytes} {}
    template <class T> T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        std::memcpy(&value, next(sizeof value).data(), sizeof value);
        return value;
    }
    std::string take_text();
    InputEvent take_event();
    std::span<const std::byte> rest() const { return left_; }

private:
    std::span<const std::byte> next(std::uint64_t bytes);
    std::span<const std::byte> left_;
};

/// What the near end says first, and the far end compares with its own: how values lie. Its number
/// grows when calls change.
std::string greeting();

/// False where the other end is gone.
bool send_all(int socket, std::span<const std::byte> bytes);
bool receive_all(int socket, std::span<std::byte> bytes);

} // namespace lathe::display
