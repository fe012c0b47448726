// SPDX-License-Identifier: MIT
// How the studio looks: colours, spacing, fonts. Colours are named as they are in the dark look;
// color() and packed() give those of the look that is shown. Sizes are pixels at scale 1 and go
// through px(). Only sources of engine/ui include this header.
#pragma once

#include "engine/ui/ui_state.h"

#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace lathe::theme {

// Colours are 0xRRGGBB.
inline constexpr unsigned kBackground = 0x101216; ///< behind everything, and the picture's surround
inline constexpr unsigned kPanel = 0x181b21;
inline constexpr unsigned kPopup = 0x1f242c;
inline constexpr unsigned kField = 0x242932; ///< frames of widgets
inline constexpr unsigned kFieldHover = 0x2e3540;
inline constexpr unsigned kFieldActive = 0x384150;
inline constexpr unsigned kLine = 0x2a2f39;
inline constexpr unsigned kText = 0xe4e8ef;
inline constexpr unsigned kDim = 0x98a2b3;
inline constexpr unsigned kAccent = 0x58a6e8;
inline constexpr unsigned kGood = 0x5fc48a;
inline constexpr unsigned kWarning = 0xe2b04e;
inline constexpr unsigned kError = 0xf0666e;
inline constexpr unsigned kHazard = 0xb794f6;
inline constexpr unsigned kCostly = 0xf09a58; ///< of numbers that say that work is wasted

inline constexpr float kUiFontSize = 15;
inline constexpr float kSmallFontSize = 13;
inline constexpr float kCodeFontSize = 15;

/// Of the current ImGui context; another one takes effect with the next apply().
Look look();
void set_look(Look look);
/// The colour that stands for a dark look's colour in a light one: the same hue, dark for light.
unsigned in_light(unsigned rgb);

ImVec4 color(unsigned rgb, float alpha = 1);
ImU32 packed(unsigned rgb, float alpha = 1);

/// Pixels on this display for pixels at scale 1, rounded.
float px(float at_scale_one);
float scale();

/// Colours and spacing of the current ImGui context for this scale.
void apply(float scale);
/// Loads the fonts from assets/fonts, else from the system, else ImGui's own.
void load_fonts(float scale);

/// `large_code` grows with the window: it is read from afar.
enum class Font { ui, small, code, large_code };
void push_font(Font font);
void pop_font();

// Small pieces that panels share.

/// Shown while the mouse rests on the last widget.
void tooltip(std::string_view text);
void text(std::string_view text, unsigned rgb = kText);
/// The same at the right end of the room, as numbers of a table stand.
void text_at_right(std::string_view text, unsigned rgb = kText);
/// A quiet heading with space above it.
void heading(std::string_view title);
/// A button of the height of a frame with a drawn symbol; true when clicked.
enum class Symbol { play, pause, step, step_back, reset, record, camera };
bool symbol_button(const char* id, Symbol symbol, const char* tip, bool lit = false);
/// AddRect, whose arguments changed their order between the versions of ImGui.
void outline(ImDrawList& draw, ImVec2 low, ImVec2 high, ImU32 ink, float rounding, float thickness);
/// `y` gives 0 (the bottom) to 1 for each place from 0 to 1.
void curve(ImDrawList& draw, ImVec2 low, ImVec2 high, ImU32 ink, float thickness,
           const std::function<double(double)>& y);
/// A box that lies over panels, as popups do.
void box(ImDrawList& draw, ImVec2 low, ImVec2 high);
/// A window in the middle, over all panels, of this size before px() or a little less than the
/// screen; true where its inside is drawn. end_over_panels() is called either way.
bool begin_over_panels(const char* title, bool& is_open, ImVec2 size);
void end_over_panels();
/// Plots as quiet as the panels (nothing without ImPlot).
void push_plot_style();
void pop_plot_style();
/// A line of values, as wide as the window; `height` before px().
void line_plot(const std::string& id, std::span<const float> values, float height);
/// A round mark of the size of a letter, before a status text.
void dot(unsigned rgb);

} // namespace lathe::theme
