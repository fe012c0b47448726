// SPDX-License-Identifier: MIT
// The App's frame: input, swaps, scene, simulation. Kernels are in app_kernels.cpp, drawing in
// app_draw.cpp, waits in app_wait.cpp.
#include "engine/app/app.h"

#include "engine/app/app_parts.h"
#include "engine/app/device_output.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/scene/camera_line.h"
#include "gl/context.h"
#include "gl/error.h"
#include "gl/sync.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/graphics_resource.h"

#include <chrono>
#include <exception>

namespace lathe {

namespace {

/// A kernel that runs longer is taken for one that never ends.
constexpr std::chrono::seconds kLongestLaunch{10};

Window open_window(const AppConfig& config) {
    WindowConfig w;
    w.title = config.title;
    w.width = config.width;
    w.height = config.height;
    w.headless = config.headless;
    w.vsync = config.vsync;
    w.context = config.context;
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
    : app{&a}, config{std::move(c)}, window{open_window(config)}, loop{window, &run_control},
      device{open_device()}, stream{gpu::StreamConfig{.non_blocking = false}},
      frame_map{window.context(), gpu::Context::primary(device), stream},
      steps{a, config, window.headless()},
      scene{{[this] { return app->frame_map(); }, [this] { wait(); }}} {
    stream.set_time_limit(kLongestLaunch);
    frame_map.set_waits({[this] { wait(); }, [this] { synchronize(); }});
    frame_map.set_on_map([this] { note_work(); });
    console.set_echo(true);
    device_output::add(console);
    samples = samples_of(config, window);
    rays = rays_of(config, window, samples);
    size_scene({window.width(), window.height()});
    for (const std::string& assignment : config.assignments) parameters.set_from_text(assignment);
    inspector.set_mode(config.inspecting);
    window.leave();
}

App::Parts::~Parts() { device_output::remove(console); }

App::App(AppConfig config)
    : p_{new Parts(*this, std::move(config)), [](Parts* parts) {
             const gl::RestoreContext after; // it may end in the frame of another App
             delete parts;
         }} {}

App::~App() {
    end();
    p_->inspector.set_mode(Inspecting::off); // arrays may keep the rest
    p_->memory.clear();
    p_->scene.clear();
    p_->selected.clear();
    p_->own_drawings.clear();
    p_->steps.hooks = {};
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
    for (const InputEvent& event : input.events())
        if (const auto* key = std::get_if<KeyEvent>(&event)) p_->run_control.handle(*key);
}

void App::show_scene() { p_->picture.blit_to(p_->window.screen()); }

void App::Parts::size_scene(std::array<int, 2> place) {
    if (config.scene_width > 0 && config.scene_height > 0)
        place = {config.scene_width, config.scene_height};
    if (picture && picture.width() == place[0] && picture.height() == place[1]) return;
    if (samples > 1 && !make_fine(place)) samples = rays.still = rays.moving = 1;
    gl::Framebuffer sized{place[0], place[1], gl::Format::rgba8, samples == 1};
    sized.clear(scene.clear_color());
    if (picture) picture.blit_to(sized); // shown until the next drawing
    picture = std::move(sized);
}

/// False where nobody has asked for samples and GL has no picture so large.
bool App::Parts::make_fine(std::array<int, 2> place) {
    try {
        fine = gl::Framebuffer{samples * place[0], samples * place[1], gl::Format::rgba8, true};
        return true;
    } catch (const gl::Error& error) {
        if (config.samples) throw;
        log::warning("a pixel has one sample from now on: {}", error.what());
        return false;
    }
}

void App::Parts::update_cameras(const Viewport& viewport) {
    const auto views = scene.views(); // a wait may let the program change them
    drags.resize(views.size());
    selection_drags.resize(views.size());
    const bool clicked_twice =
        double_click.follow(window.input(), std::chrono::steady_clock::now());
    const InputState& input = window.input();
    const View* const uppermost =
        view_at(input.any_button_pressed() ? input.drag_start() : input.mouse(), viewport);
    for (std::size_t i = 0; i < views.size(); ++i) {
        View& view = *views[i];
        const Viewport place = place_of(view, viewport);
        if (&view != uppermost && !drags[i].is_dragging() && !selection_drags[i].is_drawing())
            continue;
        if (update_selection(view, selection_drags[i], place)) continue;
        if (view.camera() == Camera::orbit)
            drags[i].move(view.orbit_camera(), window.input(), place,
                          {view.steering(), loop.delta_seconds()});
        else drags[i].move(view.pan_zoom_camera(), window.input(), place);
        if (!input.keyboard_captured && input.pressed(Key::home) && place.contains(input.mouse()))
            ask_device([&] { view.fit(); });
        if (clicked_twice && !input.mouse_captured && place.contains(input.drag_start()))
            fit_picked(view, place);
        if (!input.keyboard_captured && input.pressed(Key::c) && input.modifiers() == 0 &&
            place.contains(input.mouse()))
            copy_camera(view);
    }
}

/// As a line of Python: to the clipboard and the console.
void App::Parts::copy_camera(View& view) {
    const std::string line = camera_line(view);
    window.set_clipboard(line);
    log::info("{}", line);
}

/// A fault of a step before comes out here, too.
template <class Call> void App::Parts::ask_device(const Call& call) {
    try {
        call();
    } catch (const gpu::Error& error) {
        if (!report_fault(error)) throw;
    }
}

/// The camera shows all of the thing that was clicked on.
void App::Parts::fit_picked(View& view, const Viewport& place) {
    const glm::vec2 part = (window.input().drag_start() - place.origin) / place.size;
    ask_device([&] {
        if (const auto picked = view.pick(part * glm::vec2{view.pixels()})) view.fit(picked->item);
    });
}

/// True where the mouse draws a rectangle, which then moves no camera.
bool App::Parts::update_selection(View& view, SelectionDrag& drag, const Viewport& place) {
    const SelectionDrag::State state = drag.follow(window.input(), place);
    if (state == SelectionDrag::State::none) return false;
    const auto part = [&](glm::vec2 pixel) { return (pixel - place.origin) / place.size; };
    const glm::vec2 begin = part(drag.begin()), end = part(drag.end()), size{view.pixels()};
    if (state == SelectionDrag::State::drawing) view.set_outline(std::array{begin, end});
    else {
        view.set_outline({});
        ask_device([&] { selected = view.select(begin * size, end * size); });
    }
    return true;
}

bool App::begin_frame() {
    Parts& p = *p_;
    if (p.in_frame) throw Error{"begin_frame() was called twice without end_frame()"};
    if (!p.loop.begin()) return false;
    gpu::Context::primary(p.device).make_current();
    p.frame_map.use_this_thread();
    p.poll_slots();
    p.presets.advance();
    begin_panels();
    p.update_cameras(viewport());
    p.size_scene(scene_place());
    p.drew = p.is_list_drawn = false;
    p.scene.begin_frame();
    p.begin_work();
    p.begin_inspection();
    p.in_frame = true;
    return true;
}

void App::end_frame() {
    Parts& p = *p_;
    if (!p.in_frame) throw Error{"end_frame() was called without begin_frame()"};
    std::exception_ptr failure; // the frame is shown whatever the drawing and the stream say
    try {
        p.wait_alive();
    } catch (...) { failure = std::current_exception(); }
    try {
        draw();
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    p.in_frame = false;
    p.scene.end_frame(p.drew);
    p.window.context().make_current();
    if (p.drew) p.average_samples();
    else p.picture.clear(p.scene.clear_color());
    const bool software = p.window.gl_info().is_software;
    if (p.drew && !software) p.draw_timer.end();
    try {
        p.unmap();
        p.finish_work();
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    p.end_inspection();
    p.console.end_device_line();
    const auto drawing = std::chrono::steady_clock::now();
    try {
        show_scene();
    } catch (...) { // of a panel; the frame ends in any case
        if (!failure) failure = std::current_exception();
    }
    if (software) {
        gl::finish(); // a software GL has only now rasterised the frame
        p.loop.add_draw_ms(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - drawing)
                .count());
    } else if (const auto ms = p.draw_timer.milliseconds()) {
        p.loop.add_draw_ms(*ms);
    }
    p.loop.end();
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
ParameterSet& App::parameters() { return p_->parameters; }
Inspector& App::inspector() { return p_->inspector; }
ParameterPresets& App::presets() { return p_->presets; }
Console& App::console() { return p_->console; }
OrbitCamera& App::orbit_camera() { return view().orbit_camera(); }
PanZoomCamera& App::pan_zoom_camera() { return view().pan_zoom_camera(); }
void App::use_camera(Camera camera, Steering steering) { view().use_camera(camera, steering); }
gl::Framebuffer& App::picture() { return p_->picture; }
void App::set_caption(std::string caption) { p_->caption = std::move(caption); }
const std::string& App::caption() const { return p_->caption; }
void App::set_time(double seconds) { p_->time = seconds; }
std::optional<double> App::time() const { return p_->time; }

} // namespace lathe
