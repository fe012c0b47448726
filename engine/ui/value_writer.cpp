// SPDX-License-Identifier: MIT
#include "engine/ui/value_writer.h"

#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/parameter_code.h"
#include "engine/live/parameter_set.h"
#include "engine/ui/kernel_editor.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace lathe {

namespace {

/// Those among the slot's, which are taken out of `set`.
std::vector<const Parameter*> values_of(const KernelSlot& slot,
                                        std::vector<const Parameter*>& set) {
    std::vector<const Parameter*> values;
    std::erase_if(set, [&](const Parameter* p) {
        const auto& all = slot.parameters();
        const bool is_its = std::any_of(
            all.begin(), all.end(), [&](const Parameter& each) { return each.name == p->name; });
        if (is_its) values.push_back(p);
        return is_its;
    });
    return values;
}

} // namespace

void write_values(const ParameterSet& parameters, const ParameterBindings* bindings,
                  KernelEditor& editor, const std::vector<KernelSlot*>& slots) {
    std::vector<const Parameter*> set = set_parameters(parameters, bindings);
    for (KernelSlot* slot : slots) {
        const auto values = values_of(*slot, set);
        if (values.empty()) continue;
        const WrittenValues made = with_values(slot->source(), slot->parameters(), values);
        if (!made.written.empty()) {
            editor.rewrite(*slot, made.source);
            log::info("{}: the source has the values of {}", slot->name(),
                      fmt::join(made.written, ", "));
        }
        if (!made.left.empty())
            log::warning("{}: not written: {}. Others share the comment, or there is no line for "
                         "one.",
                         slot->name(), fmt::join(made.left, ", "));
    }
    for (const Parameter* p : set)
        log::warning("{} is the program's own: no kernel's source has a place for it", p->name);
}

} // namespace lathe
