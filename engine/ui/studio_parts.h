// SPDX-License-Identifier: MIT
// What a Studio is made of; shared by the studio_*.cpp sources and seen by nobody else.
#pragma once

#include "engine/app/camera.h"
#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/interop/frame_map.h"
#include "engine/live/session.h"
#include "engine/live/worker.h"
#include "engine/ui/console_panel.h"
#include "engine/ui/imgui_layer.h"
#include "engine/ui/kernel_editor.h"
#include "engine/ui/layout.h"
#include "engine/ui/parameter_panel.h"
#include "engine/ui/run_control_panel.h"
#include "engine/ui/status_bar.h"
#include "engine/ui/studio.h"
#include "engine/ui/timing_panel.h"
#include "engine/ui/view_panel.h"
#include "gl/framebuffer.h"
#include "gl/query.h"
#include "gpu/device.h"
#include "gpu/event.h"
#include "gpu/stream.h"

namespace lathe {

/// A slot and what the studio has last seen of it.
struct StudioSlot {
    std::unique_ptr<KernelSlot> slot;
    std::uint64_t generation = 0;
    std::uint64_t parameters_version = 0;
    std::uint64_t reported = 0;   ///< compile whose errors the console has
    std::uint64_t swapped_at = 0; ///< frame of the last swap
};

struct PanelOfScript {
    std::string title;
    std::function<void()> draw;
};

struct Studio::Parts {
    explicit Parts(StudioConfig c);
    ~Parts();

    // -- members in the order they are made; slots go before the threads that build them -------
    StudioConfig config;
    ConsolePanel console;
    Window window;
    RunControl run_control;
    FrameLoop loop;
    gpu::Device device;
    gpu::Stream stream;
    FrameMap frame_map;
    gpu::Event sim_begin, sim_end;
    bool sim_measured = false;
    std::unique_ptr<Session> session;
    Worker build_worker, reflect_worker;
    ParameterSet parameters;
    std::vector<StudioSlot> slots;

    gl::Framebuffer scene;
    std::array<float, 4> background{0.035f, 0.04f, 0.05f, 1};
    PointsRenderer points;
    LinesRenderer lines;
    ImageRenderer images;
    OrbitCamera orbit;
    PanZoomCamera pan_zoom;
    std::optional<Camera> camera;
    bool draws_space = false;  ///< something of three components was drawn in the last frame
    bool drew = false;         ///< in this frame
    gl::FrameTimer draw_timer; ///< on a GPU; a software GL draws on this thread's time
    std::optional<ImagePlacement> placement; ///< of the picture drawn last, scene pixels
    glm::vec2 picture{0, 0};

    std::unique_ptr<ImGuiLayer> imgui; ///< null where the UI is off, as are the panels' places
    Layout layout;
    KernelEditor editor;
    ParameterPanel parameter_panel;
    RunControlPanel run_control_panel;
    TimingPanel timing_panel;
    ViewPanel view;
    StatusBar status;
    std::vector<PanelOfScript> panels;
    bool in_frame = false;
    std::string paused_because; ///< shown over the picture until it runs
    std::function<void()> while_waiting;
    std::function<void(const std::function<void()>&)> around_waits;

    // studio.cpp
    void handle_keys();
    void update_cameras();
    void size_scene();
    void begin_drawing();
    void finish_simulation();

    // studio_wait.cpp
    void wait();
    void wait_in_slices();
    void synchronize();
    void unmap();
    std::string finish() noexcept;
    bool wait_is_cancelled();
    void cancel_simulation();
    void end_program();
    void end_session();

    // studio_kernels.cpp
    KernelSlotServices services();
    void poll_slots();
    void after_poll(StudioSlot& s);
    bool report_fault(const gpu::Error& error);
    bool any_shows_older() const;

    // studio_panels.cpp
    void draw_panels();
    std::vector<StatusItem> status_left() const;
    std::vector<StatusItem> status_right() const;
    std::string picture_message() const;

    // studio_draw.cpp
    glm::mat4 view_projection() const;
    ImagePlacement place(glm::vec2 size);

    Viewport viewport() const;
    Camera active_camera() const;
};

} // namespace lathe
