// SPDX-License-Identifier: MIT
// What code is to do beside its work, in launches from now on.
#pragma once

#include "gpu/soft/rt/code.h"
#include "gpu/soft/rt/profile.h"
#include "gpu/soft/rt/watch/findings.h"

namespace lathe::soft {

inline Instruments wanted_instruments() {
    return {Profile::instance().is_on(), Findings::instance().kinds() != 0};
}

} // namespace lathe::soft
