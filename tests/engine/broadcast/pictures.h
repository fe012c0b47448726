// SPDX-License-Identifier: MIT
// Pictures for tests of broadcasts, and what a viewer sees of them.
#pragma once

#include "engine/app/remote_display.h"
#include "engine/broadcast/broadcast.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <poll.h>

namespace lathe::test {

struct Rgb {
    int red, green, blue;
};

/// A picture whose left half has one colour and whose right half another; the bottom row is black.
inline RemoteFrame halves(int width, int height, Rgb left, Rgb right) {
    const std::size_t bytes = std::size_t(width) * std::size_t(height) * 4;
    const std::shared_ptr<std::byte> texels{new std::byte[bytes],
                                            std::default_delete<std::byte[]>{}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const Rgb c = y == 0 ? Rgb{0, 0, 0} : x < width / 2 ? left : right;
            const unsigned char texel[4] = {static_cast<unsigned char>(c.red),
                                            static_cast<unsigned char>(c.green),
                                            static_cast<unsigned char>(c.blue), 255};
            std::memcpy(texels.get() + (std::size_t(y) * std::size_t(width) + std::size_t(x)) * 4,
                        texel, 4);
        }
    return {width, height, texels};
}

/// A JPEG file as stb_image reads it: another decoder than the encoder's.
struct Decoded {
    explicit Decoded(std::string_view jpeg);
    /// From the top left corner.
    Rgb at(int x, int y) const {
        const unsigned char* const t =
            rgb.data() + (std::size_t(y) * std::size_t(width) + std::size_t(x)) * 3;
        return {t[0], t[1], t[2]};
    }
    int width = 0, height = 0;
    std::vector<unsigned char> rgb;
};

struct Frame {
    std::uint32_t number = 0;
    int width = 0, height = 0; ///< of the window
    std::string jpeg;          ///< or H.264, by the codec
    int codec = 0;             ///< 0 JPEG, 1 H.264, 2 the first of its stream
};

inline Frame frame_of(const std::string& packet) {
    const auto number = [&](std::size_t at, int bytes) {
        std::uint32_t value = 0;
        for (int k = bytes; k-- > 0;)
            value = value << 8 | static_cast<unsigned char>(packet.at(at + std::size_t(k)));
        return value;
    };
    return {number(4, 4), int(number(8, 2)), int(number(10, 2)), packet.substr(16),
            int(number(1, 1))};
}

/// A page that shows what it gets.
class Page {
public:
    explicit Page(std::shared_ptr<Viewer> line) : viewer{std::move(line)} {}

    /// Takes what comes within so long; answers if it is a good page.
    bool take(int milliseconds) {
        pollfd ready{viewer->signal(), POLLIN, 0};
        if (::poll(&ready, 1, milliseconds) != 1) return false;
        for (const Packet& packet : viewer->take()) {
            if (packet.is_text) words.push_back(*packet.bytes);
            else {
                frames.push_back(frame_of(*packet.bytes));
                if (answers) say("shown " + std::to_string(frames.back().number));
            }
        }
        return true;
    }
    /// True once `is_done`; false after 10 s.
    template <class Done> bool take_until(const Done& is_done) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        while (!is_done()) {
            if (std::chrono::steady_clock::now() > end) return false;
            take(10);
        }
        return true;
    }
    bool has(std::string_view text) const {
        for (const std::string& each : words)
            if (each == text) return true;
        return false;
    }
    void say(std::string_view lines) { viewer->receive(lines); }

    std::shared_ptr<Viewer> viewer;
    std::vector<std::string> words;
    std::vector<Frame> frames;
    bool answers = true;
};

} // namespace lathe::test
