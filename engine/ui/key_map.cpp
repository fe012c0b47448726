// SPDX-License-Identifier: MIT
#include "engine/ui/key_map.h"

namespace lathe {

namespace {

constexpr KeyRow kAnywhere[] = {
    {"F1", "shows the keys"},
    {"Ctrl+Enter or F5", "compiles now, without the short wait"},
    {"Ctrl+S", "saves the kernel to its file"},
    {"Ctrl+O", "opens a script, a sketch or a kernel"},
    {"Ctrl+N", "writes a new sketch and opens it"},
    {"Ctrl+P", "saves the picture"},
    {"Ctrl+R", "records a movie, and ends it"},
    {"F2", "goes to the Python prompt below the console"},
    {"F3", "shows the versions of the text, and the way back to one"},
    {"F6", "shows the variable at the cursor after its line, for all threads"},
    {"F8", "goes to the next error or hazard"},
    {"F9", "inspects: off, costs of each line, costs and hazards"},
    {"F10", "shows PTX, then machine code beside the text, line by line"},
    {"F11", "shows the picture alone, and the panels again"},
    {"Shift+F11", "shows the picture with the code over it in large letters, and the panels again"},
    {"Ctrl+Shift+F", "finds in all tabs"},
    {"Esc", "cancels a kernel that takes too long; goes on without one that takes long to compile"},
    {"Ctrl+click on a slider", "lets you type a number"},
    {"right click on a slider", "has a menu: reset, copy, let it follow a wave, the mouse or keys"},
};

constexpr KeyRow kOutside[] = {
    {"Space", "pauses and goes on"},
    {". (the full stop)", "makes one step"},
    {", (the comma)", "goes one step back"},
    {"R", "resets"},
    {"Shift and a digit", "saves the sliders' values as preset 1 to 9"},
    {"a digit", "brings a preset back within half a second"},
};

constexpr KeyRow kPicture[] = {
    {"drag with the left button", "moves a picture, or turns a scene with three dimensions"},
    {"drag with the right button", "moves a scene with three dimensions"},
    {"wheel", "zooms"},
    {"double click on a thing in space", "shows all of it"},
    {"Home", "shows all of the view under the mouse"},
    {"C", "copies its camera as a line of Python"},
    {"W, S, A, D, E and Q", "move a flying camera"},
    {"drag with Shift and Ctrl", "selects what lies in the rectangle, for the script"},
    {"F7", "follows the thread that wrote what is under the mouse"},
};

constexpr KeyRow kWords[] = {
    {"Ctrl+Space", "offers words that continue the one at the cursor"},
    {"Tab or Enter, in that list", "takes the word"},
    {"Esc", "closes the list, then the line of a call's parameters"},
    {"Ctrl+Shift+Space", "shows the parameters of the call at the cursor"},
    {"mouse at rest on a word", "tells what the word is"},
    {"F12, or Ctrl+click on a word", "goes to where it is declared"},
};

constexpr KeyRow kEditor[] = {
    {"drag on a number with Ctrl", "moves the number, and the picture with it"},
    {"Alt+Up and Alt+Down", "the same for the number at the cursor, else moves the line"},
    {"Ctrl+Z and Ctrl+Y", "take a change back, and make it again"},
    {"Ctrl+F and Ctrl+G", "find in this text, and the next place"},
    {"Ctrl+D", "selects the next place of what is selected, too"},
    {"Ctrl+/", "makes lines comments, and text again"},
    {"Ctrl+[ and Ctrl+]", "move lines to the left and to the right"},
    {"Ctrl+Shift+K", "removes lines"},
    {"Ctrl+Shift+[ and Ctrl+Shift+]", "fold the brackets around the cursor, and show them again"},
    {"Ctrl+Alt+[ and Ctrl+Alt+]", "fold all that is in braces, and show it again"},
};

constexpr KeyRow kFind[] = {
    {"Up and Down", "choose a hit"},
    {"Enter", "goes to it"},
    {"F4 and Shift+F4", "go to the next hit and to the one before"},
    {"Esc", "closes the list"},
};

constexpr KeyRow kPrompt[] = {
    {"Enter", "runs the line between two frames"},
    {"Tab", "completes a name; twice, lists the names"},
    {"Up and Down", "bring lines back"},
};

constexpr KeyRow kThread[] = {
    {"Up and Down", "go from step to step"},
    {"Page Up and Page Down", "go ten steps"},
    {"Home and End", "go to the first step and to the last one"},
    {"Ctrl+Down and Ctrl+Up", "go over what a line calls, on and back"},
    {"Enter and Shift+Enter", "go to the next mark and to the one before"},
    {"right click on a line's number", "marks it, with a condition; also in the editor"},
    {"Ctrl+Right and Ctrl+Left", "show the next lane of the warp and the one before"},
};

constexpr KeyGroup kGroups[] = {
    {"Anywhere", kAnywhere},           {"Outside of text fields", kOutside},
    {"Over the picture", kPicture},    {"In the editor: words", kWords},
    {"In the editor: text", kEditor},  {"In the list of Ctrl+Shift+F", kFind},
    {"In the Python prompt", kPrompt}, {"In the panel Thread", kThread},
};

} // namespace

std::span<const KeyGroup> key_map() { return kGroups; }

} // namespace lathe
