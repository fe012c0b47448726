// SPDX-License-Identifier: MIT
// For programs: #include <lathe/gpu.h>, link lathe::gpu. CUDA without OpenGL: the driver API,
// run-time compilation, launches, arrays.
#pragma once

#include "gpu/array/array.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/reduction.h"
#include "gpu/array/scan.h"
#include "gpu/array/sort.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/device.h"
#include "gpu/event.h"
#include "gpu/graph.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/module.h"
#include "gpu/stream.h"
