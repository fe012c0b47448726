// SPDX-License-Identifier: MIT
#include "engine/ui/cuda_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lathe {

namespace {

using Words = std::vector<CudaWord>;

/// "x, y" of one type: "float x, float y".
std::string typed(std::string_view type, std::string_view names) {
    std::string out;
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(", ", at), names.size());
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", type, names.substr(at, end - at));
        at = end + 2;
    }
    return out;
}

void add_math(Words& words, std::string_view name, std::string_view parameters,
              std::string_view does) {
    using enum CudaWord::Kind;
    words.push_back({function, fmt::format("{}f", name),
                     fmt::format("float {}f({})", name, typed("float", parameters)),
                     std::string{does}});
    words.push_back(
        {function, std::string{name},
         fmt::format("double {}({})", name, typed("double", parameters)),
         fmt::format("{} In double precision for a double; {}f is for floats.", does, name)});
}

void add_vectors(Words& words) {
    using enum CudaWord::Kind;
    struct Element {
        const char *name, *type;
        int bytes;
    };
    constexpr Element kElements[] = {{"char", "signed char", 1},
                                     {"uchar", "unsigned char", 1},
                                     {"short", "short", 2},
                                     {"ushort", "unsigned short", 2},
                                     {"int", "int", 4},
                                     {"uint", "unsigned", 4},
                                     {"long", "long", 8},
                                     {"ulong", "unsigned long", 8},
                                     {"longlong", "long long", 8},
                                     {"ulonglong", "unsigned long long", 8},
                                     {"float", "float", 4},
                                     {"double", "double", 8}};
    constexpr std::string_view kParts = "x, y, z, w";
    for (const Element& e : kElements)
        for (int n = 1; n <= 4; ++n) {
            const auto parts = kParts.substr(0, std::size_t(3 * n - 2));
            const std::string name = fmt::format("{}{}", e.name, n);
            const int aligned = n == 3 ? e.bytes : std::min(n * e.bytes, 16);
            words.push_back({type, name, fmt::format("struct {} {{ {} {}; }}", name, e.type, parts),
                             fmt::format("{} values of {}: {} bytes, aligned to {}.", n, e.type,
                                         n * e.bytes, aligned)});
            if (n == 1)
                words.back().words = fmt::format("One value of {}, as a structure.", e.type);
            words.push_back({function, "make_" + name,
                             fmt::format("{} make_{}({})", name, name, typed(e.type, parts)),
                             fmt::format("A {} of these values.", name)});
        }
}

void add_keywords(Words& words) {
    for (const char* word : {"alignas",
                             "auto",
                             "bool",
                             "break",
                             "case",
                             "char",
                             "class",
                             "const",
                             "constexpr",
                             "continue",
                             "decltype",
                             "default",
                             "do",
                             "double",
                             "else",
                             "enum",
                             "explicit",
                             "extern",
                             "false",
                             "float",
                             "for",
                             "if",
                             "inline",
                             "int",
                             "long",
                             "namespace",
                             "nullptr",
                             "operator",
                             "return",
                             "short",
                             "signed",
                             "sizeof",
                             "static",
                             "static_assert",
                             "static_cast",
                             "struct",
                             "switch",
                             "template",
                             "this",
                             "true",
                             "typedef",
                             "typename",
                             "union",
                             "unsigned",
                             "using",
                             "void",
                             "volatile",
                             "while",
                             "reinterpret_cast"})
        words.push_back({CudaWord::Kind::keyword, word, {}, {}});
}

Words make_words() {
    Words words;
#define WORD(kind, name, written, does)                                                            \
    words.push_back({CudaWord::Kind::kind, name, written, does});
#define MATH(name, parameters, does) add_math(words, name, parameters, does);
#include "engine/ui/cuda_words.inc"
#undef MATH
#undef WORD
    add_vectors(words);
    add_keywords(words);
    std::ranges::sort(words, {}, &CudaWord::name);
    return words;
}

} // namespace

std::string_view name_of(CudaWord::Kind kind) {
    switch (kind) {
    case CudaWord::Kind::variable: return "built-in";
    case CudaWord::Kind::qualifier: return "qualifier";
    case CudaWord::Kind::function: return "CUDA";
    case CudaWord::Kind::type: return "type";
    case CudaWord::Kind::keyword: return "C++";
    }
    return "";
}

std::span<const CudaWord> cuda_words() {
    static const Words words = make_words();
    return words;
}

const CudaWord* find_cuda_word(std::string_view name) {
    const auto words = cuda_words();
    const auto at = std::ranges::lower_bound(
        words, name, {}, [](const CudaWord& w) { return std::string_view{w.name}; });
    return at != words.end() && at->name == name ? &*at : nullptr;
}

} // namespace lathe
