// SPDX-License-Identifier: MIT
// An App with panels around its picture: editor, parameters, run control, profiler, console. What
// Python's App wraps.
#pragma once

#include "engine/app/app.h"
#include "engine/core/api.h"
#include "engine/live/code_listing.h"
#include "engine/ui/file_panel.h"
#include "engine/ui/program_hooks.h"
#include "engine/ui/prompt_row.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

class ImGuiLayer;
class Session;

class LATHE_API Studio final : public App {
public:
    /// Throws as App. Without panels it is one, and no more.
    explicit Studio(AppConfig config);
    Studio(int argc, char** argv, AppConfig config = {})
        : Studio{with_options(argc, argv, std::move(config))} {}
    ~Studio() override;

    /// Null without panels.
    ImGuiLayer* imgui();
    Session* session();
    /// A panel of the program's own, drawn in each frame inside end_frame (widgets.h). Where `draw`
    /// throws, what it left open is closed, and `on_failure` is called; without that, and where it
    /// throws, the step fails.
    void add_panel(std::string title, std::function<void()> draw,
                   std::function<void(const std::exception_ptr&)> on_failure = {});
    /// Brings a kernel's tab of the editor to the front, and hides the others' until they are
    /// shown.
    void show_kernel_alone(const KernelSlot& slot);
    /// A row for lines of Python below the console; nothing without panels. F2 goes there.
    void set_prompt(PromptHooks hooks);
    /// CUDA sources and Python scripts open as from the menu; the rest as in an App.
    void take_drop(const DropEvent& drop) override;
    /// What the menu opens beside this program.
    void set_programs(ProgramHooks hooks);
    /// All panels go to the places of this form: "default", "code" or "picture", which says what is
    /// large. Throws std::invalid_argument for another word.
    void arrange(std::string_view form);
    /// A hidden panel leaves its room to its neighbours: by its title. Throws
    /// std::invalid_argument for one that there is not, and for the picture.
    void show_panel(std::string_view title, bool is_shown);
    /// Asks the user for a file, over the panels; without panels nobody is asked. `folder`: what is
    /// shown at first; empty: the program's.
    void ask_file(FileQuestion question, const std::filesystem::path& folder = {});
    /// The picture fills the window; F11 does it, too.
    void set_picture_only(bool is_wanted);
    bool is_picture_only() const;
    /// The same, and the text of the editor's tab lies over the picture in large letters, where it
    /// is edited as always; Shift+F11 does it, too.
    void set_presenter(bool is_wanted);
    bool is_presenter() const;
    /// Dark words on light panels, from the next frame on.
    void set_light(bool is_light);
    bool is_light() const;
    /// PTX or machine code beside the text of the editor's kernels; nothing without panels.
    void show_code(CodeKind kind);
    CodeKind shown_code() const;
    /// Device, GL, interop mode with the reason for a copy path, frame rate, bytes copied, compile
    /// state: the parts of the status bar, in its order.
    std::vector<std::string> status_lines();
    bool has_panels() const override;

private:
    Viewport viewport() const override;
    std::array<int, 2> scene_place() const override;
    void begin_panels() override;
    void refresh_panels(double seconds) override;
    void enter_step() override;
    void show_scene() override;
    void on_new_slot(KernelSlot& slot) override;
    void on_end_of_session() override;
    void show_wait(const std::string& why) override;
    void hide_wait() override;

    struct Panels;
    std::unique_ptr<Panels> p_;
};

} // namespace lathe
