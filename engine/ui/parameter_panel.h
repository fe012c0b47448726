// SPDX-License-Identifier: MIT
// A widget for each parameter, by its type and directive; members of structures are a tree.
// Right-click: reset, copy "name=value", what it follows (follow_form.h). Below them are the
// presets (preset_row.h).
#pragma once

#include "engine/ui/follow_form.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
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

    /// Into the sources of the kernels (value_writer.h); empty: there is no such thing.
    std::function<void()> write_values;

    /// Inside the panel's window.
    void draw();

private:
    bool is_changed() const;
    void copy_menu();
    float widest_name(const std::vector<Parameter*>& shown) const;
    /// Of names that have a beginning of `prefix` letters in common.
    void rows(std::span<Parameter* const> parameters, std::size_t prefix);
    void node(const std::string& name, std::span<Parameter* const> members, std::size_t prefix);
    void row(Parameter& p, std::string_view label);
    void menu(Parameter& p, const std::vector<const ParameterBinding*>& bound);
    void reset(const std::string& name);
    void say();

    ParameterSet& parameters_;
    ParameterPresets* presets_;
    ParameterBindings* bindings_;
    std::optional<FollowForm> form_; ///< where there are bindings
    std::set<std::string> unsaid_;   ///< names
};

} // namespace lathe
