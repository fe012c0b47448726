// SPDX-License-Identifier: MIT
// A tab of the KernelEditor; shared by the kernel_editor*.cpp sources and seen by nobody else.
#pragma once

#include "engine/live/session.h"
#include "engine/ui/code_help.h"
#include "engine/ui/kernel_editor.h"
#include "engine/ui/literal_hand.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct KernelEditor::Tab {
    KernelSlot* slot;
    CodeEditor editor;
    std::string label;         ///< with ImGui's id after ###
    std::string text;          ///< what the editor and the slot last agreed on
    std::uint64_t version = 0; ///< of the slot's text shown here
    std::vector<Diagnostic> shown;
    std::vector<LineMark> hazards; ///< shown, too
    std::vector<CodeTint> tints;   ///< the same
    std::vector<LineMark> stops;   ///< the same
    int step = 0;                  ///< line that is marked as a thread's; 0: none
    int watched = 0;               ///< line that is marked as that whose values are shown
    CodeTab code;
    bool has_gutter = false;
    bool is_hidden = false;
    std::chrono::steady_clock::time_point changed_at{};
    bool unsaved = false;             ///< not autosaved yet
    std::string first_text;           ///< before the next edit, until that is kept
    std::filesystem::path kept;       ///< the version that the text is, once autosaved
    Outcome noted = Outcome::unknown; ///< of it; before an edit of first_text
    std::optional<Session::Saved> offer;
    std::string kept_folds; ///< in the session's file
    LiteralHand hand;
    CodeHelp help;
    std::uint64_t followed = 0; ///< id of the number that moved last
};

} // namespace lathe
