// SPDX-License-Identifier: MIT
#include "engine/ui/imgui_stacks.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>
#include <implot_internal.h>

#include <cstring>
#include <exception>
#include <utility>

namespace lathe {

namespace {

/// As long as it lives nobody hears of misuses of the current context.
class Quiet {
public:
    explicit Quiet(bool is_quiet)
        : context_{is_quiet ? ImGui::GetCurrentContext() : nullptr},
          callback_{context_ ? std::exchange(context_->ErrorCallback, nullptr) : nullptr} {}
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet() {
        if (context_) context_->ErrorCallback = callback_;
    }

private:
    ImGuiContext* context_;
    ImGuiErrorCallback callback_;
};

/// ImPlot has no recovery of its own. What a plot pushed onto Dear ImGui's stacks goes with those.
void end_plots() {
    ImPlotContext* const plots = ImPlot::GetCurrentContext();
    if (!plots) return;
    if (plots->CurrentPlot) {
        IM_ASSERT_USER_ERROR(0, "Missing EndPlot()");
        ImPlot::ResetCtxForNextPlot(plots);
    }
    if (plots->CurrentSubplot) {
        IM_ASSERT_USER_ERROR(0, "Missing EndSubplots()");
        ImPlot::ResetCtxForNextSubplot(plots);
    }
    if (plots->CurrentAlignmentH || plots->CurrentAlignmentV) {
        IM_ASSERT_USER_ERROR(0, "Missing EndAlignedPlots()");
        ImPlot::ResetCtxForNextAlignedPlots(plots);
    }
}

} // namespace

ImGuiStacks::ImGuiStacks() : depth_{std::make_unique<ImGuiErrorRecoveryState>()} {
    ImGui::ErrorRecoveryStoreState(depth_.get());
}
ImGuiStacks::ImGuiStacks(ImGuiStacks&&) noexcept = default;
ImGuiStacks& ImGuiStacks::operator=(ImGuiStacks&&) noexcept = default;
ImGuiStacks::~ImGuiStacks() = default;

bool ImGuiStacks::are_restored() const {
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    const ImPlotContext* const plots = ImPlot::GetCurrentContext();
    if (context.CurrentTable || context.CurrentTabBar || context.CurrentMultiSelect) return false;
    if (plots && (plots->CurrentPlot || plots->CurrentSubplot || plots->CurrentAlignmentH))
        return false;
    ImGuiErrorRecoveryState now;
    ImGui::ErrorRecoveryStoreState(&now);
    return std::memcmp(&now, depth_.get(), sizeof now) == 0; // numbers of one size only
}

void ImGuiStacks::restore(bool quietly) const {
    const Quiet quiet{quietly};
    end_plots();
    try {
        ImGui::ErrorRecoveryTryToRecoverState(depth_.get());
    } catch (const std::exception&) {} // what cannot be mended ends with the frame
}

void ImGuiStacks::end_window(bool quietly) const {
    restore(quietly);
    const Quiet quiet{quietly};
    if (ImGui::GetCurrentContext()->CurrentWindowStack.Size >= depth_->SizeOfWindowStack)
        return ImGui::End();
    IM_ASSERT_USER_ERROR(0, "Calling End() too many times");
}

} // namespace lathe
