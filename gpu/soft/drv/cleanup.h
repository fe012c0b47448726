// SPDX-License-Identifier: MIT
// The end of a context: everything that was made in it.
#pragma once

namespace lathe::soft {

class Context;

/// Frees modules, memory, arrays, textures, surfaces, streams, events and graphics resources of
/// the context, whose work must be done. Their handles are invalid afterwards.
void release_objects_of(const Context& context);

} // namespace lathe::soft
