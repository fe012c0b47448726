// SPDX-License-Identifier: MIT
// A headless window with the studio's panels but no CUDA: slots get a compiler that the test
// writes, input is injected, pictures are read back.
#pragma once

#include "engine/app/frame_loop.h"
#include "engine/app/profiler.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/live/inspector.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_presets.h"
#include "engine/live/parameter_set.h"
#include "engine/render/screenshot.h"
#include "engine/ui/console_panel.h"
#include "engine/ui/history_panel.h"
#include "engine/ui/imgui_layer.h"
#include "engine/ui/kernel_editor.h"
#include "engine/ui/key_map.h"
#include "engine/ui/layout.h"
#include "engine/ui/parameter_panel.h"
#include "engine/ui/preset_row.h"
#include "engine/ui/profiler_panel.h"
#include "engine/ui/run_control_panel.h"
#include "engine/ui/status_bar.h"
#include "engine/ui/things_panel.h"
#include "engine/ui/value_writer.h"
#include "engine/ui/view_panel.h"
#include "engine/ui/widgets.h"

#include <glad/gl.h>
#include <gtest/gtest.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace lathe {

/// Calls `build` at once, on the caller's thread.
inline KernelSlotServices immediate(BuildKernel build) {
    KernelSlotServices s;
    s.build = std::move(build);
    s.build_on = [](Task t) { t(); };
    s.reflect_on = [](Task t) { t(); };
    return s;
}

/// Of the processor, for this thread.
inline double thread_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

struct UiBench {
    explicit UiBench(int width = 1280, int height = 720, Session* session = nullptr,
                     const std::filesystem::path& layouts = {}, Look look = Look::dark)
        : window{Window::open({.title = "ui", .width = width, .height = height, .headless = true})},
          imgui{window, look}, scene{640, 480}, layout{layouts}, editor{session, inspector},
          history_panel{session}, parameter_panel{parameters, &presets, &bindings},
          run_control_panel{run_control} {
        imgui.shortcuts = [this](const KeyEvent& key) {
            return key_map.handle(key) || editor.handle(key) ||
                   (!imgui.wants_text() &&
                    (run_control.handle(key) || handle_preset_key(presets, key)));
        };
        parameter_panel.write_values = [this] {
            std::vector<KernelSlot*> all;
            for (auto& slot : this->slots) all.push_back(slot.get());
            write_values(parameters, &bindings, editor, all);
        };
        scene.clear({0.10f, 0.25f, 0.35f, 1});
    }
    ~UiBench() { EXPECT_EQ(ImGuiLayer::errors(), errors) << "Dear ImGui was misused"; }

    void frame() {
        window.poll_events();
        for (auto& slot : slots) slot->poll();
        presets.advance();
        bindings.follow_time(time);
        layout.fit(imgui, window.width(), window.height());
        imgui.begin_frame(1.0 / 60);
        layout.begin();
        ++frames;
        layout.begin_toolbar();
        run_control_panel.draw(frames, 60);
        layout.end_bar();
        if (layout.begin_panel(Place::view)) view.draw(scene, red_edge(), {});
        layout.end_panel();
        if (layout.begin_panel(Place::parameters)) parameter_panel.draw();
        layout.end_panel();
        if (layout.begin_panel(Place::things)) things_panel.draw({}, false);
        layout.end_panel();
        if (layout.begin_panel(Place::profiler)) profiler_panel.draw(stats, true);
        layout.end_panel();
        layout.set_alarm(Place::console, console_panel.has_news());
        if (layout.begin_panel(Place::console)) console_panel.draw();
        layout.end_panel();
        if (layout.begin_panel(Place::history))
            if (const auto text = history_panel.draw(editor.current(), editor.text()))
                editor.rewrite(*slots.front(), *text);
        layout.end_panel();
        const double before = thread_milliseconds();
        const std::size_t bytes_before = allocated_bytes();
        if (layout.begin_panel(Place::kernels)) editor.draw();
        editor_bytes += allocated_bytes() - bytes_before;
        editor_milliseconds += thread_milliseconds() - before;
        layout.end_panel();
        if (extra) extra();
        if (std::exchange(run_control_panel.wants_keys, false)) key_map.toggle();
        key_map.draw();
        widgets::close_open_panels();
        layout.begin_status_bar();
        status.draw({{"device", "", StatusItem::Tone::plain}},
                    {{"right", "", StatusItem::Tone::good}});
        layout.end_bar();
        // Pixels are most of a frame's time with a software OpenGL: they wait for picture().
        glEnable(GL_RASTERIZER_DISCARD);
        imgui.end_frame(window.screen());
        glDisable(GL_RASTERIZER_DISCARD);
        window.present();
        window.input().begin_frame();
    }
    void run(int n) {
        for (int i = 0; i < n; ++i) frame();
    }
    bool red_edge() const {
        for (const auto& slot : slots)
            if (slot->shows_older()) return true;
        return false;
    }

    void move(float x, float y) {
        window.inject(MoveEvent{{x, y}});
        frame();
    }
    void click(float x, float y, MouseButton button = MouseButton::left) {
        move(x, y);
        window.inject(ButtonEvent{button, true, 0});
        frame();
        window.inject(ButtonEvent{button, false, 0});
        run(2);
    }
    void key(Key k, unsigned modifiers = 0) {
        window.inject(KeyEvent{k, true, false, modifiers});
        frame();
        window.inject(KeyEvent{k, false, false, modifiers});
        frame();
    }
    /// As a keyboard does it: a key goes down, a character comes, the key goes up.
    void type(const std::string& text) {
        for (const char c : text) {
            if (c == '\n') {
                key(Key::enter);
                continue;
            }
            const Key k = c >= 'a' && c <= 'z' ? Key(int(c) - 32) : c == ' ' ? Key::space : Key(c);
            window.inject(KeyEvent{k, true, false, 0});
            window.inject(TextEvent{char32_t(c)});
            frame();
            window.inject(KeyEvent{k, false, false, 0});
            frame();
        }
    }

    KernelSlot& add(const std::string& text, BuildKernel build, const std::string& name = "step.cu",
                    bool offer = false) {
        slots.push_back(std::make_unique<KernelSlot>(KernelSource{text, name, "", {}, {}},
                                                     immediate(std::move(build))));
        slots.back()->poll();
        editor.add(*slots.back(), offer);
        return *slots.back();
    }
    /// Of the last frame.
    ImageData picture() {
        const ImVec4 behind = Layout::background();
        window.screen().clear({behind.x, behind.y, behind.z, 1});
        imgui.make_current();
        window.screen().bind();
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        return read_image(window.screen(), 3);
    }
    /// Saves into LATHE_TEST_PICTURES where that names a folder, to be looked at.
    void keep(const std::string& name) {
        if (const char* folder = std::getenv("LATHE_TEST_PICTURES"))
            save_png(std::filesystem::path{folder} / (name + ".png"), picture());
    }

    std::vector<std::unique_ptr<KernelSlot>> slots;
    ParameterSet parameters;
    ParameterBindings bindings{parameters};
    ParameterPresets presets{parameters, &bindings};
    Console console;
    ConsolePanel console_panel{console};
    RunControl run_control;
    FrameStats stats;
    Window window;
    ImGuiLayer imgui;
    gl::Framebuffer scene;
    Layout layout;
    Inspector inspector;
    KernelEditor editor;
    HistoryPanel history_panel;
    ParameterPanel parameter_panel;
    RunControlPanel run_control_panel;
    ThingsPanel things_panel;
    Profiler profiler{gpu::StreamView::legacy(), true, [] {}};
    ProfilerPanel profiler_panel{profiler, inspector, "ui"};
    ViewPanel view;
    StatusBar status;
    KeyMapPanel key_map;
    std::function<void()> extra;
    std::uint64_t frames = 0;
    double time = 0;                ///< of the program
    double editor_milliseconds = 0; ///< of the processor, for the editor's drawing so far
    std::size_t editor_bytes = 0;   ///< allocated by it so far, where a test counts them
    std::size_t (*allocated_bytes)() = [] { return std::size_t{}; };
    int errors = ImGuiLayer::errors();
};

} // namespace lathe
