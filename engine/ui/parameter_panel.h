// SPDX-License-Identifier: MIT
// A widget for each parameter, by its type and directive. Right-click: reset, copy "name=value".
// Below them are the presets (preset_row.h).
#pragma once

namespace lathe {

class ParameterPresets;
class ParameterSet;
struct Parameter;

class ParameterPanel {
public:
    /// `presets` may be null. Both must outlive the panel.
    explicit ParameterPanel(ParameterSet& parameters, ParameterPresets* presets = nullptr)
        : parameters_{parameters}, presets_{presets} {}

    /// Inside the panel's window.
    void draw();

private:
    void row(Parameter& p);
    bool widget(Parameter& p);

    ParameterSet& parameters_;
    ParameterPresets* presets_;
};

} // namespace lathe
