// SPDX-License-Identifier: MIT
// For programs: #include <lathe/studio.h>, link lathe::studio.
#pragma once

#include <lathe/app.h>

#include "engine/ui/studio.h"
