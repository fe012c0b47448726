// SPDX-License-Identifier: MIT
#include "engine/live/version_history.h"

#include <cstddef>

namespace lathe {

namespace {

constexpr std::size_t kKept = 8;

/// Quick or full: what a fault of one says of the other.
bool same_code(const KernelVersion& a, const KernelVersion& b) {
    return a.loaded == b.loaded || (a.text == b.text && a.key == b.key);
}

} // namespace

void VersionHistory::confirm(const KernelVersion& version) {
    if (!confirmed_.empty() && confirmed_.back().loaded == version.loaded) return;
    if (!confirmed_.empty() && same_code(confirmed_.back(), version)) confirmed_.pop_back();
    confirmed_.push_back(version);
    if (confirmed_.size() > kKept) confirmed_.erase(confirmed_.begin());
}

KernelVersion VersionHistory::reject(const KernelVersion& faulty) {
    std::erase_if(confirmed_, [&](const KernelVersion& v) { return same_code(v, faulty); });
    return confirmed_.empty() ? KernelVersion{} : confirmed_.back();
}

} // namespace lathe
