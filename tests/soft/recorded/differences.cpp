// SPDX-License-Identifier: MIT
// Cases in which GPUs and the software device may differ, each with its reason. An entry is a
// case's name, or its beginning and a star. `test_recorded` fails for an entry that no longer
// differs.
#include "tests/soft/recorded/compare.h"

namespace lathe::recorded {
namespace {

struct Known {
    const char *pattern, *reason;
};

const std::vector<Known> kKnown = {};

} // namespace

const char* known_difference(const std::string& name) {
    for (const Known& known : kKnown)
        if (matches(known.pattern, name)) return known.reason;
    return nullptr;
}

std::vector<std::string> known_difference_patterns() {
    std::vector<std::string> patterns;
    for (const Known& known : kKnown) patterns.emplace_back(known.pattern);
    return patterns;
}

} // namespace lathe::recorded
