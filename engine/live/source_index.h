// SPDX-License-Identifier: MIT
// What an editor looks up in a text and in the headers that it includes: the token at a place, the
// call around it, what a word was declared as, and all words there are. Read anew where the text or
// a header changed, never else.
#pragma once

#include "engine/core/api.h"
#include "engine/live/declarations.h"
#include "engine/live/source_tokens.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lathe {

class LATHE_API SourceIndex {
public:
    struct Header {
        std::filesystem::path path;
        std::filesystem::file_time_type time;
        std::string text;
        std::vector<Declaration> declarations;
    };
    struct Found {
        const Declaration* declaration = nullptr; ///< null: nothing found
        const Header* header = nullptr;           ///< null: it stands in the text
        explicit operator bool() const { return declaration != nullptr; }
    };
    /// A call whose brackets are around a place.
    struct Call {
        std::string_view name;
        std::size_t offset = 0;   ///< of the name
        int line = 0, column = 0; ///< of the name, from 1
        std::size_t open = 0;     ///< of the bracket
        std::size_t argument = 0; ///< from 0
    };

    SourceIndex() = default;
    SourceIndex(const SourceIndex&) = delete; ///< tokens lie in its text
    SourceIndex& operator=(const SourceIndex&) = delete;

    /// `version` is another one for another text. Headers are looked at where it has changed;
    /// those that cannot be read are left out. True where something was read anew.
    bool update(const std::string& text, std::uint64_t version,
                const std::vector<std::filesystem::path>& headers);

    const std::string& text() const { return text_; }
    const std::vector<Token>& tokens() const { return tokens_; }
    const std::vector<Declaration>& declarations() const { return declarations_; }
    const std::vector<Header>& headers() const { return headers_; }
    /// How often each word stands in the text, outside of comments, texts and the names of
    /// directives.
    const std::unordered_map<std::string_view, int>& words() const { return words_; }

    /// Bytes, of a line and a column from 1.
    std::size_t offset_of(int line, int column) const;
    /// The token that an offset lies in; of two that touch there, where `before`, the first one.
    const Token* token_at(std::size_t offset, bool before = false) const;
    /// The place lies within a comment or a text, its end included where it has none.
    bool is_in_words(std::size_t offset) const;
    /// What stands there comes behind a dot or an arrow.
    bool is_member(std::size_t offset) const;
    std::optional<Call> call_at(std::size_t offset) const;
    /// The text's own declaration, or a header's.
    Found find(std::string_view name, std::size_t offset) const;

private:
    void read_headers(const std::vector<std::filesystem::path>& paths);
    void count_words();

    std::string text_;
    std::uint64_t version_ = ~std::uint64_t{};
    std::vector<Token> tokens_;
    std::vector<std::size_t> lines_; ///< where each begins
    std::vector<Declaration> declarations_;
    std::unordered_map<std::string_view, int> words_;
    std::vector<Header> headers_;
};

} // namespace lathe
