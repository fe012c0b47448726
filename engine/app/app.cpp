// SPDX-License-Identifier: MIT
// The App's frame: input, swaps, scene, simulation. Kernels are in app_kernels.cpp, drawing in
// app_draw.cpp, waits in app_wait.cpp.
#include "engine/app/app.h"

#include "engine/app/app_parts.h"
#include "engine/app/device_output.h"
#include "engine/app/display_line.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/zone.h"
#include "engine/scene/camera_line.h"
#include "gl/context.h"
#include "gl/error.h"
#include "gl/sync.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/graphics_resource.h"

#include <glm/common.hpp>

#include <algorithm>
#include <chrono>
#include <exception>

namespace lathe {

namespace {

/// A kernel that runs longer is taken for one that never ends.
constexpr std::chrono::seconds kLongestLaunch{10};

Window first_window(const AppConfig& config) {
    WindowConfig w;
    w.title = config.title;
    w.width = config.width;
    w.height = config.height;
    w.headless = config.headless;
    w.vsync = config.vsync;
    w.context = config.context;
    w.display = config.display;
    if (!w.display && config.context == GlContext::own && !config.headless.value_or(false))
        w.display = display_of_environment();
    Window window = Window::open(w);
    window.enter(); // until the App stands
    return window;
}

int samples_of(const AppConfig& config, const Window& window) {
    const bool is_cheap = !window.headless() && !window.gl_info().is_software;
    const int samples = config.samples.value_or(is_cheap ? 2 : 1);
    if (samples != 1 && samples != 2)
        throw std::invalid_argument{
            fmt::format("samples of a pixel in each direction are 1 or 2, got {}", samples)};
    return samples;
}

RaysApart rays_of(const AppConfig& config, const Window& window, int samples) {
    const bool is_slow = !window.headless() && window.gl_info().is_software;
    const int moving = config.moving_rays.value_or(is_slow ? 2 : 1);
    if (moving < 1 || moving > 8)
        throw std::invalid_argument{
            fmt::format("rays stand 1 to 8 pixels apart while a camera moves, got {}", moving)};
    return {samples, moving * samples};
}

gpu::Device open_device() {
    gpu::Device device{0};
    if (gpu::Device::count() > 1) // that which OpenGL draws with, where it is one of CUDA's
        if (const auto sharing = gpu::gl_devices(); !sharing.empty()) device = sharing.front();
    gpu::Context::primary(device).make_current();
    return device;
}

} // namespace

App::Parts::Parts(App& a, AppConfig c)
    : app{&a}, config{std::move(c)}, window{first_window(config)}, loop{window},
      device{open_device()}, stream{gpu::StreamConfig{.non_blocking = false}},
      frame_map{window.context(), gpu::Context::primary(device), stream},
      steps{a, config, window.headless()}, scene{scene_services()} {
    stream.set_time_limit(kLongestLaunch);
    frame_map.set_waits({[this] { wait(); }, [this] { synchronize(); }});
    frame_map.set_on_map([this] { note_work(); });
    console.set_echo(true);
    device_output::add(console);
    line_watch.on_mark = [this] { run_control.paused = true; };
    rays(1); // looks at the configuration
    sampled.set_samples(samples_of(config, window), !config.samples);
    size_scene({window.width(), window.height()});
    for (const std::string& assignment : config.assignments) parameters.set_from_text(assignment);
    inspector.set_mode(config.inspecting);
    if (!config.profile.empty()) profiler.want();
    window.leave();
}

App::Parts::~Parts() { device_output::remove(console); }

void App::Parts::use_contexts() {
    window.context().make_current();
    gpu::Context::primary(device).make_current();
}

App::App(AppConfig config)
    : p_{new Parts(*this, std::move(config)), [](Parts* parts) {
             const gl::RestoreContext after; // it may end in the frame of another App
             delete parts;
         }} {}

App::~App() {
    end();
    p_->inspector.set_mode(Inspecting::off); // arrays may keep the rest
    p_->thread_watch.forget();
    p_->warp_watch.forget();
    p_->line_watch.forget();
    p_->plots.close();
    p_->history.set_budget(0);
    p_->memory.clear();
    p_->scene.clear();
    p_->hands.forget_selection();
    for (const auto& side : p_->side_windows) side->p_->close();
    p_->own_drawings.clear();
    p_->steps.hooks = {};
    p_->events.clear();
    p_->app = nullptr;
}

void App::end() noexcept {
    if (p_->in_frame) log::debug("an App ends within a frame");
    if (const std::string fault = finish(); !fault.empty())
        log::error("after the last frame of an App: {}", fault);
}

Viewport App::viewport() const {
    return {{0, 0}, {float(p_->window.width()), float(p_->window.height())}};
}

std::array<int, 2> App::scene_place() const { return {p_->window.width(), p_->window.height()}; }

void App::begin_panels() {
    InputState& input = p_->window.input();
    input.mouse_captured = input.keyboard_captured = false;
    for (const InputEvent& event : input.events()) {
        const auto* key = std::get_if<KeyEvent>(&event);
        if (key && !p_->events.claims(*key)) p_->run_control.handle(*key);
    }
}

void App::show_scene() { p_->sampled.picture().blit_to(p_->window.screen()); }

SceneServices App::Parts::scene_services() {
    return {[this] { return app->frame_map(); }, [this] { wait(); }};
}

/// A fault of a step before comes out where the device is asked, too.
SceneHands::Services App::Parts::hand_services() {
    return {[this](const std::function<void()>& call) {
                try {
                    call();
                } catch (const gpu::Error& error) {
                    if (!report_fault(error)) throw;
                }
            },
            [this](const std::string& line) {
                window.set_clipboard(line);
                log::info("{}", line);
            },
            [this](const std::string& line) {
                if (app->has_panels()) log::info("{}", line);
            },
            [this](const KeyEvent& key) { return events.claims(key); }};
}

RaysApart App::Parts::rays(int samples) const { return rays_of(config, window, samples); }

void App::Parts::size_scene(std::array<int, 2> place) {
    if (config.scene_width > 0 && config.scene_height > 0)
        place = {config.scene_width, config.scene_height};
    sampled.resize(place, scene.clear_color());
}

/// Sliders that follow the mouse over the picture, or keys that no text field takes.
void App::Parts::follow_input(const Viewport& place) {
    const InputState& now = window.input();
    const bool has_keys = !now.keyboard_captured;
    FollowInput input;
    input.presses = [&](std::string_view name) {
        const auto key = key_named(name);
        return has_keys && key ? now.presses(*key) : 0;
    };
    input.is_down = [&](std::string_view name) {
        const auto key = key_named(name);
        return has_keys && key && now.is_down(*key);
    };
    if (now.mouse_is_known() && !now.mouse_captured && place.contains(now.mouse())) {
        // The first and the last pixel are the ends.
        const glm::dvec2 at = glm::dvec2{now.mouse() - place.origin} /
                              glm::max(glm::dvec2{place.size} - 1.0, glm::dvec2{1.0});
        input.mouse = {std::clamp(at.x, 0.0, 1.0), std::clamp(1.0 - at.y, 0.0, 1.0)};
    }
    bindings.follow_input(input);
}

SideWindow& App::open_window(const std::string& title, int width, int height) {
    Parts& p = *p_;
    for (const auto& side : p.side_windows)
        if (side->title() == title && side->is_open()) return *side;
    p.window.context().make_current();
    WindowConfig config;
    config.title = title;
    config.width = width;
    config.height = height;
    auto parts = std::make_unique<SideWindowParts>(title, Window::open_beside(p.window, config),
                                                   p.scene_services(), p.hand_services());
    parts->scene.set_background(p.scene.background());
    parts->picture.set_samples(p.sampled.samples(), true);
    parts->begin_frame(0);
    return *p.side_windows.emplace_back(std::make_unique<SideWindow>(std::move(parts)));
}

bool App::begin_frame() {
    Parts& p = *p_;
    if (p.in_frame) throw Error{"begin_frame() was called twice without end_frame()"};
    gpu::Context::primary(p.device).make_current();
    p.profiler.begin_frame(p.loop.frame());
    if (!p.loop.begin()) {
        p.profiler.drop_frame();
        return false;
    }
    const Zone zone{"input"};
    p.frame_map.use_this_thread();
    p.poll_slots();
    p.presets.advance();
    begin_panels();
    p.bindings.follow_time(p.steps.time());
    p.follow_input(viewport());
    p.begin_work();
    p.in_frame = true;
    {
        const Zone events{"events of the program"};
        p.steps.handle_events();
    }
    p.run_control.begin_frame();
    p.begin_inspection();
    p.line_watch.begin_step();
    p.hands.update(p.window.input(), viewport(), p.loop.delta_seconds());
    p.size_scene(scene_place());
    p.drew = p.is_list_drawn = false;
    p.scene.begin_frame();
    for (const auto& side : p.side_windows) side->p_->begin_frame(p.loop.delta_seconds());
    return true;
}

void App::end_frame() {
    Parts& p = *p_;
    if (!p.in_frame) throw Error{"end_frame() was called without begin_frame()"};
    std::exception_ptr failure; // the frame is shown whatever the drawing and the stream say
    try {
        const Zone zone{"wait"};
        p.wait_alive();
    } catch (...) { failure = std::current_exception(); }
    try {
        const Zone zone{"draw"};
        draw();
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    p.in_frame = false;
    p.scene.end_frame(p.drew);
    p.window.context().make_current();
    if (p.drew) {
        const Zone zone{"smooth edges", ZoneWork::opengl};
        p.sampled.average();
    } else p.sampled.picture().clear(p.scene.clear_color());
    const bool software = p.window.gl_info().is_software;
    if (p.drew && !software) p.draw_timer.end();
    try {
        p.unmap();
        const Zone zone{"wait"};
        p.finish_work();
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    p.plots.poll();
    p.end_inspection();
    p.console.end_device_line();
    const auto drawing = std::chrono::steady_clock::now();
    try {
        const Zone zone{has_panels() ? "interface" : "show", ZoneWork::opengl};
        show_scene();
    } catch (...) { // of a panel; the frame ends in any case
        if (!failure) failure = std::current_exception();
    }
    for (const auto& side : p.side_windows) {
        const Zone zone{"further window"};
        side->p_->end_frame();
    }
    if (software) {
        const Zone zone{"rasterise"};
        gl::finish(); // a software GL has only now rasterised the frame
        p.loop.add_draw_ms(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - drawing)
                .count());
    } else if (const auto ms = p.draw_timer.milliseconds()) {
        p.loop.add_draw_ms(*ms);
    }
    p.loop.end();
    p.profiler.end_frame();
    if (failure) std::rethrow_exception(failure);
}

bool App::in_frame() const { return p_->in_frame; }
const AppConfig& App::config() const { return p_->config; }
Window& App::window() { return p_->window; }
FrameLoop& App::loop() { return p_->loop; }
RunControl& App::run_control() { return p_->run_control; }
gpu::Device& App::device() { return p_->device; }
gpu::Stream& App::stream() { return p_->stream; }
std::shared_ptr<FrameMap> App::frame_map() { return {p_, &p_->frame_map}; }
History& App::history() { return p_->history; }
Profiler& App::profiler() { return p_->profiler; }
ParameterSet& App::parameters() { return p_->parameters; }
Inspector& App::inspector() { return p_->inspector; }
ThreadWatch& App::thread_watch() { return p_->thread_watch; }
WarpWatch& App::warp_watch() { return p_->warp_watch; }
LineWatch& App::line_watch() { return p_->line_watch; }

LaunchWatch* App::launch_watch(const KernelSlot& slot, std::string_view kernel) {
    LaunchWatch* const watches[]{&p_->thread_watch, &p_->warp_watch, &p_->line_watch,
                                 p_->inspector.launch_watch()};
    for (LaunchWatch* watch : watches) {
        if (!watch || !watch->is_armed()) continue;
        const auto running = slot.loaded();
        const std::string_view name =
            kernel.empty() && running ? std::string_view{running->entry()} : kernel;
        if (watch->wants(slot, name)) return watch;
    }
    return nullptr;
}
ParameterPresets& App::presets() { return p_->presets; }
ParameterBindings& App::bindings() { return p_->bindings; }
Console& App::console() { return p_->console; }
Plots& App::plots() { return p_->plots; }
OrbitCamera& App::orbit_camera() { return view().orbit_camera(); }
PanZoomCamera& App::pan_zoom_camera() { return view().pan_zoom_camera(); }
void App::use_camera(Camera camera, Steering steering) { view().use_camera(camera, steering); }
gl::Framebuffer& App::picture() { return p_->sampled.picture(); }
void App::set_caption(std::string caption) { p_->caption = std::move(caption); }
const std::string& App::caption() const { return p_->caption; }
void App::set_time(double seconds) { p_->time = seconds; }
std::optional<double> App::time() const { return p_->time; }

} // namespace lathe
