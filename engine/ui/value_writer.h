// SPDX-License-Identifier: MIT
// Values of sliders go into the sources of the kernels that they belong to.
#pragma once

#include <vector>

namespace lathe {

class KernelEditor;
class KernelSlot;
class ParameterBindings;
class ParameterSet;

/// Writes each value that was set as `=value` into its directive, in the editor, where undo takes
/// it back; of each source in one step. The log says which ones, and which have no place.
void write_values(const ParameterSet& parameters, const ParameterBindings* bindings,
                  KernelEditor& editor, const std::vector<KernelSlot*>& slots);

} // namespace lathe
