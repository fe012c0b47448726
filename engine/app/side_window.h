// SPDX-License-Identifier: MIT
// A further window of an App, with views and cameras of its own. It shows arrays of that App where
// they lie, in the frames of that App.
#pragma once

#include "engine/app/window.h"
#include "engine/core/api.h"
#include "engine/render/screenshot.h"
#include "engine/scene/picking.h"
#include "engine/scene/selection.h"
#include "engine/scene/view.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

class App;
struct SideWindowParts;

/// App::open_window() makes it, and keeps it until the App ends. Once it is closed, drawing calls
/// and views still work, and nothing is shown.
class LATHE_API SideWindow {
public:
    explicit SideWindow(std::unique_ptr<SideWindowParts> parts);
    SideWindow(const SideWindow&) = delete;
    SideWindow& operator=(const SideWindow&) = delete;
    ~SideWindow();

    const std::string& title() const;
    /// False once the user or the program has closed it.
    bool is_open() const;
    /// Seen by the next frame.
    void close();
    /// Of the picture, in pixels.
    std::array<int, 2> size() const;

    // -- views: as App has them ----------------------------------------------------------------
    View& view();
    const std::vector<std::shared_ptr<View>>& views();
    const std::vector<std::shared_ptr<View>>& views(int rows, int columns);
    std::vector<std::pair<char, std::shared_ptr<View>>> mosaic(std::string_view letters);
    std::shared_ptr<View> inset(const View& on, const Viewport& within);

    // -- input ---------------------------------------------------------------------------------
    /// Keys, mouse and size; frames are the App's.
    Window& window();
    /// What lies under the mouse. Waits for the device.
    std::optional<Picked> picked();
    /// What the last rectangle of the mouse selected.
    const std::vector<Selected>& selected() const;

    /// The last finished frame, or what has been drawn since. (height, width, 3) uint8, top row
    /// first.
    ImageData screenshot();

private:
    friend class App;
    std::unique_ptr<SideWindowParts> p_;
};

} // namespace lathe
