// SPDX-License-Identifier: MIT
// arc4random of our own for a wheel: LLVM's archives call it, where they were compiled with a C
// library that has it (glibc 2.36), and the wheel is to run on older ones.
#include <cstdint>

#include <sys/random.h>

extern "C" std::uint32_t arc4random() noexcept {
    std::uint32_t number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {}
    return number;
}
