// SPDX-License-Identifier: MIT
#include "engine/live/directive_text.h"

#include "engine/live/directive.h"
#include "engine/live/directive_words.h"
#include "engine/live/source_scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe {

namespace {

std::string replaced(std::string_view text, std::size_t begin, std::size_t end,
                     std::string_view by) {
    return fmt::format("{}{}{}", text.substr(0, begin), by, text.substr(end));
}

struct Line {
    std::size_t begin, end;
};
Line line_around(std::string_view text, std::size_t at) {
    const auto before = text.rfind('\n', at);
    Line line{before == text.npos ? 0 : before + 1, std::min(text.find('\n', at), text.size())};
    if (line.end > line.begin && text[line.end - 1] == '\r') --line.end;
    return line;
}

std::string indent_of(std::string_view line) {
    return std::string{line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()))};
}

/// Its `=` word, or a new one behind its last word.
std::string with_word(std::string_view source, const ScannedDirective& comment,
                      std::string_view value) {
    const std::string_view text = comment.text;
    const std::size_t begin = comment.offset + 3; // behind //@
    for (std::size_t i = words::begin_of_word(text, 0); i < text.size();) {
        const std::size_t end = words::end_of_word(text, i);
        if (text[i] == '=')
            return replaced(source, begin + i, begin + end, fmt::format("={}", value));
        i = words::begin_of_word(text, end);
    }
    const auto last = text.find_last_not_of(" \t\r");
    const std::size_t at = begin + (last == text.npos ? 0 : last + 1);
    return replaced(source, at, at, fmt::format(" ={}", value));
}

/// Behind the comma or the like that follows a name; the end of the line where none does.
std::size_t behind_separator(std::string_view source, std::size_t name, std::size_t end) {
    int depth = 0;
    for (std::size_t i = name; i < end; ++i) {
        const char c = source[i];
        if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
        if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
        if (depth == 0 && (c == ',' || c == ';')) return i + 1;
    }
    return end;
}

std::optional<std::string> with_comment(std::string_view source, const ScannedList& list,
                                        const ScannedParameter& parameter, std::string_view value) {
    const Line line = line_around(source, parameter.offset);
    const std::string_view text = source.substr(line.begin, line.end - line.begin);
    const std::string indent = indent_of(text);
    const auto is_on_line = [&](const ScannedParameter& p) { return p.line == parameter.line; };
    const bool is_first =
        &*std::find_if(list.parameters.begin(), list.parameters.end(), is_on_line) == &parameter;
    const bool is_last =
        &*std::find_if(list.parameters.rbegin(), list.parameters.rend(), is_on_line) == &parameter;
    const bool has_comment = text.find("//") != text.npos || text.find("/*") != text.npos;
    if (is_last && !has_comment)
        return replaced(source, line.end, line.end, fmt::format(" //@ ={}", value));
    if (!is_last) {
        std::size_t at = behind_separator(source, parameter.offset, line.end);
        const std::size_t next = std::min(source.find_first_not_of(" \t", at), line.end);
        const std::string pad =
            list.begin >= line.begin && list.begin < line.end // as the list's first line goes on
                ? std::string(list.begin + 1 - line.begin, ' ')
                : indent;
        return replaced(source, at, next, fmt::format(" //@ ={}\n{}", value, pad));
    }
    const bool starts_line = list.begin < line.begin && is_first;
    if (!starts_line) return {};
    return replaced(source, line.begin, line.begin, fmt::format("{}//@ ={}\n", indent, value));
}

const ScannedList* find_list(const std::vector<ScannedList>& lists, std::string_view name) {
    const auto found = std::find_if(lists.begin(), lists.end(),
                                    [&](const ScannedList& list) { return list.name == name; });
    return found == lists.end() ? nullptr : &*found;
}

/// What reading the text anew says of the place.
bool has_value(std::string_view source, const DeclaredIn& place, std::string_view value) {
    const SourceDirectives found = find_directives(source);
    const Directive* const d = place.is_structure ? found.find_member(place.list, place.name)
                                                  : found.find(place.list, place.name);
    std::vector<Diagnostic> problems;
    return d && d->initial == parse_directive(fmt::format("={}", value), 1, 1, problems).initial;
}

} // namespace

std::optional<std::string> with_initial_value(std::string_view source, const DeclaredIn& place,
                                              std::string_view value) {
    const SourceScan scan = scan_source(source);
    const ScannedList* const list =
        find_list(place.is_structure ? scan.structures : scan.kernels, place.list);
    if (!list) return {};
    const auto parameter =
        std::find_if(list->parameters.begin(), list->parameters.end(),
                     [&](const ScannedParameter& p) { return p.name == place.name; });
    if (parameter == list->parameters.end()) return {};
    const ScannedDirective* comment = nullptr;
    for (const ScannedDirective& each : scan.directives)
        if (owner_of(each, *list) == &*parameter) comment = &each;
    const auto text = comment ? with_word(source, *comment, value)
                              : with_comment(source, *list, *parameter, value);
    return text && has_value(*text, place, value) ? text : std::nullopt;
}

} // namespace lathe
