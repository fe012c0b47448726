// SPDX-License-Identifier: MIT
#include "engine/ui/value_writer.h"

#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/parameter_code.h"
#include "engine/live/parameter_set.h"
#include "engine/ui/kernel_editor.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

namespace lathe {

namespace {

/// Those that were set, among the slot's, unless another slot has taken them.
std::vector<const Parameter*> values_of(const KernelSlot& slot, const ParameterSet& parameters,
                                        std::set<std::string>& taken) {
    std::vector<const Parameter*> values;
    for (const Parameter& declared : slot.parameters()) {
        const Parameter* const p = parameters.find(declared.name);
        if (p && p->touched && taken.insert(p->name).second) values.push_back(p);
    }
    return values;
}

} // namespace

void write_values(const ParameterSet& parameters, KernelEditor& editor,
                  const std::vector<KernelSlot*>& slots) {
    std::set<std::string> taken;
    for (KernelSlot* slot : slots) {
        const auto values = values_of(*slot, parameters, taken);
        if (values.empty()) continue;
        const WrittenValues made = with_values(slot->source(), slot->parameters(), values);
        if (!made.written.empty()) {
            editor.rewrite(*slot, made.source);
            log::info("{}: the source has the values of {}", slot->name(),
                      fmt::join(made.written, ", "));
        }
        if (!made.left.empty())
            log::warning("{}: there is no place of their own for the values of {}", slot->name(),
                         fmt::join(made.left, ", "));
    }
    for (const Parameter* p : parameters.all())
        if (p->touched && !taken.contains(p->name))
            log::warning("{} is the program's own: no kernel's source has a place for it", p->name);
}

} // namespace lathe
