// SPDX-License-Identifier: MIT
// What a parameter's number becomes where it follows something. Who follows what, and since when,
// is in parameter_bindings.h.
#pragma once

#include "engine/core/api.h"
#include "engine/live/follow.h"
#include "engine/live/parameter.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// A parameter, and which of its components; -1: it is a number.
struct ParameterPlace {
    Parameter* parameter = nullptr;
    int component = -1;
};

/// Names of what can follow something: the parameter's, or those of a vector's components.
LATHE_API std::vector<std::string> names_of_places(const Parameter& p);

double number_at(const ParameterPlace& place);
/// The parameter's value with that number in its place.
ParameterValue with_number(const ParameterPlace& place, double number);

/// Why the place named `target` cannot follow that; empty where it can.
std::string motion_problem(const ParameterPlace& place, std::string_view target,
                           const Follow& follow);

/// Part of the way, 0 to 1, through the range; by factors on a logarithmic slider.
double number_at_part(const Parameter& p, const Follow& follow, double part);
/// So many steps up, or down.
double number_after_steps(const ParameterPlace& place, double step, int steps);

} // namespace lathe
