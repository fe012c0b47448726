// SPDX-License-Identifier: MIT
// The widget of one parameter: slider, drag field, check box, list or colour.
#pragma once

namespace lathe {

struct Parameter;

/// As wide as the next item's width says; its id is "##v". True where it changed the value, which
/// fits the parameter.
bool edit_parameter(Parameter& p);

} // namespace lathe
