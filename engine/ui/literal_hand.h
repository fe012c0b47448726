// SPDX-License-Identifier: MIT
// A number of the text under the mouse or the cursor is moved: Ctrl (or Alt) and a drag to the
// right or the left, or Alt with the arrows up and down. Shift makes ten of a step, Ctrl and Alt
// together a tenth. The slot does the rest: with a variable, or a compile for each value.
#pragma once

#include "engine/live/kernel_slot.h"
#include "engine/ui/code_editor.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class LiteralHand {
public:
    /// Before the editor is drawn: what the mouse does. `text` is the editor's, which is also the
    /// slot's but for line ends; `version` is another for another text.
    void update(CodeEditor& editor, KernelSlot& slot, const std::string& text,
                std::uint64_t version);
    /// After it: the hint under the number.
    void draw(CodeEditor& editor, const KernelSlot& slot) const;

    /// A step of the number at the cursor; false where there is none.
    bool step(CodeEditor& editor, KernelSlot& slot, bool up, bool coarse, bool fine);
    /// Lets go of what step() moved.
    void end_steps(KernelSlot& slot);

    /// The mouse drags a number.
    bool has_mouse() const { return by_ == By::mouse; }
    /// What is in the hand or would be; empty: nothing.
    const std::string& hint() const { return hint_; }

private:
    enum class By { nothing, mouse, keys };
    const Literal* under_mouse(const CodeEditor& editor, const std::string& text,
                               std::uint64_t version);
    void drag(CodeEditor& editor, KernelSlot& slot);
    void release(KernelSlot& slot);
    bool holds(const KernelSlot& slot) const;

    std::vector<Literal> literals_; ///< of the text of version_
    std::uint64_t version_ = 0;
    const Literal* hovered_ = nullptr;
    By by_ = By::nothing;
    std::uint64_t id_ = 0; ///< of the grab
    int place_ = 0;        ///< of a step
    float from_ = 0;       ///< where the mouse had made the last step
    bool has_moved_ = false;
    std::chrono::steady_clock::time_point stepped_{};
    std::string hint_;
};

} // namespace lathe
