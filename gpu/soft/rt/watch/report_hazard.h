// SPDX-License-Identifier: MIT
// Findings in words: who, where, what happened, and what mends it.
#pragma once

#include "gpu/soft/rt/watch/findings.h"
#include "gpu/soft/rt/watch/race_rules.h"
#include "gpu/soft/rt/watch/site.h"

#include <array>
#include <optional>

namespace lathe::soft {

struct Launch;

Finding race_finding(const Launch& launch, const std::array<std::uint32_t, 3>& block,
                     const Race& race, const WatchSite& now, std::uint32_t hazard,
                     std::uint64_t address, std::uint64_t shared);
Finding unwritten_finding(const Launch& launch, const std::array<std::uint32_t, 3>& block,
                          std::uint32_t thread, const WatchSite& site, std::uint32_t hazard,
                          std::uint64_t address, std::uint64_t shared);
/// Two threads at one barrier by different calls; nothing where these are one line.
std::optional<Finding> apart_finding(const Launch& launch,
                                     const std::array<std::uint32_t, 3>& block,
                                     std::uint32_t first_thread, std::uintptr_t first_pc,
                                     std::uint32_t second_thread, std::uintptr_t second_pc);

} // namespace lathe::soft
