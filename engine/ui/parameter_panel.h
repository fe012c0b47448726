// SPDX-License-Identifier: MIT
// A widget for each parameter, by its type and directive. Right-click: reset, copy "name=value",
// what it follows (follow_form.h). Below them are the presets (preset_row.h).
#pragma once

#include "engine/ui/follow_form.h"

#include <optional>
#include <vector>

namespace lathe {

class ParameterBindings;
class ParameterPresets;
class ParameterSet;
struct Parameter;
struct ParameterBinding;

class ParameterPanel {
public:
    /// `presets` and `bindings` may be null. All must outlive the panel.
    explicit ParameterPanel(ParameterSet& parameters, ParameterPresets* presets = nullptr,
                            ParameterBindings* bindings = nullptr);

    /// Inside the panel's window.
    void draw();

private:
    bool is_changed() const;
    void row(Parameter& p);
    void menu(Parameter& p, const std::vector<const ParameterBinding*>& bound);

    ParameterSet& parameters_;
    ParameterPresets* presets_;
    ParameterBindings* bindings_;
    std::optional<FollowForm> form_; ///< where there are bindings
};

} // namespace lathe
