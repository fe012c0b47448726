// SPDX-License-Identifier: MIT
// Environment variables, read in one way: one that is empty counts as one that is not set.
#pragma once

namespace lathe {

/// The variable's value, or null. Valid until the environment changes, so use it at once: reading
/// while another thread calls setenv is a data race of the C library.
const char* environment(const char* name) noexcept;

} // namespace lathe
