// SPDX-License-Identifier: MIT
#include "engine/live/source_scan.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace lathe {

namespace {

struct Token {
    std::string_view text;
    int line = 0;
    std::size_t offset = 0;
    bool word() const {
        return std::isalnum(static_cast<unsigned char>(text[0])) || text[0] == '_';
    }
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Splits a source into words, strings and single marks, dropping comments but `//@`.
class Lexer {
public:
    Lexer(std::string_view source, SourceScan& out) : s_{source}, out_{out} {}

    std::vector<Token> run() {
        while (i_ < s_.size()) step();
        return std::move(tokens_);
    }

private:
    void step() {
        const char c = s_[i_];
        if (c == '\n') {
            ++line_;
            line_begin_ = ++i_;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++i_;
        } else if (s_.substr(i_, 2) == "//") {
            line_comment();
        } else if (s_.substr(i_, 2) == "/*") {
            skip_to(s_.find("*/", i_ + 2), 2);
        } else if (s_.substr(i_, 2) == "R\"") {
            const auto open = s_.find('(', i_);
            const auto mark = s_.substr(i_ + 2, open == s_.npos ? 0 : open - i_ - 2);
            skip_to(s_.find(fmt::format("){}\"", mark), i_), mark.size() + 2);
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else {
            std::size_t end = i_ + 1;
            if (is_word(c)) // 1'000 and 0.5f are words, too; a dot may be part of a number
                while (end < s_.size() &&
                       (is_word(s_[end]) ||
                        (s_[end] == '\'' && std::isdigit(static_cast<unsigned char>(c)))))
                    ++end;
            add(end);
        }
    }
    void add(std::size_t end) {
        tokens_.push_back({s_.substr(i_, end - i_), line_, i_});
        i_ = end;
    }
    void line_comment() {
        const auto end = std::min(s_.find('\n', i_), s_.size());
        if (s_.substr(i_, 3) == "//@")
            out_.directives.push_back({std::string{s_.substr(i_ + 3, end - i_ - 3)}, line_,
                                       int(i_ + 3 - line_begin_) + 1, i_});
        i_ = end;
    }
    void quoted(char quote) {
        std::size_t end = i_ + 1;
        while (end < s_.size() && s_[end] != quote && s_[end] != '\n')
            end += s_[end] == '\\' ? 2 : 1;
        add(std::min(end + 1, s_.size()));
    }
    void skip_to(std::size_t target, std::size_t extra) {
        const auto end = target == s_.npos ? s_.size() : std::min(target + extra, s_.size());
        for (; i_ < end; ++i_)
            if (s_[i_] == '\n') {
                ++line_;
                line_begin_ = i_ + 1;
            }
    }

    std::string_view s_;
    SourceScan& out_;
    std::vector<Token> tokens_;
    std::size_t i_ = 0, line_begin_ = 0;
    int line_ = 1;
};

/// Index of the mark that closes the one at `open`, or the end.
std::size_t closing(const std::vector<Token>& t, std::size_t open) {
    const auto begin = t[open].text;
    const std::string_view end = begin == "(" ? ")" : begin == "[" ? "]" : "}";
    int depth = 0;
    for (std::size_t i = open; i < t.size(); ++i) {
        if (t[i].text == begin) ++depth;
        if (t[i].text == end && --depth == 0) return i;
    }
    return t.size();
}

bool takes_arguments_before_name(std::string_view word) {
    constexpr std::array words{"__launch_bounds__", "__attribute__", "__cluster_dims__",
                               "__maxnreg__",       "alignas",       "decltype",
                               "__block_size__",    "__align__"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The name in a declarator: its last word before a default value or an array bound, where a
/// type stands before it. `words` stand there before `begin`.
void add_parameter(ScannedList& list, const std::vector<Token>& t, std::size_t begin,
                   std::size_t end, int words = 0) {
    const Token* name = nullptr;
    for (std::size_t i = begin; i < end && t[i].text != "=" && t[i].text != "["; ++i) {
        if (!t[i].word()) continue;
        name = &t[i];
        ++words;
    }
    if (name && words > 1)
        list.parameters.push_back({std::string{name->text}, name->line, name->offset});
}

ScannedList read_kernel(const std::vector<Token>& t, std::size_t name, std::size_t close) {
    ScannedList kernel{
        std::string{t[name].text}, t[name].line, t[name + 1].offset, t[close].offset, {}};
    int depth = 0;
    std::size_t begin = name + 2;
    for (std::size_t i = begin; i < close; ++i) {
        const auto mark = t[i].text;
        if (mark == "(" || mark == "[" || mark == "{" || mark == "<") ++depth;
        if (mark == ")" || mark == "]" || mark == "}" || mark == ">") --depth;
        if (mark != "," || depth > 0) continue;
        add_parameter(kernel, t, begin, i);
        begin = i + 1;
    }
    add_parameter(kernel, t, begin, close);
    return kernel;
}

void find_kernels(const std::vector<Token>& t, SourceScan& scan) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t[i].text != "__global__") continue;
        for (std::size_t j = i + 1; j + 1 < t.size(); ++j) {
            if (t[j].text == ";" || t[j].text == "{") break;
            if (!t[j].word() || t[j + 1].text != "(") continue;
            const std::size_t close = closing(t, j + 1);
            if (close == t.size()) return;
            if (takes_arguments_before_name(t[j].text)) {
                j = close;
                continue;
            }
            scan.kernels.push_back(read_kernel(t, j, close));
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

/// Behind "alignas(16)" and its like.
std::size_t after_attributes(const std::vector<Token>& t, std::size_t i) {
    while (i + 1 < t.size() && takes_arguments_before_name(t[i].text) && t[i + 1].text == "(")
        i = std::min(closing(t, i + 1) + 1, t.size());
    return i;
}

/// "float x = 1, y[3];": one member for each comma, unless it declares something else.
void add_members(ScannedList& structure, const std::vector<Token>& t, std::size_t begin,
                 std::size_t end) {
    begin = after_attributes(t, begin);
    if (begin >= end) return;
    // Of a structure that is declared here only the members behind it.
    const bool is_type = t[begin].text == "}";
    if (!is_type && is_no_member(t[begin].text)) return;
    int depth = 0, words = is_type ? 1 : 0;
    bool has_value = false;
    for (std::size_t i = begin + is_type; i <= end; ++i) {
        const auto mark = i < end ? t[i].text : std::string_view{","};
        if (mark == "(" && depth == 0 && !has_value) return; // a function
        if (mark == "=") has_value = true;
        if (mark == "(" || mark == "[" || mark == "{" || mark == "<") ++depth;
        if (mark == ")" || mark == "]" || mark == "}" || mark == ">") --depth;
        if (mark != "," || depth > 0) continue;
        add_parameter(structure, t, begin, i, words);
        words = 1; // the type, which the next ones share
        begin = i + 1;
        has_value = false;
    }
}

/// Braces within are jumped over: bodies of functions end a declaration, those of structures and
/// of initial values do not.
ScannedList read_structure(const std::vector<Token>& t, std::size_t open, std::size_t close) {
    ScannedList structure;
    structure.line = t[open].line;
    structure.begin = t[open].offset;
    structure.end = t[close].offset;
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i < close; ++i) {
        if (t[i].text == ":" && i > begin && is_no_member(t[begin].text)) begin = i + 1;
        if (t[i].text == "{") {
            const bool is_body = t[i - 1].text == ")" || t[i - 1].text == "const";
            const bool is_structure = is_no_member(t[begin].text);
            i = closing(t, i);
            if (is_structure) begin = i;
            if (is_body) begin = i + 1;
        } else if (t[i].text == ";") {
            add_members(structure, t, begin, i);
            begin = i + 1;
        }
    }
    return structure;
}

void find_structures(const std::vector<Token>& t, SourceScan& scan) {
    for (std::size_t i = 0; i + 1 < t.size(); ++i) {
        if (t[i].text != "struct" && t[i].text != "class") continue;
        std::size_t open = after_attributes(t, i + 1);
        std::string_view name;
        for (; open < t.size(); ++open) { // perhaps with bases behind its name
            const auto mark = t[open].text;
            if (t[open].word() && name.empty()) name = mark;
            if (!t[open].word() && mark != ":" && mark != "<" && mark != ">" && mark != ",") break;
        }
        if (open >= t.size() || t[open].text != "{") continue;
        const std::size_t close = closing(t, open);
        if (close == t.size()) return;
        if (name.empty() && close + 1 < t.size()) name = t[close + 1].text; // of a typedef
        scan.structures.push_back(read_structure(t, open, close));
        scan.structures.back().name = name;
    }
}

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
    const std::vector<Token> tokens = Lexer{source, scan}.run();
    find_kernels(tokens, scan);
    find_structures(tokens, scan);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool body = tokens[i].text == "{" && i > 0 && tokens[i - 1].text == ")";
        if (body) i = closing(tokens, i);
        if (i >= tokens.size()) break;
        scan.interface.append(tokens[i].text).push_back(' ');
    }
    for (const auto& d : scan.directives) scan.interface.append("//@").append(d.text + "\n");
    return scan;
}

} // namespace lathe
