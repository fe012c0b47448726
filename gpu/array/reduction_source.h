// SPDX-License-Identifier: MIT
// The text of reduction kernels, and the parameters that they take.
#pragma once

#include "gpu/array/layout.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

/// Which threads share an output.
enum class Sharing : std::uint8_t {
    lanes,  ///< `width` threads of a warp
    blocks, ///< blocks that have `width` outputs each
};

struct ReductionForm {
    std::string_view state;             ///< of lathe_reductions.hpp
    std::string_view element;           ///< an expression in x0, x1
    std::vector<std::string_view> read; ///< types of the arrays in memory
    /// What computes `mapped` from in0, in1 ...: elements of the arrays, then parameters of these
    /// types. Empty: x0 and x1 are the elements themselves.
    std::string map;
    std::string mapped;
    std::string_view mapped_type;
    /// Of what `map` computes: written to the last of the arrays, which are not read then.
    std::vector<std::string> stored;
    std::vector<std::string_view> numbers;
    std::string_view table;   ///< type of the indices into them; empty: there are none
    std::string_view written; ///< type of the output in memory
    unsigned kept_axes = 0, reduced_axes = 0;
    Sharing sharing = Sharing::blocks;
    unsigned width = 1;
    /// Elements to a load, loads at once. Devices before compute capability 8.0, the software
    /// device among them, load as many elements one by one, neighbours by neighbouring threads.
    unsigned group = 1, groups = 8;
    bool flat = false;    ///< what is reduced is one after the other
    bool aligned = false; ///< flat, and each group is at a multiple of its bytes
    bool narrow = false;  ///< 32 bits hold every index
};

std::string reduction_source(const ReductionForm& form, std::string_view entry);

/// The one parameter of such a kernel, in words of eight bytes.
struct ReductionPlan {
    std::int64_t kept = 1, reduced = 0; ///< elements
    std::int64_t part_size = 0, parts = 1;
    double count = 0, parameter = 0;
    std::uint64_t tickets = 0, states = 0, table = 0;
    std::uint64_t output = 0;
    const Extents* kept_shape = nullptr;
    const Extents* reduced_shape = nullptr;
    const Extents* output_strides = nullptr; ///< bytes
    struct Operand {
        std::uint64_t address = 0;
        const Extents* kept = nullptr; ///< strides, bytes
        const Extents* reduced = nullptr;
    };
    std::vector<Operand> operands{};
    std::vector<std::array<std::uint64_t, 2>> numbers{};

    std::vector<std::uint64_t> words() const;
};

} // namespace lathe::gpu
