// SPDX-License-Identifier: MIT
// For programs: #include <lathe/gl.h>, link lathe::gl. OpenGL objects without CUDA, and pictures
// without a display.
#pragma once

#include "gl/buffer.h"
#include "gl/framebuffer.h"
#include "gl/guest_context.h"
#include "gl/headless_context.h"
#include "gl/program.h"
#include "gl/query.h"
#include "gl/saved_state.h"
#include "gl/sync.h"
#include "gl/texture.h"
#include "gl/vertex_array.h"
