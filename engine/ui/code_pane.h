// SPDX-License-Identifier: MIT
// PTX and machine code beside a kernel's text, linked by line both ways: rows of the cursor's line
// are marked and scrolled to, a click on a row is a line to go to. Rows of one line have one
// colour. A button at the end of the kernels' tabs opens it, F10 goes from one kind to the next.
#pragma once

#include "engine/app/input.h"
#include "engine/live/code_view.h"
#include "engine/live/worker.h"

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lathe {

/// A line of the text that rows came from has one colour, here and beside the text.
struct CodeTint {
    int line = 0;
    unsigned rgb = 0;
    bool operator==(const CodeTint&) const = default;
};

/// Of the so-many-th line: neighbours differ much.
unsigned color_of_line(std::size_t order);

/// What the pane keeps of one slot.
struct CodeTab {
    std::unique_ptr<CodeView> view; ///< once it was open
    std::vector<CodeTint> tints;    ///< sorted by line; of `version`
    std::uint64_t version = 0;
    int shown_line = 0; ///< the cursor's when it was scrolled last
    float width = 0;    ///< of the longest row
    std::size_t instructions = 0;
};

class CodePane {
public:
    ReadCode read; ///< empty: the pane says that there is no device

    CodeKind kind() const { return kind_; }
    bool is_open() const { return kind_ != CodeKind::none; }
    void set(CodeKind kind);

    /// True where the key is F10.
    bool handle(const KeyEvent& key);
    /// Inside the tab bar.
    void draw_button();

    /// Once a frame and tab in front; nothing while the pane is closed.
    void follow(CodeTab& tab, const KernelSlot& slot);
    /// Pixels of the text where both have this room: the pane stands below, in a wide room at the
    /// right.
    ImVec2 text_size(ImVec2 room);
    /// Behind the text: the bar between them, and the pane. A line to go to where a row was
    /// clicked. `line` is the cursor's.
    std::optional<int> draw(CodeTab& tab, int line);

private:
    void choose(CodeKind kind);
    void draw_head(const CodeTab& tab);
    void draw_splitter();
    std::optional<int> draw_rows(CodeTab& tab, int line);

    CodeKind kind_ = CodeKind::none, last_ = CodeKind::ptx;
    std::optional<CodeKind> to_front_; ///< a tab of the pane's, in the next frame
    std::unique_ptr<Worker> worker_;   ///< once it was open
    float share_ = 0.5f;               ///< of the text
    ImVec2 room_{}, text_{};
    bool is_beside_ = false;
};

} // namespace lathe
