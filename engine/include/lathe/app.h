// SPDX-License-Identifier: MIT
// For programs: #include <lathe/app.h>, link lathe::app.
#pragma once

#include "engine/app/app.h"
