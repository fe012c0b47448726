// SPDX-License-Identifier: MIT
#include "engine/live/source_scan.h"

#include "engine/live/declaration_reader.h"
#include "engine/live/source_tokens.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lathe {

namespace {

/// `words` stand before `begin`.
void add_parameter(ScannedList& list, const std::vector<Token>& t, std::size_t begin,
                   std::size_t end, int words = 0) {
    const std::size_t name = declared_name(t, begin, end, words);
    if (name < end)
        list.parameters.push_back({std::string{t[name].text}, t[name].line, t[name].offset});
}

ScannedList read_kernel(const std::vector<Token>& t, const BracketPairs& pairs, std::size_t name,
                        std::size_t close) {
    ScannedList kernel{
        std::string{t[name].text}, t[name].line, t[name + 1].offset, t[close].offset, {}};
    for (const auto& [begin, end] : list_parts(t, pairs, name + 2, close))
        add_parameter(kernel, t, begin, end);
    return kernel;
}

void find_kernels(const std::vector<Token>& t, const BracketPairs& pairs, SourceScan& scan) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t[i].text != "__global__") continue;
        for (std::size_t j = i + 1; j + 1 < t.size(); ++j) {
            if (t[j].text == ";" || t[j].text == "{") break;
            if (!t[j].is_word() || t[j + 1].text != "(") continue;
            const std::size_t close = pairs.closing(j + 1, t.size());
            if (close == t.size()) return;
            if (takes_arguments_before_name(t[j].text)) {
                j = close;
                continue;
            }
            scan.kernels.push_back(read_kernel(t, pairs, j, close));
            i = close;
            break;
        }
    }
}

bool is_no_member(std::string_view word) {
    constexpr std::array words{"static",  "using",     "typedef", "friend", "template", "public",
                               "private", "protected", "struct",  "class",  "union",    "enum"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

class StructureScan {
public:
    StructureScan(const std::vector<Token>& tokens, const BracketPairs& pairs, SourceScan& scan)
        : t_{tokens}, pairs_{pairs}, scan_{scan} {}

    void run() {
        for (std::size_t i = 0; i + 1 < t_.size(); ++i) {
            if (t_[i].text != "struct" && t_[i].text != "class") continue;
            std::size_t open = after_attributes(i + 1);
            std::string_view name;
            for (; open < t_.size(); ++open) { // perhaps with bases behind its name
                const auto mark = t_[open].text;
                if (t_[open].is_word() && name.empty()) name = mark;
                const bool is_base = mark == ":" || mark == "<" || mark == ">" || mark == ",";
                if (!t_[open].is_word() && !is_base) break;
            }
            if (open >= t_.size() || !t_[open].is('{')) continue;
            const std::size_t close = pairs_.closing(open, t_.size());
            if (close == t_.size()) return;
            if (name.empty() && close + 1 < t_.size()) name = t_[close + 1].text; // of a typedef
            scan_.structures.push_back(read(open, close));
            scan_.structures.back().name = name;
        }
    }

private:
    /// Behind "alignas(16)" and its like.
    std::size_t after_attributes(std::size_t i) const {
        while (i + 1 < t_.size() && takes_arguments_before_name(t_[i].text) && t_[i + 1].is('('))
            i = std::min(pairs_.closing(i + 1, t_.size()) + 1, t_.size());
        return i;
    }

    /// Braces within are jumped over: bodies of functions end a declaration, those of structures
    /// and of initial values do not.
    ScannedList read(std::size_t open, std::size_t close) const {
        ScannedList structure{{}, t_[open].line, t_[open].offset, t_[close].offset, {}};
        std::size_t begin = open + 1;
        for (std::size_t i = begin; i < close; ++i) {
            if (t_[i].is(':') && i > begin && is_no_member(t_[begin].text)) begin = i + 1;
            if (t_[i].is('{')) {
                const bool is_body = t_[i - 1].is(')') || t_[i - 1].is("const");
                const bool is_structure = is_no_member(t_[begin].text);
                i = pairs_.closing(i, close);
                if (is_structure) begin = i;
                if (is_body) begin = i + 1;
            } else if (t_[i].is(';')) {
                add_members(structure, begin, i);
                begin = i + 1;
            }
        }
        return structure;
    }

    /// "float x = 1, y[3];": one member for each comma, unless it declares something else.
    void add_members(ScannedList& structure, std::size_t begin, std::size_t end) const {
        begin = after_attributes(begin);
        if (begin >= end) return;
        // Of a structure that is declared here only the members behind it.
        const bool is_type = t_[begin].is('}');
        if (!is_type && is_no_member(t_[begin].text)) return;
        int words = is_type ? 1 : 0;
        for (const auto& [from, to] : list_parts(t_, pairs_, begin + is_type, end)) {
            const auto value =
                std::find_if(t_.begin() + std::ptrdiff_t(from), t_.begin() + std::ptrdiff_t(to),
                             [](const Token& t) { return t.is('(') || t.is('=') || t.is('{'); });
            if (value != t_.begin() + std::ptrdiff_t(to) && value->is('(')) return; // a function
            add_parameter(structure, t_, from, to, words);
            words = 1; // the type, which the next ones share
        }
    }

    const std::vector<Token>& t_;
    const BracketPairs& pairs_;
    SourceScan& scan_;
};

} // namespace

const ScannedParameter* owner_of(const ScannedDirective& comment, const ScannedList& list) {
    if (list.parameters.empty() || comment.offset < list.begin) return nullptr;
    const bool inside = comment.offset < list.end;
    if (!inside && comment.line != list.parameters.back().line) return nullptr;
    const ScannedParameter* owner = nullptr;
    for (const auto& p : list.parameters)
        if (p.line == comment.line && p.offset < comment.offset) owner = &p;
    if (owner) return owner;
    for (const auto& p : list.parameters)
        if (p.offset > comment.offset) return &p;
    return nullptr;
}

SourceScan scan_source(std::string_view source) {
    SourceScan scan;
    std::vector<Token> tokens = tokens_of(source);
    for (const Token& t : tokens)
        if (t.text.starts_with("//@"))
            scan.directives.push_back(
                {std::string{t.text.substr(3)}, t.line, t.column + 3, t.offset});
    std::erase_if(tokens, [](const Token& t) { return t.kind == TokenKind::comment; });
    const BracketPairs pairs = pair_brackets(tokens);
    find_kernels(tokens, pairs, scan);
    StructureScan{tokens, pairs, scan}.run();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool body = tokens[i].text == "{" && i > 0 && tokens[i - 1].text == ")";
        if (body) i = pairs.closing(i, tokens.size());
        if (i >= tokens.size()) break;
        scan.interface.append(tokens[i].text).push_back(' ');
    }
    for (const auto& d : scan.directives) scan.interface.append("//@").append(d.text + "\n");
    return scan;
}

} // namespace lathe
