// SPDX-License-Identifier: MIT
// Forward declarations of the GL wrappers. The wrappers speak GL 4.5 core with direct state
// access; none of these headers includes a GL header, names are plain `unsigned`.
#pragma once

namespace lathe::gl {

class Buffer;
class Context;
class Error;
class Framebuffer;
class HeadlessContext;
class Program;
class Query;
class Texture;
class VertexArray;
struct Info;

} // namespace lathe::gl
