// SPDX-License-Identifier: MIT
// A widget for each parameter, by its type and directive. Right-click: reset, copy "name=value".
#pragma once

namespace lathe {

class ParameterSet;
struct Parameter;

class ParameterPanel {
public:
    explicit ParameterPanel(ParameterSet& parameters) : parameters_{parameters} {}

    /// Inside the panel's window.
    void draw();

private:
    void row(Parameter& p);
    bool widget(Parameter& p);

    ParameterSet& parameters_;
};

} // namespace lathe
