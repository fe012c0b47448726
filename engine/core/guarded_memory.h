// SPDX-License-Identifier: MIT
// Host memory with nothing readable on either side: running over its end, or a gibibyte beyond, is
// a fault at the instruction that does it, not damage to whoever's data lies next.
#pragma once

#include "engine/core/api.h"

#include <cstddef>

namespace lathe {

class LATHE_API GuardedMemory {
public:
    /// The data begin at a multiple of this and end as near to the guard as it allows.
    static constexpr std::size_t kAlignment = 256;

    GuardedMemory() = default;
    /// Zeroed. The guards cost address space alone. Throws lathe::Error where memory is short.
    explicit GuardedMemory(std::size_t bytes);
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&& other) noexcept;
    ~GuardedMemory();

    std::byte* data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    void* reservation_ = nullptr;
    std::size_t reserved_bytes_ = 0;
};

} // namespace lathe
