// SPDX-License-Identifier: MIT
// Which words there are, and in which order. The list is in completion_list.cpp.
#include "engine/ui/completion.h"

#include "engine/ui/cuda_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

namespace lathe {

namespace {

constexpr std::size_t kMostCandidates = 100;

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

enum class Distance { itself, begins, begins_in_other_case, behind_underscores, within, none };

Distance distance(std::string_view word, std::string_view part) {
    using enum Distance;
    if (word == part) return itself;
    if (word.starts_with(part)) return begins;
    const auto same = [](char a, char b) { return lower(a) == lower(b); };
    const auto at = std::search(word.begin(), word.end(), part.begin(), part.end(), same);
    if (at == word.end()) return none;
    const auto before = word.substr(0, std::size_t(at - word.begin()));
    return before.empty()                                 ? begins_in_other_case
           : before.find_first_not_of('_') == before.npos ? behind_underscores
                                                          : within;
}

enum class Origin { declared, written, header, built_in };

class Search {
public:
    explicit Search(std::string_view part) : part_{part} {}

    void add(std::string_view name, Origin origin, std::string_view kind, std::string_view written,
             std::string_view words) {
        const Distance far = distance(name, part_);
        if (far == Distance::none || !known_.emplace(name).second) return;
        found_.push_back({name, kind, written, words, far, origin});
    }
    std::vector<Candidate> nearest() {
        const auto key = [](const Ranked& r) {
            return std::tuple{r.distance, r.origin, r.name.size(), r.name};
        };
        std::ranges::sort(found_,
                          [&](const Ranked& a, const Ranked& b) { return key(a) < key(b); });
        if (found_.size() > kMostCandidates) found_.resize(kMostCandidates);
        std::vector<Candidate> out;
        for (const Ranked& r : found_)
            out.push_back(
                {std::string{r.name}, r.kind, std::string{r.written}, std::string{r.words}});
        return out;
    }

private:
    struct Ranked {
        std::string_view name, kind, written, words;
        Distance distance;
        Origin origin;
    };
    std::string_view part_;
    std::set<std::string_view> known_;
    std::vector<Ranked> found_;
};

void add_declared(Search& search, const Declaration& d, Origin origin) {
    search.add(d.name, origin, name_of(d.kind), d.text, d.comment);
}

void add_members(Search& search, const SourceIndex& index) {
    for (const Declaration& d : index.declarations())
        if (d.is_member) add_declared(search, d, Origin::declared);
    for (const auto& h : index.headers())
        for (const Declaration& d : h.declarations)
            if (d.is_member) add_declared(search, d, Origin::header);
    for (const char* part : {"x", "y", "z", "w"})
        search.add(part, Origin::built_in, "part", {}, "Of a vector type.");
    for (const char* word : {"sync", "thread_rank", "num_threads", "meta_group_rank", "shfl"})
        search.add(word, Origin::built_in, "group", {}, "Of a cooperative group.");
}

/// What is declared at a place, the innermost first; then members, for their own functions.
void add_seen(Search& search, const SourceIndex& index, std::size_t begin) {
    const auto& all = index.declarations();
    for (auto d = all.rbegin(); d != all.rend(); ++d) {
        const bool is_seen = d->is_global() || (d->offset < begin && begin <= d->scope_end);
        if (is_seen && !d->is_member && d->offset != begin)
            add_declared(search, *d, Origin::declared);
    }
    for (const Declaration& d : all)
        if (d.is_member) add_declared(search, d, Origin::declared);
}

/// Words that the text has nowhere but at the cursor are no words of it yet.
void add_written(Search& search, const SourceIndex& index, std::size_t begin) {
    const Token* const here = index.token_at(begin);
    for (const auto& [word, count] : index.words()) {
        if (here && here->offset == begin && here->text == word && count == 1) continue;
        const CudaWord* const known = find_cuda_word(word);
        if (known)
            search.add(word, Origin::written, name_of(known->kind), known->written, known->words);
        else search.add(word, Origin::written, "word", {}, {});
    }
}

} // namespace

std::vector<Candidate> find_candidates(const SourceIndex& index, std::size_t begin,
                                       std::size_t at) {
    Search search{std::string_view{index.text()}.substr(begin, at - begin)};
    if (index.is_member(begin)) {
        add_members(search, index);
        return search.nearest();
    }
    add_seen(search, index, begin);
    add_written(search, index, begin);
    for (const auto& h : index.headers())
        for (const Declaration& d : h.declarations)
            if (d.is_global()) add_declared(search, d, Origin::header);
    for (const CudaWord& word : cuda_words())
        search.add(word.name, Origin::built_in, name_of(word.kind), word.written, word.words);
    return search.nearest();
}

} // namespace lathe
