// SPDX-License-Identifier: MIT
// Nine buttons below the sliders, and the keys 1 to 9: values that were saved come back within half
// a second.
#pragma once

namespace lathe {

struct KeyEvent;
class ParameterPresets;

/// Inside a panel. A click recalls a preset, or saves one where none is; with Shift it saves. The
/// menu of the right button: save, recall at once, copy as code, clear.
void draw_presets(ParameterPresets& presets);

/// 1 to 9 recall a preset that was saved, with Shift they save one. True where the key did.
bool handle_preset_key(ParameterPresets& presets, const KeyEvent& key);

} // namespace lathe
