// SPDX-License-Identifier: MIT
// For programs: #include <lathe/app.h>, link lathe::app.
#pragma once

#include "engine/app/app.h"
#include "engine/app/console.h"
#include "engine/app/event_handlers.h"
#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/plots/plots.h"
#include "engine/render/screenshot.h"
