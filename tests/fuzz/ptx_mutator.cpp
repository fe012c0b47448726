// SPDX-License-Identifier: MIT
// Changes PTX by its words and statements, so that most of it still parses and reaches what lies
// behind the parser; one time in four libFuzzer changes bytes.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using Random = std::minstd_rand;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$' ||
           c == '.' || c == ':';
}

/// Offsets and lengths of words, or of statements with their ';'.
std::vector<std::string_view> pieces(std::string_view text, bool statements) {
    std::vector<std::string_view> found;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        if (statements) {
            end = std::min(text.find_first_of(";{}", at), text.size() - 1) + 1;
        } else {
            while (at < text.size() && !is_word(text[at])) ++at;
            end = at;
            while (end < text.size() && is_word(text[end])) ++end;
        }
        if (end > at) found.push_back(text.substr(at, end - at));
        at = std::max(end, at + 1);
    }
    return found;
}

/// "add.rn.f32" as one of its parts, each with its dot.
std::string_view part_of(std::string_view word, Random& random) {
    std::vector<std::size_t> dots;
    for (std::size_t k = 1; k < word.size(); ++k)
        if (word[k] == '.') dots.push_back(k);
    if (dots.empty()) return word;
    const std::size_t k = random() % (dots.size() + 1);
    const std::size_t first = k == 0 ? 0 : dots[k - 1];
    return word.substr(first, (k < dots.size() ? dots[k] : word.size()) - first);
}

std::string_view one_of(const std::vector<std::string_view>& all, Random& random) {
    return all[random() % all.size()];
}

constexpr std::string_view kNumbers[] = {"0",  "1",          "-1",         "31",         "32",
                                         "64", "2147483648", "0f7FC00000", "0f80000001", "4096"};

/// The text with one piece replaced, removed or doubled.
std::string changed(const std::string& text, Random& random) {
    const bool statements = random() % 3 == 0;
    const auto all = pieces(text, statements);
    if (all.empty()) return text;
    std::string_view old = one_of(all, random), with = one_of(all, random);
    std::string made;
    switch (random() % 5) {
    case 0: made = std::string{}; break;
    case 1: made = std::string{old} + (statements ? "\n" : "") + std::string{with}; break;
    case 2:
        if (!statements) made = kNumbers[random() % std::size(kNumbers)];
        break;
    default:
        if (!statements && random() % 2) {
            old = part_of(old, random);
            with = part_of(with, random);
        }
        made = with;
    }
    std::string result = text;
    result.replace(static_cast<std::size_t>(old.data() - text.data()), old.size(), made);
    return result;
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    Random random{seed};
    if (random() % 4 == 0 || size == 0) return LLVMFuzzerMutate(data, size, most);
    std::string text{reinterpret_cast<const char*>(data), size};
    for (unsigned k = 0, count = 1 + random() % 3; k < count; ++k) text = changed(text, random);
    const std::size_t bytes = std::min(text.size(), most);
    std::copy_n(text.begin(), bytes, data);
    return bytes;
}
