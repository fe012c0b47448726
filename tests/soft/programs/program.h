// SPDX-License-Identifier: MIT
// Random CUDA C++ programs whose text is C++, too: integers of 8 to 128 bits, floats, structures
// with bit fields, arrays, pointers, functions, every kind of branch and loop. Nothing in them is
// undefined, and each thread works for itself, so any two compilers must give the same bits.
#pragma once

#include <cstdint>
#include <string>

namespace lathe::test::programs {

constexpr unsigned kThreads = 96, kBlocks = 2; ///< of a launch
constexpr unsigned kInputBytes = 512, kResults = 16;

/// The text of a program: types, tables, functions, and
///   FN void body_<seed>(const u8* input, u8* own, u64* out, u32 tid)
/// which reads kInputBytes that all threads share, has 256 bytes of memory of its own and writes
/// kResults words. The same seed gives the same text. Comes behind prelude().
std::string program(std::uint32_t seed);

/// tests/soft/programs/prelude.cuh.
std::string prelude();
/// The kernel `program_<seed>(const u8* input, u8* own, u64* out)`, thread after thread.
std::string kernel_of(std::uint32_t seed);
/// The C function `program_<seed>(input, own, out, threads)` that loops over them.
std::string host_loop_of(std::uint32_t seed);

} // namespace lathe::test::programs
