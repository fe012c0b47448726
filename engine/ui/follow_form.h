// SPDX-License-Identifier: MIT
// A small form that says what a slider follows: a wave, the mouse, keys.
#pragma once

#include "engine/live/follow.h"

#include <string>
#include <vector>

namespace lathe {

class ParameterBindings;
struct Parameter;

class FollowForm {
public:
    /// The bindings must outlive the form.
    explicit FollowForm(ParameterBindings& bindings) : bindings_{bindings} {}

    /// Shows with the next draw() what `p` follows, or could.
    void open(const Parameter& p);
    /// In the panel's window, outside of the rows.
    void draw(const std::vector<Parameter*>& all);

private:
    void take(const Parameter& p);
    std::string target(const Parameter& p) const;
    Follow follow(const Parameter& p) const;
    void component_field(const Parameter& p);
    void source_field(const Parameter& p);
    void wave_fields();
    void range_fields(const Parameter& p);
    void key_fields(const Parameter& p);
    void key_button(const char* label, std::string& key);
    void buttons(const Parameter& p);

    ParameterBindings& bindings_;
    std::string name_; ///< empty: closed
    bool opens_ = false;
    int component_ = 0;
    int source_ = 0; ///< in the order of the list
    Oscillation wave_;
    double low_ = 0, high_ = 1;
    StepKeys keys_{"z", "x", 0};
    SwitchKey switch_{"b", false};
    std::string* listens_ = nullptr; ///< the key that the next press becomes
};

} // namespace lathe
