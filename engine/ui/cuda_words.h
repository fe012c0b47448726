// SPDX-License-Identifier: MIT
// CUDA's own words: what they are, how they are written, what they do. Colours, completion and help
// of the editor are all made of this table.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lathe {

struct CudaWord {
    enum class Kind { variable, qualifier, function, type, keyword };
    Kind kind = Kind::function;
    std::string name;
    std::string written; ///< "float sinf(float x)"
    std::string words;   ///< one or two sentences; none for a keyword of C++
};
/// "built-in", "qualifier", ...
std::string_view name_of(CudaWord::Kind kind);

/// Sorted by name, keywords of C++ among them.
std::span<const CudaWord> cuda_words();
/// Null where it is none of them.
const CudaWord* find_cuda_word(std::string_view name);

} // namespace lathe
