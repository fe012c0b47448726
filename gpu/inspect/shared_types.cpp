// SPDX-License-Identifier: MIT
#include "gpu/inspect/shared_types.h"

#include "gpu/ptx/dwarf_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace lathe::gpu {

namespace {

/// A word or one other character of code.
struct SourceToken {
    std::string_view text;
    std::size_t end = 0;
};

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words and characters of code: no comments, no directives, and nothing of what quotes hold.
class CodeScanner {
public:
    explicit CodeScanner(std::string_view text) : text_{text} {}

    std::vector<SourceToken> run() {
        while (at_ < text_.size()) step();
        return std::move(tokens_);
    }

private:
    bool is_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    /// Behind the next `what`.
    void skip_to(std::string_view what, std::size_t from) {
        const auto found = text_.find(what, from);
        at_ = found == text_.npos ? text_.size() : found + what.size();
    }
    void add(std::size_t bytes) {
        tokens_.push_back({text_.substr(at_, bytes), at_ + bytes});
        at_ += bytes;
    }

    void step() {
        const char c = text_[at_];
        if (c == '\n') is_line_begin_ = true;
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++at_;
            return;
        }
        if (is_at("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
            return;
        }
        if (is_at("/*")) return skip_to("*/", at_ + 2);
        if (c == '#' && is_line_begin_) return skip_directive();
        is_line_begin_ = false;
        if (is_at("R\"")) return skip_raw();
        if (c == '"' || c == '\'') return skip_quoted(c);
        std::size_t bytes = 1;
        if (is_word_letter(c))
            while (at_ + bytes < text_.size() && is_word_letter(text_[at_ + bytes])) ++bytes;
        add(bytes);
    }
    void skip_directive() {
        do skip_to("\n", at_);
        while (at_ < text_.size() && at_ > 1 &&
               (text_[at_ - 2] == '\\' || text_.substr(0, at_ - 1).ends_with("\\\r")));
        is_line_begin_ = true;
    }
    void skip_raw() {
        const auto open = std::min(text_.find('(', at_), text_.size());
        skip_to(fmt::format("){}\"", text_.substr(at_ + 2, open - at_ - 2)), open);
    }
    void skip_quoted(char quote) {
        // Of digits: 1'000.
        if (quote == '\'' && !tokens_.empty() && tokens_.back().end == at_ &&
            std::isdigit(static_cast<unsigned char>(tokens_.back().text.front()))) {
            ++at_;
            return;
        }
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_)
            if (text_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 1, text_.size());
        tokens_.push_back({"\"", at_});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool is_line_begin_ = true;
    std::vector<SourceToken> tokens_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
    return std::ranges::find(all, word) != all.end();
}

class SharedDeclarations {
public:
    explicit SharedDeclarations(const std::string& source)
        : source_{source}, tokens_{CodeScanner{source}.run()} {}

    std::string run() {
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            const std::string_view text = tokens_[k].text;
            if (text == "{") blocks_.push_back(is_code(k));
            if (text == "}" && !blocks_.empty()) blocks_.pop_back();
            if (text == "__shared__") k = declaration(k + 1);
        }
        result_ += source_.substr(copied_);
        return std::move(result_);
    }

private:
    /// Braces of a function have its parameters before them, as those of a loop have its head.
    bool is_code(std::size_t brace) const {
        if (!blocks_.empty() && blocks_.back()) return true;
        for (std::size_t k = brace; k-- > 0;) {
            if (is_one_of(tokens_[k].text, {";", "{", "}"})) return false;
            if (tokens_[k].text == ")") return true;
        }
        return false;
    }

    /// From behind the word on. Gives the last token.
    std::size_t declaration(std::size_t k) {
        std::vector<std::string_view> names;
        bool is_named = false; // the declarator
        int depth = 0, angles = 0;
        for (const std::size_t first = k; k < tokens_.size(); ++k) {
            const std::string_view text = tokens_[k].text;
            const bool is_outside = depth == 0 && angles == 0;
            if (is_outside && is_one_of(text, {"[", ",", ";", "=", "{", "("}) && !is_named &&
                k > first && is_name(k - 1, first)) {
                names.push_back(tokens_[k - 1].text);
                is_named = true;
            }
            if (is_outside && text == ",") is_named = false;
            if (is_outside && text == ";") break;
            if (is_one_of(text, {"(", "[", "{"})) ++depth;
            if (is_one_of(text, {")", "]", "}"}) && --depth < 0) return k;
            if (depth == 0 && text == "<") ++angles;
            if (depth == 0 && text == ">") angles = std::max(angles - 1, 0);
        }
        if (k == tokens_.size()) return k;
        const bool is_local = !blocks_.empty() && blocks_.back();
        result_ += source_.substr(copied_, tokens_[k].end - copied_);
        copied_ = tokens_[k].end;
        for (const std::string_view name : names)
            result_ += fmt::format(" {}decltype(&{}) {}{};", is_local ? "" : "__device__ ", name,
                                   ptx::kSharedPointer, name);
        return k;
    }

    bool is_name(std::size_t k, std::size_t first) const {
        const std::string_view text = tokens_[k].text;
        if (!is_word_letter(text.front()) || std::isdigit(static_cast<unsigned char>(text.front())))
            return false;
        const auto is_kind = [](std::string_view word) {
            return is_one_of(word, {"struct", "class", "union", "enum"});
        };
        return !is_kind(text) && !(k > first && is_kind(tokens_[k - 1].text)) &&
               !is_one_of(text, {"__align__", "alignas", "__attribute__", "decltype"});
    }

    const std::string& source_;
    std::vector<SourceToken> tokens_;
    std::vector<bool> blocks_; ///< open braces: whether they hold code
    std::string result_;
    std::size_t copied_ = 0; ///< of the source
};

} // namespace

std::string with_pointers_to_shared(const std::string& source) {
    return SharedDeclarations{source}.run();
}

} // namespace lathe::gpu
