// SPDX-License-Identifier: MIT
// What a studio's window shows instead of all its panels, and whether it is dark.
#include "engine/core/log.h"
#include "engine/ui/studio_panels.h"

namespace lathe {

void Studio::Panels::show_picture_only() {
    studio.set_picture_only(!studio.is_picture_only());
    log::info("app.picture_only = {}", studio.is_picture_only() ? "True" : "False");
}

void Studio::Panels::show_presenter() {
    studio.set_presenter(!studio.is_presenter());
    log::info("app.presenter = {}", studio.is_presenter() ? "True" : "False");
}

void Studio::Panels::set_stage(Stage stage) {
    if (!imgui) return;
    constexpr double kSeconds = 3;
    imgui->make_current();
    hint_until = ImGui::GetTime() + kSeconds;
    layout.set_stage(stage);
    if (stage == Stage::presenter) editor.focus();
}

bool Studio::is_picture_only() const { return p_->layout.stage() == Stage::picture; }
bool Studio::is_presenter() const { return p_->layout.stage() == Stage::presenter; }

void Studio::set_picture_only(bool is_wanted) {
    if (is_wanted != is_picture_only()) p_->set_stage(is_wanted ? Stage::picture : Stage::panels);
}

void Studio::set_presenter(bool is_wanted) {
    if (is_wanted != is_presenter()) p_->set_stage(is_wanted ? Stage::presenter : Stage::panels);
}

bool Studio::is_light() const { return p_->imgui && p_->imgui->look() == Look::light; }

void Studio::set_light(bool is_light) {
    if (p_->imgui) p_->imgui->set_look(is_light ? Look::light : Look::dark);
}

} // namespace lathe
