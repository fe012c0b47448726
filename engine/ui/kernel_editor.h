// SPDX-License-Identifier: MIT
// The panel in which kernels are edited: a tab a slot, markers, compile state, costs and hazards of
// the lines. Ctrl+Enter and F5 compile at once, F8 goes to the next error or hazard, F9 inspects
// (inspect_menu.h), F10 shows PTX and machine code (code_pane.h), F12 goes to a definition, Ctrl+S
// writes the file, Ctrl+Shift+[ folds, Ctrl+F finds, Ctrl+Shift+F in all tabs (find_pane.h).
// Numbers are moved by the mouse and by keys (literal_hand.h); what helps to write is in
// code_help.h.
#pragma once

#include "engine/app/input.h"
#include "engine/live/kernel_slot.h"
#include "engine/ui/code_editor.h"
#include "engine/ui/code_pane.h"
#include "engine/ui/cost_gutter.h"
#include "engine/ui/find_pane.h"
#include "engine/ui/inspect_menu.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class CodeHelp;
struct Definition;
class Session;

class KernelEditor {
public:
    /// `session` may be null: edits are not kept, then. Both must outlive the editor.
    KernelEditor(Session* session, Inspector& inspector);
    ~KernelEditor();

    /// Adds a tab. The slot must outlive the editor. An autosaved text that differs from the slot's
    /// is offered above the text where `offer_autosave`.
    void add(KernelSlot& slot, bool offer_autosave);

    /// The keys above. True where the key was one of them; called before ImGui sees it.
    bool handle(const KeyEvent& key);
    /// Cursor to the next diagnostic or hazard below it, round to the first; false where there is
    /// none.
    bool next_error();

    /// Autosaves texts that changed and rested for a second or are compiled by now, so that no text
    /// runs that is not kept; or all of them.
    void autosave(bool now = false);

    /// Inside the panel's window.
    void draw();
    /// The same for an audience: only the text of the tab in front, in large letters.
    void draw_presented();
    /// The text box has the keyboard.
    bool focused() const;
    /// The slot whose tab is in front; null where there is none.
    KernelSlot* current() const;
    /// Brings the slot's tab to the front in the next frame; nothing for a slot without a tab.
    void show(const KernelSlot& slot);
    /// The same, and hides the tabs of the others, each until it is shown again.
    void show_alone(const KernelSlot& slot);
    /// Gives the slot another text, which one undo in its tab takes back.
    void rewrite(KernelSlot& slot, const std::string& text);
    /// Marks a line of a slot's text as the one where a thread stands; null: none. `goes_there`:
    /// its tab and the cursor, too.
    void mark_step(const KernelSlot* slot, int line, bool goes_there);
    /// Marks the line whose values are shown; null: none.
    void mark_watched(const KernelSlot* slot, int line) { watched_ = {slot, line}; }
    /// Lines of a slot that have a mark of their own, and what a right click on the number of a
    /// line shows. Before the first tab.
    std::function<std::vector<LineMark>(const KernelSlot&)> stops_of;
    std::function<void(const KernelSlot&, int line)> number_menu;
    /// What is folded away is kept in the session, and folded away again where the text still has
    /// it. Before the first tab.
    bool keeps_folds = false;
    /// Line of the cursor in the tab in front, and the word that it touches, if any.
    struct CursorPlace {
        const KernelSlot* slot;
        int line;
        std::string word;
    };
    std::optional<CursorPlace> at_cursor() const;
    /// Puts the keyboard into the text box.
    void focus();
    /// What the tab in front has; empty where there is none.
    const std::string& text() const;
    /// The text of the tab in front; null where there is none.
    CodeEditor* text_in_front();
    /// Of the tab in front: its words; null where there is none.
    const CodeHelp* help() const;
    /// PTX and machine code beside the text. Its `read` is to be set.
    CodePane& code_pane() { return code_pane_; }
    const FindPane& find_pane() const { return find_pane_; }

private:
    struct Tab;
    void keep(Tab& tab);
    void note(Tab& tab);
    void bring_folds(Tab& tab);
    void keep_folds(Tab& tab);
    static void begin_anew(Tab& tab);
    void sync(Tab& tab);
    bool follow(Tab& tab);
    bool step_number(Tab& tab, const KeyEvent& key);
    void go_to(Tab& tab, const Definition& goal);
    bool has_tabs();
    void draw_banner(Tab& tab);
    void draw_footer(Tab& tab);
    void draw_text(Tab& tab);
    void draw_box(Tab& tab, ImVec2 size, bool is_presented);
    void draw_find();
    void replace_all();
    void show_costs(Tab& tab, bool may_show);

    Session* session_;
    Inspector& inspector_;
    InspectMenu inspect_menu_;
    CostGutter gutter_;
    CodePane code_pane_;
    FindPane find_pane_;
    std::vector<std::unique_ptr<Tab>> tabs_;
    std::size_t front_ = 0;
    const KernelSlot* wanted_ = nullptr; ///< to be in front
    struct Marked {
        const KernelSlot* slot = nullptr;
        int line = 0;
        int in(const KernelSlot* tab) const { return slot == tab ? line : 0; }
    };
    Marked step_, watched_;
    std::chrono::steady_clock::time_point looked_at_folds_{};
    bool focused_ = false;
};

} // namespace lathe
