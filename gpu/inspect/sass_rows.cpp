// SPDX-License-Identifier: MIT
#include "gpu/inspect/sass_rows.h"

#include "engine/core/source_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace lathe::gpu {

namespace {

constexpr std::string_view kSection = ".section\t.text.";
constexpr std::string_view kPlace = "//## File";
constexpr std::string_view kInlined = "inlined at";

std::string_view without_blanks(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

struct FileLine {
    std::string_view file;
    int line = 0;
};

/// `"/tmp/step.cu", line 12`
std::optional<FileLine> file_line(std::string_view text) {
    constexpr std::string_view kLine = "line ";
    const auto from = text.find('"'), to = text.find('"', from + 1);
    if (from == text.npos || to == text.npos) return {};
    const auto at = text.find(kLine, to);
    if (at == text.npos) return {};
    FileLine place{text.substr(from + 1, to - from - 1), 0};
    const char* const digits = text.data() + at + kLine.size();
    std::from_chars(digits, text.data() + text.size(), place.line);
    return place;
}

/// "@P0 BRA `(.L_x_3) ;" → "@P0 BRA .L_x_3"
std::string bare_words(std::string_view text) {
    std::string out{text.substr(0, text.rfind(';'))};
    for (auto at = out.find("`("); at != out.npos; at = out.find("`(")) {
        out.erase(at, 2);
        if (const auto end = out.find(')', at); end != out.npos) out.erase(end, 1);
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

class SassReader {
public:
    std::vector<CodeRow> read_all(std::string_view listing) {
        while (!listing.empty()) {
            const std::string_view line = listing.substr(0, listing.find('\n'));
            listing.remove_prefix(std::min(line.size() + 1, listing.size()));
            take(without_blanks(line));
        }
        return std::move(rows_);
    }

private:
    void take(std::string_view text) {
        if (text.starts_with(kPlace)) return take_place(text);
        const bool begins = text.starts_with(kSection);
        if (begins || text.starts_with(".section")) {
            function_ = begins ? text.substr(kSection.size(), text.find(',') - kSection.size())
                               : std::string_view{};
            place_ = {};
            if (begins) add(CodeRow::Kind::function, source_name(std::string{function_}));
            return;
        }
        if (function_.empty()) return;
        if (text.starts_with("/*")) return take_instruction(text);
        if (!text.ends_with(':')) return;
        const std::string_view label = text.substr(0, text.size() - 1);
        if (label != function_ && !label.starts_with(".text."))
            add(CodeRow::Kind::label, std::string{text});
    }

    /// The innermost place comes first, with the call that it is inlined at; those that follow it
    /// are the places of the calls.
    void take_place(std::string_view text) {
        const auto inlined = text.find(kInlined);
        if (!is_place_) {
            place_ = {};
            if (const auto at = file_line(text.substr(0, inlined))) {
                place_.file = at->file;
                place_.line = at->line;
            }
        }
        is_place_ = true;
        if (inlined == text.npos) return;
        if (const auto call = file_line(text.substr(inlined)))
            place_.inlined_at += fmt::format("{}{}:{}", place_.inlined_at.empty() ? "" : ";",
                                             call->file, call->line);
    }

    /// `/*0080*/ @P0 EXIT ;`; a row of bytes alone has no words.
    void take_instruction(std::string_view text) {
        is_place_ = false;
        const auto end = text.find("*/");
        if (end == text.npos) return;
        std::string words = bare_words(without_blanks(text.substr(end + 2)));
        if (words.empty()) return;
        rows_.push_back(place_);
        rows_.back().text = std::move(words);
    }

    void add(CodeRow::Kind kind, std::string text) {
        CodeRow row;
        row.kind = kind;
        row.text = std::move(text);
        rows_.push_back(std::move(row));
    }

    std::string_view function_; ///< that the rows belong to; empty: none
    CodeRow place_;             ///< without a text
    bool is_place_ = false;     ///< the last row was one
    std::vector<CodeRow> rows_;
};

} // namespace

std::vector<CodeRow> sass_rows(std::string_view listing) { return SassReader{}.read_all(listing); }

} // namespace lathe::gpu
