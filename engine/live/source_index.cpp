// SPDX-License-Identifier: MIT
#include "engine/live/source_index.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lathe {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestHeader = 1 << 20; ///< bytes

bool is_called_like_a_function(const Token& t) {
    static constexpr std::array<std::string_view, 7> words{"if",     "for",    "while",  "switch",
                                                           "return", "sizeof", "alignof"};
    return t.is_word() && std::find(words.begin(), words.end(), t.text) == words.end();
}

SourceIndex::Call found_call(const Token& name, std::size_t open, std::size_t argument) {
    return {name.text, name.offset, name.line, name.column, open, argument};
}

} // namespace

bool SourceIndex::update(const std::string& text, std::uint64_t version,
                         const std::vector<fs::path>& headers) {
    if (version_ == version) return false;
    version_ = version;
    read_headers(headers);
    if (text_ == text && !lines_.empty()) return true;
    text_ = text;
    tokens_ = tokens_of(text_);
    declarations_ = declarations_of(text_, tokens_);
    lines_ = {0};
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n') lines_.push_back(i + 1);
    count_words();
    return true;
}

/// `#include <a.h>` has no words, `#define A B` has two.
void SourceIndex::count_words() {
    words_.clear();
    bool is_include = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const Token& t = tokens_[i];
        const bool names_directive = t.in_directive && i > 0 && tokens_[i - 1].is('#');
        if (names_directive) is_include = t.is("include") || t.is("pragma");
        if (t.is_word() && !names_directive && !(t.in_directive && is_include)) ++words_[t.text];
    }
}

void SourceIndex::read_headers(const std::vector<fs::path>& paths) {
    std::vector<Header> now;
    for (const fs::path& path : paths) {
        std::error_code failed;
        const auto time = fs::last_write_time(path, failed);
        if (failed || fs::file_size(path, failed) > kLargestHeader || failed) continue;
        const auto known = std::ranges::find(headers_, path, &Header::path);
        if (known != headers_.end() && known->time == time) {
            now.push_back(std::move(*known));
            continue;
        }
        std::ifstream file{path, std::ios::binary};
        Header header{path, time, {std::istreambuf_iterator<char>{file}, {}}, {}};
        header.declarations = declarations_of(header.text, tokens_of(header.text));
        now.push_back(std::move(header));
    }
    headers_ = std::move(now);
}

std::size_t SourceIndex::offset_of(int line, int column) const {
    if (line < 1 || std::size_t(line) > lines_.size()) return text_.size();
    return std::min(lines_[std::size_t(line) - 1] + std::size_t(std::max(column, 1) - 1),
                    text_.size());
}

const Token* SourceIndex::token_at(std::size_t offset, bool before) const {
    auto at = std::upper_bound(tokens_.begin(), tokens_.end(), offset,
                               [](std::size_t o, const Token& t) { return o < t.offset; });
    if (at == tokens_.begin()) return nullptr;
    --at;
    if (before && at->offset == offset && at != tokens_.begin() && std::prev(at)->end() == offset)
        --at;
    return offset < at->end() || (before && offset == at->end()) ? &*at : nullptr;
}

bool SourceIndex::is_in_words(std::size_t offset) const {
    const Token* const t = token_at(offset, true);
    if (!t || (t->kind != TokenKind::comment && t->kind != TokenKind::text)) return false;
    const bool ends_with_line = t->is_open_ended || t->text.starts_with("//");
    return offset < t->end() || ends_with_line;
}

std::optional<SourceIndex::Call> SourceIndex::call_at(std::size_t offset) const {
    if (is_in_words(offset)) return {};
    auto at = std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                               [](const Token& t, std::size_t o) { return t.offset < o; });
    int depth = 0;
    std::size_t commas = 0;
    while (at != tokens_.begin()) {
        const Token& t = *--at;
        if (t.kind != TokenKind::mark) continue;
        const char c = t.text[0];
        if (c == ')' || c == ']' || c == '}') ++depth;
        else if (c == ',' && depth == 0) ++commas;
        else if (depth == 0 && (c == ';' || c == '{')) return {};
        else if (c == '(' || c == '[' || c == '{') {
            if (depth-- > 0) continue;
            depth = 0;
            if (c == '(' && at != tokens_.begin() && is_called_like_a_function(*std::prev(at)))
                return found_call(*std::prev(at), t.offset, commas);
            commas = 0;
        }
    }
    return {};
}

bool SourceIndex::is_member(std::size_t offset) const {
    std::size_t before = offset;
    while (before > 0 && is_space(text_[before - 1])) --before;
    if (before == 0) return false;
    return text_[before - 1] == '.' ||
           (before > 1 && text_[before - 1] == '>' && text_[before - 2] == '-');
}

SourceIndex::Found SourceIndex::find(std::string_view name, std::size_t offset) const {
    const bool member = is_member(offset);
    const auto fits = [&](const Declaration* d) { return d && (!member || d->is_member); };
    if (const Declaration* d = find_declaration(declarations_, name, offset, member); fits(d))
        return {d, nullptr};
    for (const Header& header : headers_) // a header's locals are seen by nobody
        if (const Declaration* d = find_declaration(header.declarations, name, 0, member); fits(d))
            return {d, &header};
    return {};
}

} // namespace lathe
