// SPDX-License-Identifier: MIT
// What a Session has of the KernelEditor: versions of its texts, and what is folded away.
#include "engine/ui/kernel_editor_tab.h"

#include <chrono>
#include <string_view>
#include <utility>

namespace lathe {

using std::chrono::steady_clock;

namespace {

constexpr std::string_view kFolds = "folds"; ///< the name of the session's file

Outcome outcome_of(SlotState state) {
    switch (state) {
    case SlotState::good: return Outcome::good;
    case SlotState::failed: return Outcome::failed;
    case SlotState::faulted: return Outcome::faulted;
    default: return Outcome::unknown;
    }
}

} // namespace

/// The text came from elsewhere: no version is it, until an edit makes one of it.
void KernelEditor::begin_anew(Tab& tab) {
    tab.first_text = tab.text;
    tab.kept.clear();
    tab.noted = Outcome::unknown;
}

/// Autosaves the tab's text, which the slot need not have any more; before its first edit what was
/// there, so that the way back leads to it.
void KernelEditor::keep(Tab& tab) {
    if (!session_ || !tab.unsaved) return;
    const std::string first = std::exchange(tab.first_text, {});
    const Outcome noted = std::exchange(tab.noted, Outcome::unknown);
    if (!first.empty()) session_->note(session_->autosave(tab.slot->key(), first), noted);
    tab.kept = session_->autosave(tab.slot->key(), tab.text);
    tab.unsaved = false;
}

/// What became of the text, once that is known.
void KernelEditor::note(Tab& tab) {
    if (!session_ || tab.unsaved || tab.version != tab.slot->text_version()) return;
    const Outcome outcome = outcome_of(tab.slot->state());
    if (outcome == Outcome::unknown || outcome == tab.noted) return;
    tab.noted = outcome;
    if (!tab.kept.empty()) session_->note(tab.kept, outcome);
}

/// What the last run had folded away.
void KernelEditor::bring_folds(Tab& tab) {
    if (!session_ || !keeps_folds) return;
    tab.kept_folds = session_->kept_beside(tab.slot->key(), kFolds);
    tab.editor.put_folds(parse_folds(tab.kept_folds));
}

void KernelEditor::keep_folds(Tab& tab) {
    std::string folds = to_text(tab.editor.folds());
    if (folds == tab.kept_folds) return;
    keeps_folds = session_->keep_beside(tab.slot->key(), kFolds, folds); // one warning is enough
    tab.kept_folds = std::move(folds);
}

void KernelEditor::autosave(bool now) {
    const auto time = steady_clock::now();
    const bool looks = now || time - looked_at_folds_ >= std::chrono::seconds{1};
    if (looks) looked_at_folds_ = time;
    for (auto& tab : tabs_) {
        sync(*tab);
        const bool rests = steady_clock::now() - tab->changed_at >= std::chrono::seconds{1};
        const bool compiles = tab->slot->state() != SlotState::waiting;
        const MovedLiteral* const moved = tab->slot->moved_literal();
        const bool moves = moved && moved->held; // what comes and goes is not kept
        if (now || (!moves && (rests || compiles))) keep(*tab);
        note(*tab);
        if (session_ && keeps_folds && looks) keep_folds(*tab);
    }
}

} // namespace lathe
