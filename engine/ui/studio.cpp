// SPDX-License-Identifier: MIT
// The studio's frame: input, swaps, scene, simulation, panels. Kernels are in studio_kernels.cpp,
// drawing in studio_draw.cpp, panels in studio_panels.cpp.
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "engine/ui/device_output.h"
#include "engine/ui/studio_parts.h"
#include "engine/ui/widgets.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <chrono>

namespace lathe {

namespace {

/// A kernel that runs longer is taken for one that never ends.
constexpr std::chrono::seconds kLongestLaunch{10};

std::string session_name(const StudioConfig& config) {
    return config.session.empty() ? config.title : config.session;
}

Window open_window(const StudioConfig& config) {
    WindowConfig w;
    w.title = config.title;
    w.width = config.width;
    w.height = config.height;
    w.headless = config.headless;
    w.vsync = config.vsync;
    return Window::open(w);
}

gpu::Device open_device() {
    gpu::Device device{0};
    gpu::Context::primary(device).make_current();
    return device;
}

std::unique_ptr<Session> open_session(const StudioConfig& config) {
    if (!config.ui || !config.restore) return nullptr;
    return std::make_unique<Session>(session_name(config), cache_directory());
}

std::filesystem::path layout_folder(const StudioConfig& config) {
    if (!config.restore) return {};
    const auto folder = cache_directory() / "layout";
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    return folder;
}

} // namespace

Studio::Parts::Parts(StudioConfig c)
    : config{std::move(c)}, window{open_window(config)}, loop{window, &run_control},
      device{open_device()}, stream{gpu::StreamConfig{.non_blocking = false}},
      frame_map{window.context(), gpu::Context::primary(device), stream},
      sim_begin{gpu::EventConfig{}}, sim_end{gpu::EventConfig{}}, session{open_session(config)},
      layout{layout_folder(config)}, editor{session.get()}, parameter_panel{parameters},
      run_control_panel{run_control} {
    stream.set_time_limit(kLongestLaunch);
    frame_map.set_waits({[this] { wait(); }, [this] { synchronize(); }});
    console.set_echo(!config.ui || window.headless());
    device_output::add(console);
    if (config.ui) {
        imgui = std::make_unique<ImGuiLayer>(window);
        imgui->shortcuts = [this](const KeyEvent& key) {
            if (editor.handle(key)) return true;
            return !imgui->wants_text() && run_control_panel.handle(key);
        };
    }
    if (session && session->crashed_last_time()) {
        run_control.request_step(); // one step, so that there is a picture
        paused_because = "Paused: the last run did not end by itself. Space goes on.";
        log::warning("the last run did not end by itself: starting paused (Space to play)");
    }
    size_scene();
}

Studio::Parts::~Parts() {
    device_output::remove(console);
    editor.autosave(true);
}

Studio::Studio(StudioConfig config) : p_{std::make_unique<Parts>(std::move(config))} {}

Studio::~Studio() {
    if (p_->in_frame) log::debug("the studio ends within a frame");
    if (const std::string fault = finish(); !fault.empty())
        log::error("after the last frame of an App: {}", fault);
}

Viewport Studio::Parts::viewport() const {
    if (imgui) return view.viewport();
    return {{0, 0}, {float(window.width()), float(window.height())}};
}

Camera Studio::Parts::active_camera() const {
    return camera.value_or(draws_space ? Camera::orbit : Camera::pan_zoom);
}

void Studio::Parts::size_scene() {
    int width = window.width(), height = window.height();
    if (imgui && view.size().x > 0) {
        width = view.size().x;
        height = view.size().y;
    }
    if (config.scene_width > 0 && config.scene_height > 0) {
        width = config.scene_width;
        height = config.scene_height;
    }
    if (scene && scene.width() == width && scene.height() == height) return;
    scene = gl::Framebuffer{width, height, gl::Format::rgba8, true};
}

void Studio::Parts::handle_keys() {
    InputState& input = window.input();
    input.mouse_captured = imgui && !view.has_mouse();
    input.keyboard_captured = imgui && imgui->wants_text();
    if (imgui) return;
    for (const InputEvent& event : input.events())
        if (const auto* key = std::get_if<KeyEvent>(&event)) run_control_panel.handle(*key);
}

void Studio::Parts::update_cameras() {
    if (active_camera() == Camera::orbit) orbit.update(window.input(), viewport());
    else pan_zoom.update(window.input(), viewport());
}

bool Studio::begin_frame() {
    if (p_->in_frame) throw Error{"begin_frame() was called twice without end_frame()"};
    if (!p_->loop.begin()) return false;
    Parts& p = *p_;
    gpu::Context::primary(p.device).make_current();
    p.frame_map.use_this_thread();
    p.poll_slots();
    p.handle_keys();
    if (!p.run_control.paused) p.paused_because.clear();
    if (p.imgui) {
        p.layout.fit(*p.imgui, p.window.width(), p.window.height());
        p.imgui->begin_frame(p.loop.delta_seconds());
        p.layout.begin();
    }
    p.update_cameras();
    p.size_scene();
    p.scene.bind();
    p.scene.clear(p.background);
    p.drew = false;
    p.sim_measured = false;
    p.placement.reset();
    p.sim_begin.record(p.stream);
    p.in_frame = true;
    return true;
}

/// The stream is done with this frame's work: then its kernels have run without fault.
void Studio::Parts::finish_simulation() {
    try {
        if (!sim_measured) sim_end.record(stream);
        // The stream may wait for GL commands of this frame, which nobody else would send off.
        if (!window.gl_info().is_software) glFlush();
        wait();
        stream.synchronize();
        loop.add_sim_ms(double(sim_end.elapsed_since(sim_begin).count()));
        for (auto& s : slots) s.slot->confirm();
    } catch (const gpu::Error& error) {
        if (!report_fault(error)) throw;
    }
}

void Studio::end_frame() {
    Parts& p = *p_;
    if (!p.in_frame) throw Error{"end_frame() was called without begin_frame()"};
    p.in_frame = false;
    p.unmap();
    p.window.context().make_current();
    const bool software = p.window.gl_info().is_software;
    if (p.drew && !software) p.draw_timer.end();
    std::exception_ptr failure; // the frame is shown whatever the stream says
    try {
        p.finish_simulation();
    } catch (...) { failure = std::current_exception(); }
    p.console.end_device_line();
    const auto drawing = std::chrono::steady_clock::now();
    if (p.imgui) {
        p.imgui->make_current(); // another studio may have begun a frame since
        widgets::close_open_panels();
        p.draw_panels();
        const ImVec4 behind = Layout::background();
        p.window.screen().clear({behind.x, behind.y, behind.z, 1});
        p.imgui->end_frame(p.window.screen());
        p.editor.autosave();
    } else {
        p.scene.blit_to(p.window.screen());
    }
    if (software) {
        glFinish(); // a software GL has only now rasterised the frame
        p.loop.add_draw_ms(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - drawing)
                .count());
    } else if (const auto ms = p.draw_timer.milliseconds()) {
        p.loop.add_draw_ms(*ms);
    }
    p.loop.end();
    if (failure) std::rethrow_exception(failure);
}

bool Studio::in_frame() const { return p_->in_frame; }
const StudioConfig& Studio::config() const { return p_->config; }
Window& Studio::window() { return p_->window; }
FrameLoop& Studio::loop() { return p_->loop; }
RunControl& Studio::run_control() { return p_->run_control; }
gpu::Device& Studio::device() { return p_->device; }
gpu::Stream& Studio::stream() { return p_->stream; }
FrameMap& Studio::frame_map() { return p_->frame_map; }
ParameterSet& Studio::parameters() { return p_->parameters; }
ConsolePanel& Studio::console() { return p_->console; }
OrbitCamera& Studio::orbit_camera() { return p_->orbit; }
PanZoomCamera& Studio::pan_zoom_camera() { return p_->pan_zoom; }
void Studio::use_camera(Camera camera) { p_->camera = camera; }
gl::Framebuffer& Studio::scene() { return p_->scene; }
ImGuiLayer* Studio::imgui() { return p_->imgui.get(); }
Session* Studio::session() { return p_->session.get(); }

} // namespace lathe
