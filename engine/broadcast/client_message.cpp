// SPDX-License-Identifier: MIT
#include "engine/broadcast/client_message.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace lathe::client {

namespace {

constexpr int kLeastSide = 16, kMostSide = 8192;
constexpr float kFarthest = 1e6f; ///< pixels and lines; the mouse may leave the picture
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestPath = 4096;
constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 53; ///< what a page can count

[[noreturn]] void refuse(std::string_view line, std::string_view why) {
    constexpr std::size_t kQuoted = 60;
    std::string quoted;
    for (const char c : line.substr(0, kQuoted))
        quoted += c >= ' ' && c < 127 ? std::string{c} : fmt::format("\\x{:02x}", c & 0xff);
    throw Error{fmt::format("message '{}{}': {}", quoted, line.size() > kQuoted ? "…" : "", why)};
}

/// The words of a line, one after another.
class Words {
public:
    explicit Words(std::string_view line) : line_{line}, rest_{line} {}

    std::string_view next(std::string_view what) {
        const auto end = rest_.find(' ');
        const std::string_view word = rest_.substr(0, end);
        if (word.empty()) refuse(line_, fmt::format("{} is missing", what));
        rest_ = end == rest_.npos ? std::string_view{} : rest_.substr(end + 1);
        return word;
    }
    template <class T> T number(std::string_view what, T least, T most) {
        const std::string_view word = next(what);
        T value{};
        const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (failed != std::errc{} || end != word.data() + word.size())
            refuse(line_, fmt::format("{} is no number", what));
        if (!(value >= least && value <= most)) // NaN is in no range
            refuse(line_, fmt::format("{} is {} to {}", what, least, most));
        return value;
    }
    std::size_t one_of(std::string_view what, std::initializer_list<std::string_view> choices) {
        const std::string_view word = next(what);
        std::size_t at = 0;
        for (const std::string_view choice : choices) {
            if (word == choice) return at;
            ++at;
        }
        refuse(line_, fmt::format("{} is one of {}", what, fmt::join(choices, ", ")));
    }
    std::string text() {
        std::string text;
        const std::string_view word = std::exchange(rest_, {});
        for (std::size_t k = 0; k < word.size(); ++k) {
            if (word[k] != '%') {
                if (word[k] <= ' ' || word[k] == 127) refuse(line_, "the text is not encoded");
                text += word[k];
                continue;
            }
            unsigned byte = 0;
            const char* const from = word.data() + k + 1;
            if (k + 2 >= word.size() || std::from_chars(from, from + 2, byte, 16).ptr != from + 2)
                refuse(line_, "% wants two hexadecimal digits");
            text += char(byte);
            k += 2;
        }
        return text;
    }
    void end() const {
        if (!rest_.empty()) refuse(line_, "there is too much");
    }
    std::string_view line() const { return line_; }

private:
    std::string_view line_, rest_;
};

/// Characters of UTF-8; nothing where it is none.
std::optional<std::u32string> decoded(std::string_view bytes) {
    std::u32string text;
    for (std::size_t k = 0; k < bytes.size();) {
        const auto first = static_cast<unsigned char>(bytes[k]);
        const std::size_t more = first < 0x80   ? 0
                                 : first < 0xc2 ? 4 // a continuation, or longer than it need be
                                 : first < 0xe0 ? 1
                                 : first < 0xf0 ? 2
                                 : first < 0xf5 ? 3
                                                : 4;
        if (more == 4 || k + more >= bytes.size()) return {};
        char32_t c = more == 0 ? first : first & (0x3fu >> more);
        for (std::size_t i = 1; i <= more; ++i) {
            const auto next = static_cast<unsigned char>(bytes[k + i]);
            if ((next & 0xc0) != 0x80) return {};
            c = c << 6 | (next & 0x3fu);
        }
        constexpr std::array<char32_t, 4> kLeast{0, 0x80, 0x800, 0x10000};
        if (c < kLeast.at(more) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return {};
        text += c;
        k += more + 1;
    }
    return text;
}

unsigned modifiers_of(Words& words) {
    return words.number("the modifiers", 0u, unsigned{kShift | kControl | kAlt | kSuper});
}

bool is_unknown(int key) { return key < 0 || key >= kKeyCount; }

Message key_of(Words& words) {
    const int key = words.number("the key", -1, kKeyCount - 1);
    const std::size_t action = words.one_of("what the key does", {"down", "up", "repeat"});
    return KeyEvent{is_unknown(key) ? Key::unknown : Key(key), action != 1, action == 2,
                    modifiers_of(words)};
}

Message button_of(Words& words) {
    ButtonEvent event;
    event.button = MouseButton(words.one_of("the button", {"left", "right", "middle"}));
    event.down = words.one_of("what the button does", {"down", "up"}) == 0;
    event.modifiers = modifiers_of(words);
    return event;
}

glm::vec2 pair_of(Words& words) {
    const float x = words.number("x", -kFarthest, kFarthest);
    return {x, words.number("y", -kFarthest, kFarthest)};
}

Message size_of(Words& words) {
    Size size;
    size.width = words.number("the width", kLeastSide, kMostSide);
    size.height = words.number("the height", kLeastSide, kMostSide);
    size.ratio = words.number("the ratio", 0.25f, 8.0f);
    return size;
}

std::string short_name(Words& words) {
    std::string name = words.text();
    if (name.size() > kLongestName || !decoded(name)) refuse(words.line(), "a name is short text");
    for (const char c : name)
        if (static_cast<unsigned char>(c) < ' ') refuse(words.line(), "a name is one line");
    return name;
}

Message typed(Words& words) {
    auto text = decoded(words.text());
    if (!text) refuse(words.line(), "the text is no UTF-8");
    return Typed{std::move(*text)};
}

Message pasted(Words& words) {
    std::string text = words.text();
    if (!decoded(text)) refuse(words.line(), "the text is no UTF-8");
    return Paste{std::move(text)};
}

Message file_of(Words& words) {
    File file;
    file.bytes = words.number("the size", std::uint64_t{0}, kMostFileBytes);
    file.name = words.text();
    if (file.name.size() > kLongestPath || !decoded(file.name))
        refuse(words.line(), "a file's name is text");
    return file;
}

constexpr auto kMostNumber = std::uint32_t(-1);

} // namespace

Message parse(std::string_view line) {
    if (line.size() > kLongestClientMessage) refuse(line, "it is too long");
    Words words{line};
    const std::string_view kind = words.next("the word");
    const auto read = [&]() -> Message {
        if (kind == "key") return key_of(words);
        if (kind == "button") return button_of(words);
        if (kind == "move") return MoveEvent{pair_of(words)};
        if (kind == "wheel") return WheelEvent{pair_of(words)};
        if (kind == "text") return typed(words);
        if (kind == "paste") return pasted(words);
        if (kind == "focus") return FocusEvent{words.one_of("the focus", {"out", "in"}) == 1};
        if (kind == "file") return file_of(words);
        if (kind == "drop") return Drop{};
        if (kind == "size") return size_of(words);
        if (kind == "shown") return Shown{words.number("the frame", 0u, kMostNumber)};
        if (kind == "codec") return Codec{words.one_of("the codec", {"jpeg", "h264"}) == 1};
        if (kind == "pong") return Pong{words.number("the number", 0u, kMostNumber)};
        if (kind == "name") return Name{short_name(words)};
        if (kind == "look") return Look{words.number("the window", 0, 1 << 30)};
        if (kind == "close") return CloseEvent{};
        if (kind == "ask") return Ask{};
        if (kind == "give") return Give{words.number("the viewer", 1, 1 << 30)};
        refuse(line, "it is not known");
    };
    Message message = read();
    words.end();
    return message;
}

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                              c == '~';
        if (is_plain) encoded += c;
        else encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

} // namespace lathe::client
