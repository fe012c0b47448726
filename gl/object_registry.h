// SPDX-License-Identifier: MIT
// What Context and the death of objects share; not for other folders.
#pragma once

#include "engine/core/guarded_memory.h"
#include "gl/object.h"

#include <cstdint>

namespace lathe::gl {

/// Enters a new context; returns its serial.
std::uint32_t register_context();
/// From here on, names of that context are forgotten instead of deleted. The memory of its buffers
/// goes back to the system where `finished` says that GL reads none of it any more.
void unregister_context(std::uint32_t serial, bool finished) noexcept;
/// The buffer's storage, which lives until the buffer is deleted and GL has finished with it.
void keep_memory(Name buffer, GuardedMemory memory);
/// Null where the storage is GL's own.
std::byte* memory_of(Name buffer);
/// Deletes the names given up elsewhere. The context must be current.
void delete_given_up(std::uint32_t serial) noexcept;

} // namespace lathe::gl
