// SPDX-License-Identifier: MIT
// From a type as the compiler knows it to the parameters that its value is made of: one for a
// number or a vector, one for each member of a structure, however deep: "light.color",
// "lights[1].x", "weights[0]".
#pragma once

#include "engine/live/directive.h"
#include "engine/live/parameter.h"
#include "gpu/ptx/dwarf.h"

#include <optional>
#include <vector>

namespace lathe {

/// Of a kernel's parameter. `given` may be null. Nothing for what sliders cannot make: pointers,
/// unions, bit fields, structures with bases, those of more than 64 numbers, textures; nor for a
/// plain integer or a vector of them without `given`. Members need no directive.
std::vector<Parameter> parameters_of_type(const ptx::ParameterType& type, const Directive* given,
                                          const SourceDirectives& directives);

} // namespace lathe
