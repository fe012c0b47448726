// SPDX-License-Identifier: MIT
#include "engine/live/source_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace lathe {

namespace {

bool begins_number(char c) { return c >= '0' && c <= '9'; }

class Lexer {
public:
    explicit Lexer(std::string_view source) : s_{source} {}

    std::vector<Token> run() {
        tokens_.reserve(s_.size() / 4);
        while (i_ < s_.size()) step();
        return std::move(tokens_);
    }

private:
    void step() {
        const char c = s_[i_];
        if (c == '\n') new_line();
        else if (is_space(c)) ++i_;
        else if (s_.substr(i_, 2) == "//") line_comment();
        else if (s_.substr(i_, 2) == "/*") up_to(TokenKind::comment, "*/", i_ + 2);
        else if (s_.substr(i_, 2) == "R\"") raw_text();
        else if (c == '"' || c == '\'') quoted(c);
        else if (begins_number(c) || (c == '.' && i_ + 1 < s_.size() && begins_number(s_[i_ + 1])))
            number();
        else if (is_word_character(c)) word();
        else mark(c);
    }
    void new_line() {
        std::size_t before = i_;
        while (before > line_begin_ && s_[before - 1] == '\r') --before;
        if (before == line_begin_ || s_[before - 1] != '\\') in_directive_ = false;
        ++line_;
        line_begin_ = ++i_;
        is_first_ = true;
    }
    void add(TokenKind kind, std::size_t end, bool is_open_ended = false) {
        end = std::min(end, s_.size());
        tokens_.push_back({s_.substr(i_, end - i_), kind, line_, int(i_ - line_begin_) + 1, i_,
                           in_directive_, is_first_, is_open_ended});
        if (kind == TokenKind::comment || kind == TokenKind::text)
            for (; i_ < end; ++i_)
                if (s_[i_] == '\n') {
                    ++line_;
                    line_begin_ = i_ + 1;
                }
        i_ = end;
        is_first_ = false;
    }
    void mark(char c) {
        if (c == '#' && is_first_) in_directive_ = true;
        add(TokenKind::mark, i_ + 1);
    }
    void word() {
        std::size_t end = i_ + 1;
        while (end < s_.size() && is_word_character(s_[end])) ++end;
        add(TokenKind::word, end);
    }
    /// With its suffix: 1'000, 0x1p-3f, .5f.
    void number() {
        std::size_t end = i_ + 1;
        const auto continues = [&] {
            const char c = s_[end], before = s_[end - 1];
            if (is_word_character(c) || c == '.') return true;
            if (c == '\'') return end + 1 < s_.size() && is_word_character(s_[end + 1]);
            const bool is_hex = s_.substr(i_, 2) == "0x" || s_.substr(i_, 2) == "0X";
            return (c == '+' || c == '-') &&
                   (is_hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E');
        };
        while (end < s_.size() && continues()) ++end;
        add(TokenKind::number, end);
    }
    void line_comment() {
        add(TokenKind::comment, s_.find('\n', i_)); // npos is cut to the size
    }
    void quoted(char quote) {
        std::size_t end = i_ + 1;
        while (end < s_.size() && s_[end] != quote && s_[end] != '\n')
            end += s_[end] == '\\' ? 2 : 1;
        const bool is_closed = end < s_.size() && s_[end] == quote;
        add(TokenKind::text, is_closed ? end + 1 : end, !is_closed);
    }
    void raw_text() {
        const auto open = s_.find('(', i_);
        const auto mark = s_.substr(i_ + 2, open == s_.npos ? 0 : open - i_ - 2);
        up_to(TokenKind::text, fmt::format("){}\"", mark), i_);
    }
    void up_to(TokenKind kind, const std::string& end, std::size_t from) {
        const auto at = s_.find(end, from);
        add(kind, at == s_.npos ? s_.size() : at + end.size(), at == s_.npos);
    }

    std::string_view s_;
    std::vector<Token> tokens_;
    std::size_t i_ = 0, line_begin_ = 0;
    int line_ = 1;
    bool in_directive_ = false, is_first_ = true;
};

class Pairing {
public:
    explicit Pairing(const std::vector<Token>& tokens) : t_{tokens} {
        pairs_.partner.assign(t_.size(), BracketPairs::kNone);
    }
    BracketPairs run() {
        for (std::size_t i = 0; i < t_.size(); ++i) {
            if (t_[i].in_directive && t_[i].is('#')) directive(i);
            if (t_[i].kind == TokenKind::mark) take(i, t_[i].in_directive ? own_ : open_);
        }
        pairs_.unclosed.insert(pairs_.unclosed.end(), open_.begin(), open_.end());
        std::sort(pairs_.unclosed.begin(), pairs_.unclosed.end());
        return std::move(pairs_);
    }

private:
    using Stack = std::vector<std::size_t>;
    struct Branches {
        Stack before; ///< what was open at the #if
        Stack first;  ///< at the end of the branch that counts
        bool has_first = false;
        bool is_dead = false; ///< the present one is `#if 0`
    };

    void take(std::size_t i, Stack& open) {
        const char c = t_[i].text[0];
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(i);
            return;
        }
        if (c != ')' && c != ']' && c != '}') return;
        const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
        for (std::size_t n = open.size(); n-- > 0;) {
            const char at = t_[open[n]].text[0];
            if (at == wanted) {
                for (std::size_t k = n + 1; k < open.size(); ++k)
                    if (&open == &open_) pairs_.unclosed.push_back(open[k]);
                pairs_.partner[i] = open[n];
                pairs_.partner[open[n]] = i;
                open.resize(n);
                return;
            }
            if (at == '{') return; // a ) or ] too many closes nothing of the block around it
        }
    }

    void directive(std::size_t i) {
        own_.clear();
        if (i + 1 >= t_.size()) return;
        const std::string_view word = t_[i + 1].text;
        if (word == "if" || word == "ifdef" || word == "ifndef") {
            const bool dead =
                word == "if" && i + 2 < t_.size() && t_[i + 2].in_directive && t_[i + 2].is('0');
            branches_.push_back({open_, {}, false, dead});
        } else if (!branches_.empty() && (word.starts_with("el") || word == "endif")) {
            Branches& b = branches_.back();
            if (!b.is_dead && !b.has_first) {
                b.first = open_;
                b.has_first = true;
            } else {
                drop(b.before);
            }
            b.is_dead = false;
            open_ = b.before;
            if (word != "endif") return;
            if (b.has_first) open_ = b.first;
            branches_.pop_back();
        }
    }
    /// What a branch that does not count has opened is a block without anything in it.
    void drop(const Stack& before) {
        for (const std::size_t i : open_)
            if (std::find(before.begin(), before.end(), i) == before.end()) pairs_.partner[i] = i;
    }

    const std::vector<Token>& t_;
    BracketPairs pairs_;
    Stack open_, own_;
    std::vector<Branches> branches_;
};

} // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer{source}.run(); }

BracketPairs pair_brackets(const std::vector<Token>& tokens) { return Pairing{tokens}.run(); }

} // namespace lathe
