// SPDX-License-Identifier: MIT
// What begins must end: how deep the stacks of Dear ImGui and ImPlot are, to go back to. A program
// that throws, or forgets an end, then spoils no other panel.
#pragma once

#include <memory>

struct ImGuiErrorRecoveryState;

namespace lathe {

class ImGuiStacks {
public:
    /// As deep as they are in this frame of the current context.
    ImGuiStacks();
    ImGuiStacks(ImGuiStacks&&) noexcept;
    ImGuiStacks& operator=(ImGuiStacks&&) noexcept;
    ~ImGuiStacks();

    /// Nothing has begun since that has not ended.
    bool are_restored() const;
    /// Ends what has begun since. Each is a misuse that the context's callback hears of, unless it
    /// is done quietly, as after an error.
    void restore(bool quietly) const;
    /// The same, and ends the window too that has begun before these stacks were taken. Where the
    /// program has ended it already, that is the misuse.
    void end_window(bool quietly) const;

private:
    std::unique_ptr<ImGuiErrorRecoveryState> depth_;
};

} // namespace lathe
