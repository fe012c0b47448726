// SPDX-License-Identifier: MIT
#include "engine/live/declaration_reader.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace lathe {

namespace {

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 4> kStructures{"struct", "class", "union", "enum"};
constexpr std::array<std::string_view, 15> kNoDeclaration{
    "return", "break",  "continue", "goto", "case",          "default", "delete",   "new",
    "throw",  "public", "private",  "asm",  "static_assert", "sizeof",  "protected"};
constexpr std::array<std::string_view, 6> kControl{"if", "for", "while", "switch", "else", "do"};

constexpr int kDeepest = 100; ///< of blocks, beyond which nothing is read

bool starts_block(std::string_view word) { return is_among(word, kControl); }

} // namespace

bool takes_arguments_before_name(std::string_view word) {
    static constexpr std::array<std::string_view, 9> words{
        "__launch_bounds__", "__attribute__",  "__cluster_dims__", "__maxnreg__", "alignas",
        "decltype",          "__block_size__", "__align__",        "__declspec"};
    return is_among(word, words);
}

std::size_t first_list(const std::vector<Token>& t, const BracketPairs& pairs, std::size_t begin,
                       std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        if (!t[i].is('(')) continue;
        if (i > begin && !takes_arguments_before_name(t[i - 1].text)) return i;
        i = std::min(pairs.closing(i, end), end);
    }
    return end;
}

std::vector<std::pair<std::size_t, std::size_t>> list_parts(const std::vector<Token>& t,
                                                            const BracketPairs& pairs,
                                                            std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    int depth = 0;
    std::size_t from = begin;
    for (std::size_t i = begin; i < end; ++i) {
        if (t[i].is('(') || t[i].is('[') || t[i].is('{')) {
            i = std::min(pairs.closing(i, end), end);
            if (i == end) break;
        } else if (t[i].is('<')) {
            ++depth;
        } else if (t[i].is('>')) {
            --depth;
        } else if (t[i].is(',') && depth <= 0) {
            parts.emplace_back(from, i);
            from = i + 1;
        }
    }
    if (from < end || !parts.empty()) parts.emplace_back(from, end);
    return parts;
}

std::size_t declared_name(const std::vector<Token>& t, std::size_t begin, std::size_t end,
                          int words) {
    std::size_t name = end;
    for (std::size_t i = begin; i < end && !t[i].is('=') && !t[i].is('['); ++i) {
        if (!t[i].is_word()) continue;
        name = i;
        ++words;
    }
    return words > 1 ? name : end;
}

DeclarationReader::DeclarationReader(std::string_view source, const std::vector<Token>& tokens)
    : source_{source}, all_{tokens} {
    t_.reserve(all_.size());
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(t_),
                 [](const Token& t) { return t.kind != TokenKind::comment; });
    pairs_ = pair_brackets(t_);
}

std::vector<Declaration> DeclarationReader::run() {
    block(0, t_.size(), Scope::file);
    std::stable_sort(found_.begin(), found_.end(), [](const Declaration& a, const Declaration& b) {
        return a.offset < b.offset;
    });
    return std::move(found_);
}

void DeclarationReader::block(std::size_t begin, std::size_t end, Scope scope) {
    if (depth_ == kDeepest) return;
    ++depth_;
    std::size_t head = begin;
    for (std::size_t i = begin; i < end; ++i) {
        const Token& t = t_[i];
        if (t.in_directive) {
            i = directive(i);
            if (head <= i) head = std::max(head, i + 1);
        } else if (t.is(';')) {
            statement(head, i, scope);
            head = i + 1;
        } else if (t.is('(') || t.is('[')) {
            i = std::min(pairs_.closing(i, end), end);
        } else if (t.is('{')) {
            const std::size_t close = std::min(pairs_.closing(i, end), end);
            head = braces(head, i, close, scope);
            i = close;
        } else if (t.is(':') && i == head + 1 && scope != Scope::body) {
            head = i + 1; // public:
        }
    }
    --depth_;
}

/// A macro where the directive defines one; the last token of the directive.
std::size_t DeclarationReader::directive(std::size_t at) {
    std::size_t last = at;
    while (last + 1 < t_.size() && t_[last + 1].in_directive && !t_[last + 1].is('#')) ++last;
    if (at + 2 <= last && t_[at].is('#') && t_[at + 1].is("define"))
        add(DeclarationKind::macro, at + 2, at, last + 1, Scope::file, ~std::size_t{});
    return last;
}

/// What { and } enclose, with what stands before them; where the next statement begins.
std::size_t DeclarationReader::braces(std::size_t head, std::size_t open, std::size_t close,
                                      Scope scope) {
    const std::size_t list = first_list(t_, pairs_, head, open);
    for (std::size_t i = head; list == open && i < open; ++i)
        if (is_among(t_[i].text, kStructures) && (i == head || !t_[i - 1].is('<')) &&
            !(i > head && t_[i - 1].is(','))) {
            structure(head, i, open, close, scope);
            return close + 1;
        }
    const bool has_word = head < open && t_[head].is_word();
    if (head < open && (t_[head].is("namespace") || (t_[head].is("extern") && open == head + 2))) {
        block(open + 1, close, scope);
        return close + 1;
    }
    if (scope != Scope::body && list < open) {
        const std::size_t end = std::min(close, t_.size());
        function(head, list, open, scope, end < t_.size() ? t_[end].offset : source_.size(), true);
        return close + 1;
    }
    if (has_word && !starts_block(t_[head].text))
        return head; // float2 a{1, 2}: the statement goes on
    if (scope == Scope::body) control(head, open, close);
    return close + 1;
}

void DeclarationReader::structure(std::size_t head, std::size_t word, std::size_t open,
                                  std::size_t close, Scope scope) {
    std::size_t name = open;
    for (std::size_t i = word + 1; i < open && !t_[i].is(':'); ++i) {
        if (t_[i].is('(')) i = std::min(pairs_.closing(i, open), open);
        else if (t_[i].is_word() && !t_[i].is("class") && !takes_arguments_before_name(t_[i].text))
            name = i;
    }
    if (name < open)
        add(DeclarationKind::structure, name, head, std::min(close + 1, t_.size()), scope,
            scope_end_);
    if (t_[word].is("enum")) return enumerators(open + 1, close);
    block(open + 1, close, Scope::structure);
}

void DeclarationReader::enumerators(std::size_t begin, std::size_t end) {
    for (const auto& [from, to] : list_parts(t_, pairs_, begin, end))
        if (from < to && t_[from].is_word())
            add(DeclarationKind::constant, from, from, to, Scope::enumeration, scope_end_);
}

void DeclarationReader::function(std::size_t head, std::size_t list, std::size_t end_of_head,
                                 Scope scope, std::size_t body_end, bool is_definition) {
    const std::size_t close = std::min(pairs_.closing(list, end_of_head), end_of_head);
    const std::size_t name = list - 1;
    const bool is_named = list > head && t_[name].is_word();
    if (is_named && !t_[name].is("operator")) {
        bool is_kernel = false;
        for (std::size_t i = head; i < name; ++i) is_kernel |= t_[i].is("__global__");
        add(is_kernel ? DeclarationKind::kernel : DeclarationKind::function, name, head,
            std::min(close + 1, t_.size()), scope, scope_end_);
        found_.back().is_definition = is_definition;
    }
    if (!is_definition) return;
    for (const auto& [from, to] : list_parts(t_, pairs_, list + 1, close)) {
        const std::size_t parameter = declared_name(t_, from, to);
        if (parameter < to)
            add(DeclarationKind::parameter, parameter, from, to, Scope::body, body_end);
    }
    const std::size_t outer = std::exchange(scope_end_, body_end);
    std::size_t end = end_of_head + 1;
    while (end < t_.size() && t_[end].offset < body_end) ++end;
    block(end_of_head + 1, end, Scope::body);
    scope_end_ = outer;
}

/// A block within a function: what `for (...)` declares is known in it.
void DeclarationReader::control(std::size_t head, std::size_t open, std::size_t close) {
    const std::size_t end = close < t_.size() ? t_[close].offset : source_.size();
    if (const std::size_t list = first_list(t_, pairs_, head, open); list < open) {
        std::size_t to = list + 1;
        const std::size_t last = std::min(pairs_.closing(list, open), open);
        while (to < last && !t_[to].is(';') && !(t_[to].is(':') && !t_[to + 1].is(':'))) ++to;
        const bool is_loop = t_[head].is("for");
        variables(list + 1, is_loop ? to : last, Scope::body, end, !is_loop);
    }
    const std::size_t outer = std::exchange(scope_end_, end);
    if (open < close) block(open + 1, close, Scope::body);
    scope_end_ = outer;
}

void DeclarationReader::statement(std::size_t begin, std::size_t end, Scope scope) {
    if (begin >= end) return;
    const std::string_view first = t_[begin].text;
    if (starts_block(first)) return control(begin, end, end);
    if (first == "typedef") {
        if (t_[end - 1].is_word() && end > begin + 2)
            add(DeclarationKind::type, end - 1, begin, end, scope, scope_end_);
        return;
    }
    if (first == "using") {
        if (begin + 2 < end && t_[begin + 2].is('='))
            add(DeclarationKind::type, begin + 1, begin, end, scope, scope_end_);
        return;
    }
    if (is_among(first, kNoDeclaration)) return;
    const std::size_t list = first_list(t_, pairs_, begin, end);
    const std::size_t equals = std::size_t(std::find_if(t_.begin() + std::ptrdiff_t(begin),
                                                        t_.begin() + std::ptrdiff_t(list),
                                                        [](const Token& t) { return t.is('='); }) -
                                           t_.begin());
    if (scope != Scope::body && list < end && equals == list && list >= begin + 2)
        return function(begin, list, end, scope, 0, false);
    variables(begin, end, scope, scope_end_);
}

/// Behind the name that words, <...>, :: and * before it make a variable; `begin` if they do not.
std::size_t DeclarationReader::end_of_name(std::size_t begin, std::size_t end) const {
    std::size_t name = end, i = begin;
    int count = 0;
    for (; i < end; ++i) {
        if (t_[i].is_word() && takes_arguments_before_name(t_[i].text)) {
            if (i + 1 < end && t_[i + 1].is('(')) i = std::min(pairs_.closing(i + 1, end), end);
        } else if (t_[i].is_word() && !is_among(t_[i].text, kNoDeclaration)) {
            name = i;
            ++count;
        } else if (t_[i].is('<')) {
            int depth = 0; // arguments of a template, of which words and numbers are seen here
            for (; i < end; ++i) {
                if (t_[i].is('<')) ++depth;
                if (t_[i].is('>') && --depth == 0) break;
                if (t_[i].is('=') || t_[i].is('(')) return begin;
            }
        } else if (!t_[i].is('*') && !t_[i].is('&') && !t_[i].is(':')) {
            break;
        }
    }
    const bool is_named = count > 1 && name + 1 == i && !t_[name].is("auto");
    return is_named ? i : begin;
}

/// "const float a = 1, *b".
void DeclarationReader::variables(std::size_t begin, std::size_t end, Scope scope,
                                  std::size_t scope_end, bool needs_value) {
    const std::size_t behind = end_of_name(begin, end);
    if (behind == begin) return;
    const std::size_t name = behind - 1;
    const std::string_view next = behind < end ? t_[behind].text : std::string_view{};
    const bool has_value = next == "=" && behind + 1 < end && !t_[behind + 1].is('=');
    const bool may_follow =
        next.empty() || has_value || next == "[" || next == "," || next == "(" || next == "{";
    if (!may_follow || (needs_value && !has_value)) return;
    std::size_t type_end = name;
    while (type_end > begin && (t_[type_end - 1].is('*') || t_[type_end - 1].is('&'))) --type_end;
    for (const auto& [from, to] : list_parts(t_, pairs_, name, end)) {
        std::size_t at = from;
        while (at < to && !t_[at].is_word()) ++at;
        if (at == to) continue;
        std::size_t last = at + 1;
        while (last < to && t_[last].is('[')) last = std::min(pairs_.closing(last, to), to - 1) + 1;
        add(DeclarationKind::variable, at, at == name ? begin : at, last, scope, scope_end);
        if (at != name) found_.back().text = words(begin, type_end) + ' ' + words(from, last);
    }
}

void DeclarationReader::add(DeclarationKind kind, std::size_t name, std::size_t begin,
                            std::size_t end, Scope scope, std::size_t scope_end) {
    Declaration d;
    d.name = t_[name].text;
    d.kind = kind;
    d.text = words(begin, end);
    const bool has_body = kind == DeclarationKind::kernel || kind == DeclarationKind::function ||
                          kind == DeclarationKind::structure;
    if (!has_body) d.comment = comment_behind(end - 1);
    if (d.comment.empty()) d.comment = comment_above(begin);
    d.line = t_[name].line;
    d.column = t_[name].column;
    d.offset = t_[name].offset;
    d.scope_end = scope_end;
    d.is_member = scope == Scope::structure;
    found_.push_back(std::move(d));
}

} // namespace lathe
