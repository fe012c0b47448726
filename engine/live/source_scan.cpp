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
                               "__block_size__"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The name in a declarator: its last word before a default value or an array bound, where a
/// type stands before it.
void add_parameter(ScannedKernel& kernel, const std::vector<Token>& t, std::size_t begin,
                   std::size_t end) {
    const Token* name = nullptr;
    int words = 0;
    for (std::size_t i = begin; i < end && t[i].text != "=" && t[i].text != "["; ++i) {
        if (!t[i].word()) continue;
        name = &t[i];
        ++words;
    }
    if (name && words > 1)
        kernel.parameters.push_back({std::string{name->text}, name->line, name->offset});
}

ScannedKernel read_kernel(const std::vector<Token>& t, std::size_t name, std::size_t close) {
    ScannedKernel kernel{
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

} // namespace

SourceScan scan_source(std::string_view source) {
    SourceScan scan;
    const std::vector<Token> tokens = Lexer{source, scan}.run();
    find_kernels(tokens, scan);
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
