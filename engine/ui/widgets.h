// SPDX-License-Identifier: MIT
// Immediate widgets for scripts: called between Studio::begin_frame and end_frame, each returns
// whether the user changed it in this frame. Where no UI is drawn they return false and leave the
// value alone, so the same script runs headless. Labels name widgets within a panel; text after
// "##" is not shown.
#pragma once

#include "engine/core/api.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::widgets {

/// Opens a panel (docked beside the parameters at first), within another one if need be: `end`
/// goes back to that. Widgets outside any panel land in "Script". Returns whether its inside is
/// visible; `end` is called either way.
LATHE_API bool begin(std::string_view title);
/// `failed`: an error ended it early, so what is left open within it is no misuse.
LATHE_API void end(bool failed = false);

/// A panel as long as it lives; on its end it also closes what was left open within it.
class LATHE_API Panel {
public:
    [[nodiscard]] explicit Panel(std::string_view title);
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;
    ~Panel();

private:
    std::size_t outside_;
    int errors_; ///< under way when it was opened
};

LATHE_API void text(std::string_view text);
/// Dimmed, wrapped text: an explanation.
LATHE_API void hint(std::string_view text);
/// Wrapped text of headings (#, ##), paragraphs, lists (-, 1.), **bold**, `code` and blocks of code
/// (```), each beginning a line. A list item that begins with [x], [!] or [ ] has a green tick, a
/// red cross or an empty box.
LATHE_API void markdown(std::string_view text);
LATHE_API void separator(std::string_view title = {});
/// The panel shows its beginning.
LATHE_API void scroll_to_top();
/// The next widget goes on the same row.
LATHE_API void same_line();

LATHE_API bool button(std::string_view label);
LATHE_API bool checkbox(std::string_view label, bool& value);
LATHE_API bool slider_float(std::string_view label, float& value, float min, float max,
                            const char* format = "%.3f", bool log = false);
LATHE_API bool slider_int(std::string_view label, int& value, int min, int max);
LATHE_API bool drag_float(std::string_view label, float& value, float speed = 0.01f);
LATHE_API bool input_text(std::string_view label, std::string& value);
/// `index` into `items`.
LATHE_API bool combo(std::string_view label, int& index, const std::vector<std::string>& items);
/// Red, green, blue, alpha in 0..1.
LATHE_API bool color(std::string_view label, std::array<float, 4>& rgba);
/// A curve over the widget's width; `height` in pixels at scale 1.
LATHE_API void plot_line(std::string_view label, std::span<const float> values, float height = 80);
/// `fraction` in 0..1.
LATHE_API void progress(float fraction, std::string_view text = {});

/// Closes what a script left open; the studio calls it before its own panels.
LATHE_API void close_open_panels();

} // namespace lathe::widgets
