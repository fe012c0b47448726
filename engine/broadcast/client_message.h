// SPDX-License-Identifier: MIT
// What the page of a broadcast says, a line each: a word, then numbers or one percent-encoded text.
//
//   size WIDTH HEIGHT RATIO     pixels of the picture's place; pixels for each unit of its screen
//   key KEY down|up|repeat MODIFIERS
//   button left|right|middle down|up MODIFIERS
//   move X Y                    pixels from the top left corner
//   wheel X Y                   lines, positive to the left and up
//   text TEXT                   typed
//   paste TEXT                  the clipboard of the page's machine
//   focus in|out
//   file BYTES NAME             comes next, in messages that are no text
//   drop                        lets go of the files that came, where the mouse is
//   shown NUMBER                the frame stands on the screen
//   codec jpeg|h264             what the page can show; jpeg at first, and it can in any case
//   pong NUMBER                 the answer to a ping
//   name TEXT                   of who looks
//   look WINDOW                 sees this window of the App; 0: the first
//   close                       the window that it sees, if it is not the first
//   ask                         to steer
//   give VIEWER                 who steers lets that viewer steer
//
// KEY and MODIFIERS are numbers as of engine/app/input.h.
#pragma once

#include "engine/app/input.h"
#include "engine/core/api.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace lathe {

/// Bytes that a message may have; a longer one is refused.
inline constexpr std::size_t kLongestClientMessage = 1 << 20;

namespace client {

struct Size {
    int width = 0, height = 0;
    float ratio = 1;
};
struct Paste {
    std::string text;
};
/// Typed at once: one character, a composed word.
struct Typed {
    std::u32string text;
};
struct File {
    std::uint64_t bytes = 0;
    std::string name;
};
struct Drop {};
struct Shown {
    std::uint32_t frame = 0;
};
struct Codec {
    bool shows_video = false;
};
struct Pong {
    std::uint32_t number = 0;
};
struct Name {
    std::string text;
};
struct Look {
    int window = 0;
};
struct Ask {};
struct Give {
    int viewer = 0;
};
using Message =
    std::variant<KeyEvent, ButtonEvent, MoveEvent, WheelEvent, FocusEvent, Typed, Size, Paste, File,
                 Drop, Shown, Codec, Pong, Name, Look, CloseEvent, Ask, Give>;

/// Reads one line. Throws lathe::Error that quotes what is wrong.
LATHE_API Message parse(std::string_view line);

/// `text` with every byte that is no letter, digit or one of "-_.~" as %XX.
LATHE_API std::string percent_encoded(std::string_view text);

} // namespace client
} // namespace lathe
