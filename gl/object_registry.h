// SPDX-License-Identifier: MIT
// What Context and the death of objects share; not for other folders.
#pragma once

#include <cstdint>

namespace lathe::gl {

/// Enters a new context; returns its serial.
std::uint32_t register_context();
/// From here on, names of that context are forgotten instead of deleted.
void unregister_context(std::uint32_t serial) noexcept;
/// False for 0 and for contexts that are gone.
bool is_living(std::uint32_t serial) noexcept;
/// Deletes the names given up elsewhere. The context must be current.
void delete_given_up(std::uint32_t serial) noexcept;

} // namespace lathe::gl
