// SPDX-License-Identifier: MIT
// Device printf: kernels leave records in a ring, synchronising calls format and write them.
#pragma once

#include <cstddef>

namespace lathe::soft {

/// Formats and writes what has been printed since the last call. Thread-safe.
void flush_printf();

using PrintfCallback = void (*)(const char* text, std::size_t bytes, void* user);
/// Where the text goes; null: standard output. Flushes to the old receiver first.
void set_printf_callback(PrintfCallback callback, void* user);

/// Size of the ring (CU_LIMIT_PRINTF_FIFO_SIZE); when it is full the oldest records are lost.
void set_printf_capacity(std::size_t bytes);

} // namespace lathe::soft
