// SPDX-License-Identifier: MIT
// A window's display that is elsewhere: behind a network, in a notebook. Frames go to it without
// the loop waiting for them, and what its user does comes from it. engine/broadcast has one.
#pragma once

#include "engine/app/input.h"
#include "engine/app/window.h"
#include "engine/core/api.h"

#include <glm/vec2.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lathe {

/// A picture, which OpenGL leaves alone as long as somebody holds it. There are few of them: who
/// holds one for long keeps the newer ones from coming.
struct RemoteFrame {
    int width = 0, height = 0;
    std::shared_ptr<const std::byte> rgba{}; ///< 8-bit texels, the bottom row first
};

/// The thread of the window's App calls all of it.
class LATHE_API RemoteDisplay {
public:
    RemoteDisplay() = default;
    RemoteDisplay(const RemoteDisplay&) = delete;
    RemoteDisplay& operator=(const RemoteDisplay&) = delete;
    virtual ~RemoteDisplay() = default;

    /// A window has opened, and has so many pixels.
    virtual void open(glm::ivec2 size) = 0;
    /// It closes. When this returns the display holds no frame.
    virtual void close() = 0;
    /// "broadcast to 2 viewers", for status texts.
    virtual std::string description() const = 0;

    /// Asked once a frame: somebody looks, so it is read back.
    virtual bool wants_frame() = 0;
    /// Takes the newest frame, and does not wait.
    virtual void show(RemoteFrame frame) = 0;
    /// The window has another size now.
    virtual void resized(glm::ivec2 size) = 0;

    /// Appends what its user did since the last call; a ResizeEvent asks for a size.
    virtual void take_events(std::vector<InputEvent>& events) = 0;
    /// Until there are events, or somebody wants to see a frame that was not read back: then true.
    virtual bool wait(double seconds) = 0;
    /// Pixels of a frame for each unit that its user's screen counts in.
    virtual float pixel_ratio() const = 0;

    /// The display of a further window of the App, which waits for none of its own; null: that one
    /// is not seen.
    virtual std::shared_ptr<RemoteDisplay> beside() { return nullptr; }

    virtual void set_title(const std::string& title) = 0;
    virtual void set_cursor(CursorShape shape) = 0;
    /// Its user's, as far as it is known here.
    virtual std::string clipboard() const = 0;
    virtual void set_clipboard(const std::string& text) = 0;
};

} // namespace lathe
