// SPDX-License-Identifier: MIT
// Words in the texts of all tabs, below the text (Ctrl+Shift+F): a list of hits, to which a click,
// Enter and F4 go, and other words in the place of all. It finds anew when a text or the words have
// changed.
#pragma once

#include "engine/app/input.h"
#include "engine/live/text_search.h"
#include "engine/ui/code_editor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lathe {

/// A tab's text, as the pane sees it.
struct FindTab {
    std::string name;
    const std::string* text = nullptr;
    std::uint64_t version = 0; ///< another one for another text
};

struct FindHit {
    std::size_t tab = 0;
    SearchHit hit;
};

class FindPane {
public:
    bool is_open() const { return is_open_; }
    /// With these words in the field, unless they are none.
    void open(const std::string& words);
    void close() { is_open_ = false; }
    const std::vector<FindHit>& hits() const { return hits_; }
    const SearchFor& wanted() const { return wanted_; }
    const std::string& other_words() const { return with_; }

    /// The keys of an open pane: F4, and, while it has the keyboard, arrows and Escape. True where
    /// the key was one of them.
    bool handle(const KeyEvent& key);

    struct Wish {
        std::optional<FindHit> go_to;
        bool replace_all = false;
        bool is_closed = false; ///< the keyboard goes back to the text
    };
    /// Pixels of an open pane, of the room for both.
    float height(float room) const;
    /// Inside the panel's window, below the text.
    Wish draw(std::span<const FindTab> tabs, float height);

private:
    void search(std::span<const FindTab> tabs);
    void draw_fields(Wish& wish);
    void draw_hits(std::span<const FindTab> tabs, Wish& wish);
    void draw_row(const FindTab& tab, const SearchHit& hit, float width) const;
    void step(int by);

    bool is_open_ = false, takes_keyboard_ = false, has_keyboard_ = false;
    bool goes_ = false, closes_ = false; ///< asked for by keys, in the next draw()
    bool shows_selected_ = false;
    SearchFor wanted_;
    std::string with_;
    std::vector<FindHit> hits_;
    std::size_t selected_ = 0, place_width_ = 0; ///< place_width_: characters of the longest place
    SearchFor searched_;                         ///< of hits_
    std::vector<std::uint64_t> versions_;        ///< the same
};

} // namespace lathe
