// SPDX-License-Identifier: MIT
// What an App is made of; shared by the app*.cpp sources and seen by nobody else.
#pragma once

#include "engine/app/app.h"
#include "engine/app/console.h"
#include "engine/app/event_handlers.h"
#include "engine/app/frame_loop.h"
#include "engine/app/history.h"
#include "engine/app/kept_memory.h"
#include "engine/app/profiler.h"
#include "engine/app/run_control.h"
#include "engine/app/sampled_picture.h"
#include "engine/app/scene_hands.h"
#include "engine/app/side_window.h"
#include "engine/app/side_window_parts.h"
#include "engine/app/window.h"
#include "engine/interop/frame_map.h"
#include "engine/live/line_watch.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_presets.h"
#include "engine/live/thread_watch.h"
#include "engine/live/warp_watch.h"
#include "engine/live/worker.h"
#include "engine/plots/plots.h"
#include "engine/scene/scene.h"
#include "gl/framebuffer.h"
#include "gl/query.h"
#include "gpu/array/launch_notes.h"
#include "gpu/device.h"
#include "gpu/event.h"
#include "gpu/stream.h"

namespace lathe {

/// A slot and what the App has last seen of it.
struct AppSlot {
    std::unique_ptr<KernelSlot> slot;
    std::string asked{}; ///< the file's whole path, or the source's name
    std::string text{};  ///< the source as the program gave it last; a file has none
    std::vector<std::string> options{};
    bool is_claimed = true; ///< since the last reload
    std::uint64_t generation = 0;
    std::uint64_t parameters_version = 0;
    std::uint64_t reported = 0;   ///< compile whose errors the console has
    std::uint64_t swapped_at = 0; ///< frame of the last swap
};

/// The simulation's part of a frame.
struct FrameWork {
    gpu::Event begin{gpu::EventConfig{}}, end{gpu::EventConfig{}};
    bool has_begun = false, has_ended = false; ///< and the events are recorded
    bool is_awaited = false;                   ///< the frame is over, the work perhaps not
    std::vector<std::uint64_t> generations;    ///< of the slots, as they ran
};

struct App::Parts {
    Parts(App& app, AppConfig c);
    ~Parts();

    // -- members in the order they are made; slots go before the threads that build them -------
    App* app; ///< null once that has ended: arrays keep what is here
    AppConfig config;
    Console console;
    Window window;
    RunControl run_control;
    EventHandlers events;
    FrameLoop loop;
    gpu::Device device;
    gpu::NotedLaunches noted_launches; ///< for picks
    gpu::Stream stream;
    Profiler profiler{stream, window.gl_info().is_software, [this] { use_contexts(); }};
    FrameMap frame_map;
    std::array<FrameWork, 2> works; ///< of this frame and the one before
    std::size_t frames_begun = 0;
    Worker build_worker, reflect_worker;
    ParameterSet parameters;
    ParameterBindings bindings{parameters};
    ParameterPresets presets{parameters, &bindings};
    std::vector<AppSlot> slots;
    int unnamed_sources = 0;
    std::vector<std::unique_ptr<AppKernel>> kernels;
    Inspector inspector{device, config.inspector_way};
    ThreadWatch thread_watch{device, reflect_worker.executor()};
    WarpWatch warp_watch{device, reflect_worker.executor()};
    LineWatch line_watch{device, reflect_worker.executor()};

    Plots plots{stream};
    StepLoop steps;

    // What holds arrays, which hold this: the App clears it when it ends.
    KeptMemory memory;
    History history{memory, config.history_bytes};
    Scene scene;
    bool is_list_drawn = false; ///< in this frame
    struct OwnDrawing {
        std::shared_ptr<Renderer> renderer;
        bool failed = false; ///< since the last reset
    };
    std::vector<OwnDrawing> own_drawings;

    SampledPicture sampled;
    gl::Framebuffer& canvas() { return sampled.canvas(); }
    float samples() const { return float(sampled.samples()); } ///< a pixel, in each direction
    SceneHands hands{scene, hand_services()};
    std::vector<std::unique_ptr<SideWindow>> side_windows;
    bool drew = false;         ///< in this frame
    gl::FrameTimer draw_timer; ///< on a GPU; a software GL draws on this thread's time

    bool in_frame = false;
    std::uint64_t seen_changes = 0;
    std::chrono::steady_clock::time_point awake_at = std::chrono::steady_clock::now();
    std::string caption;
    std::optional<double> time;
    std::function<void()> while_waiting;
    std::function<void(const std::function<void()>&)> around_waits;

    // app.cpp
    void use_contexts();
    SceneServices scene_services();
    SceneHands::Services hand_services();
    RaysApart rays(int samples) const;
    void size_scene(std::array<int, 2> place);
    void follow_input(const Viewport& place);

    // app_work.cpp
    FrameWork& work() { return works[frames_begun % 2]; }
    void begin_work();
    void note_work();
    void end_work();
    void finish_work();
    void take(FrameWork& done);
    bool frames_overlap() const;

    // app_pace.cpp
    void wait_alive();
    std::uint64_t changes() const;
    bool may_rest(bool has_steps);

    // app_wait.cpp
    using IsDone = std::function<bool(std::chrono::nanoseconds)>; ///< within so long
    void wait();
    void wait_for(const IsDone& is_done);
    void wait_by(const std::function<void()>& call);
    void wait_in_slices(const IsDone& is_done);
    void wait_for_compile(KernelSlot& slot);
    bool user_goes_on();
    void synchronize();
    void unmap();
    std::string finish() noexcept;
    bool wait_is_cancelled();
    void cancel_simulation();
    void end_program();

    // app_kernels.cpp
    KernelSlotServices services();
    std::filesystem::path find_kernel_file(const std::filesystem::path& file) const;
    AppSlot* find_slot(const std::string& asked, const std::vector<std::string>& options,
                       std::string_view text);
    void poll_slots();
    void after_poll(AppSlot& s);
    bool report_fault(const gpu::Error& error);
    void begin_inspection();
    void end_inspection();

    // app_draw.cpp
    std::vector<SideWindowParts*> compute_drawing(bool has_scene);
    void begin_drawing();
    void draw_own();
    void draw_now(const Drawn& drawn);

    // app_still.cpp
    using OfTarget = std::function<void(const gl::Framebuffer&)>;
    using OfTile = std::function<void(const gl::Framebuffer&, const SvgTile&)>;
    void draw_still(const StillConfig& still, const OfTarget& done, const OfTile& take = {});
};

} // namespace lathe
