// SPDX-License-Identifier: MIT
// NVRTC's log in words of its own:
//   dir/kernel.cu(7): error: identifier "bar" is undefined      place, severity, text
//           argument types are: (int)                           more text: deeper than the excerpt
//     	  int y = bar;                                          the line, two spaces in front
//     	          ^                                             the caret: its place is the column
//             detected during instantiation of … at line 8      more text, after the caret
//   At end of source: error: expected a "}"                     no place: it is the source's end
// Messages without a place come from the options (nvrtc:) or the assembler (ptxas).
#include "gpu/compiler.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace lathe::gpu {
namespace {

struct Severity {
    std::string_view word;
    Diagnostic::Severity severity;
};
constexpr Severity kSeverities[] = {
    {"catastrophic error", Diagnostic::Severity::error},
    {"internal error", Diagnostic::Severity::error},
    {"error", Diagnostic::Severity::error},
    {"warning", Diagnostic::Severity::warning},
    {"note", Diagnostic::Severity::note},
    {"remark", Diagnostic::Severity::note},
};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "177-D: text" after the '#' becomes "text (#177-D)", so that the number can be suppressed.
std::string with_number_last(std::string_view number_and_text) {
    const auto colon = number_and_text.find(": ");
    if (colon == std::string_view::npos) return std::string{number_and_text};
    return fmt::format("{} (#{})", number_and_text.substr(colon + 2),
                       number_and_text.substr(0, colon));
}

// "error: text", "warning #177-D: text", "error #20: text".
std::optional<Diagnostic> severity_and_text(std::string_view rest) {
    for (const auto& [word, severity] : kSeverities) {
        if (!rest.starts_with(word)) continue;
        std::string_view text = rest.substr(word.size());
        Diagnostic d;
        d.severity = severity;
        if (text.starts_with(": ")) d.text = trimmed(text.substr(2));
        else if (text.starts_with(" #")) d.text = with_number_last(trimmed(text.substr(2)));
        else continue;
        return d;
    }
    return std::nullopt;
}

// "dir/kernel.cu(7): error: text"; the name may have parentheses of its own.
std::optional<Diagnostic> placed(std::string_view line) {
    for (auto end = line.find("): "); end != std::string_view::npos;
         end = line.find("): ", end + 1)) {
        const auto begin = line.rfind('(', end);
        if (begin == std::string_view::npos || begin == 0) continue;
        int number = 0;
        const auto [stop, failed] =
            std::from_chars(line.data() + begin + 1, line.data() + end, number);
        if (failed != std::errc{} || stop != line.data() + end) continue;
        auto d = severity_and_text(line.substr(end + 3));
        if (!d) continue;
        d->file = line.substr(0, begin);
        d->line = number;
        return d;
    }
    return std::nullopt;
}

// "At end of source: error: text", where the source ends.
std::optional<Diagnostic> at_the_end(std::string_view line, std::string_view name, int last_line) {
    constexpr std::string_view kEnd = "At end of source: ";
    if (!line.starts_with(kEnd)) return std::nullopt;
    auto d = severity_and_text(line.substr(kEnd.size()));
    if (!d) return std::nullopt;
    d->file = name;
    d->line = last_line;
    return d;
}

// "nvrtc: error: unrecognized option", "ptxas fatal   : Unresolved extern", "ptxas error   : …",
// "ptxas application ptx input, line 12; error   : …".
std::optional<Diagnostic> unplaced(std::string_view line) {
    if (!line.starts_with("nvrtc") && !line.starts_with("ptxas") && !line.starts_with("nvlink"))
        return std::nullopt;
    const std::string_view tool = line.substr(0, line.find_first_of(": "));
    for (const std::string_view word : {"error", "fatal", "warning"}) {
        const auto at = line.find(word);
        if (at == std::string_view::npos) continue;
        const auto colon = line.find(':', at);
        if (colon == std::string_view::npos) continue;
        Diagnostic d;
        d.severity =
            word == "warning" ? Diagnostic::Severity::warning : Diagnostic::Severity::error;
        d.text = fmt::format("{}: {}", tool, trimmed(line.substr(colon + 1)));
        return d;
    }
    return std::nullopt;
}

bool is_caret(std::string_view line) { return trimmed(line) == "^"; }

bool is_summary(std::string_view line) {
    return line.find(" detected in the compilation of ") != std::string_view::npos ||
           line.starts_with("Compilation terminated") || line.starts_with("Remark: ");
}

constexpr std::size_t kExcerptIndent = 2;

// NVRTC's caret counts bytes; columns count characters, so UTF-8's further bytes are left out.
int column_of(std::string_view caret_line, std::string_view excerpt) {
    const std::size_t caret = caret_line.find('^');
    int column = 1;
    for (std::size_t i = kExcerptIndent; i < caret; ++i)
        column += i >= excerpt.size() || (excerpt[i] & 0xc0) != 0x80;
    return column;
}

} // namespace

std::vector<Diagnostic> parse_nvrtc_log(std::string_view log, std::string_view name,
                                        std::string_view source) {
    const std::size_t end_of_text = source.find_last_not_of(" \t\r\n");
    const auto text_lines = source.substr(0, end_of_text == source.npos ? 0 : end_of_text);
    const int last_line =
        source.empty() ? 0 : 1 + int(std::count(text_lines.begin(), text_lines.end(), '\n'));
    std::vector<Diagnostic> found;
    std::string pending; // a line that is an excerpt if a caret follows, else more text
    bool open = false;   // the last diagnostic still takes lines
    const auto add_text = [&](std::string_view text) {
        if (!text.empty()) found.back().text.append("\n").append(text);
    };
    while (!log.empty() && log.front() != '\0') {
        const auto end = log.find('\n');
        const std::string_view line = log.substr(0, end);
        log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);

        auto next = placed(line);
        if (!next) next = at_the_end(line, name, last_line);
        if (!next) next = unplaced(line);
        if (next || is_summary(line) || trimmed(line).empty()) {
            if (open) add_text(trimmed(pending));
            pending.clear();
            open = next.has_value();
            if (next) found.push_back(std::move(*next));
        } else if (open && is_caret(line)) {
            if (found.back().column == 0) found.back().column = column_of(line, pending);
            pending.clear();
        } else if (open) {
            add_text(trimmed(pending));
            pending = line;
        }
    }
    if (open) add_text(trimmed(pending));
    return found;
}

} // namespace lathe::gpu
