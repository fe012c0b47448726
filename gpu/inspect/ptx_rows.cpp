// SPDX-License-Identifier: MIT
#include "gpu/inspect/ptx_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <utility>

namespace lathe::gpu {

namespace {

constexpr std::size_t kLongest = 240; ///< of a row: tables of constants have no end

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Without a comment behind it; `//` in a quoted text stays.
std::string_view without_comment(std::string_view text) {
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') is_quoted = !is_quoted;
        if (!is_quoted && text.substr(i).starts_with("//")) return text.substr(0, i);
    }
    return text;
}

/// With one blank where there were tabs and blanks.
std::string tidy(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_blank = c == ' ' || c == '\t';
        if (!is_blank) out += c;
        else if (!out.empty() && out.back() != ' ') out += ' ';
    }
    if (out.size() > kLongest) out.replace(kLongest, out.npos, " …");
    return out;
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t,("));
}

/// The numbers that a text begins with.
template <std::size_t N> bool read(std::string_view text, std::array<int, N>& numbers) {
    for (int& number : numbers) {
        text = trimmed(text);
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failed != std::errc{}) return false;
        text.remove_prefix(std::size_t(end - text.data()));
    }
    return true;
}

/// A .loc.
struct Place {
    int file = 0, line = 0;
    std::vector<std::pair<int, int>> calls; ///< file and line, the innermost first
};

class PtxReader {
public:
    std::vector<CodeRow> read_all(std::string_view ptx) {
        find_files(ptx);
        while (!ptx.empty()) {
            const std::string_view line = ptx.substr(0, ptx.find('\n'));
            ptx.remove_prefix(std::min(line.size() + 1, ptx.size()));
            if (const auto text = trimmed(without_comment(line)); !text.empty()) take(text);
        }
        return std::move(rows_);
    }

private:
    /// They stand at the module's end.
    void find_files(std::string_view ptx) {
        constexpr std::string_view kFile = ".file";
        for (auto at = ptx.find(kFile); at != ptx.npos; at = ptx.find(kFile, at + 1)) {
            const std::string_view line = ptx.substr(at, ptx.find('\n', at) - at);
            const auto from = line.find('"'), to = line.rfind('"');
            std::array<int, 1> number{};
            if (from == to || !read(line.substr(kFile.size()), number)) continue;
            files_.emplace(number[0], line.substr(from + 1, to - from - 1));
        }
    }

    void take(std::string_view text) {
        const std::string_view word = first_word(text);
        if (word == ".section") in_section_ = true;
        if (in_section_) {
            in_section_ = text.find('}') == text.npos;
            return;
        }
        if (word == ".loc") return take_place(text.substr(word.size()));
        for (const std::string_view head : {".version", ".target", ".address_size", ".file"})
            if (word == head) return;
        if (is_open_) return go_on(text);
        CodeRow row;
        row.text = tidy(text);
        row.kind = kind_of(text);
        if (row.kind == CodeRow::Kind::function) place_ = {};
        if (row.kind == CodeRow::Kind::instruction) {
            is_open_ = !text.ends_with(';');
            put_place(row);
        }
        rows_.push_back(std::move(row));
    }

    /// More of the last instruction.
    void go_on(std::string_view text) {
        std::string& row = rows_.back().text;
        if (!text.starts_with(')') && !text.starts_with(';') && !row.ends_with('(')) row += ' ';
        row += tidy(text);
        is_open_ = !text.ends_with(';');
    }

    static CodeRow::Kind kind_of(std::string_view text) {
        using Kind = CodeRow::Kind;
        if (text.find(".entry") != text.npos || text.find(".func") != text.npos)
            return Kind::function;
        if (text.ends_with(':')) return Kind::label;
        return text.find_first_of(".{}()") == 0 ? Kind::directive : Kind::instruction;
    }

    /// `1 3 5, function_name $L__info_string0, inlined_at 1 10 5`
    void take_place(std::string_view text) {
        std::array<int, 3> at{};
        if (!read(text, at)) return;
        place_ = {at[0], at[1], {}};
        constexpr std::string_view kInlined = "inlined_at";
        if (const auto inlined = text.find(kInlined); inlined != text.npos) {
            std::array<int, 3> call{};
            if (!read(text.substr(inlined + kInlined.size()), call)) return;
            place_.calls.emplace_back(call[0], call[1]);
            if (const auto known = seen_.find(call); known != seen_.end())
                place_.calls.insert(place_.calls.end(), known->second.begin(), known->second.end());
        }
        seen_[at] = place_.calls; // numbers mean the latest place that had them
    }

    void put_place(CodeRow& row) {
        const auto name = [&](int file) {
            const auto found = files_.find(file);
            return found == files_.end() ? std::string{} : found->second;
        };
        if (place_.line <= 0) return;
        row.file = name(place_.file);
        row.line = place_.line;
        for (const auto& [file, line] : place_.calls)
            row.inlined_at +=
                fmt::format("{}{}:{}", row.inlined_at.empty() ? "" : ";", name(file), line);
    }

    std::map<int, std::string> files_;
    std::map<std::array<int, 3>, std::vector<std::pair<int, int>>> seen_; ///< calls around a place
    Place place_;
    std::vector<CodeRow> rows_;
    bool in_section_ = false;
    bool is_open_ = false; ///< the last instruction goes on
};

} // namespace

std::vector<CodeRow> ptx_rows(std::string_view ptx) { return PtxReader{}.read_all(ptx); }

} // namespace lathe::gpu
