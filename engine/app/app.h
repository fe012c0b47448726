// SPDX-License-Identifier: MIT
// A program around a simulation: window (or none), loop, simulation stream, arrays that OpenGL
// draws, kernels that are edited while they run, parameters. A Studio (engine/ui) is one with
// panels.
//
//   App app{argc, argv, {.title = "ripple"}};
//   auto height = app.array<float>({360, 640});
//   auto& ripple = app.kernel("ripple.cu", "ripple"); // ripple(float* h, int w, int h, float time)
//   return app.run([&](const Step& step) {
//       ripple.over(height.shape())(height, 640, 360, step.time);
//       app.image(height, {.colormap = "viridis"});
//   });
#pragma once

#include "engine/app/app_kernel.h"
#include "engine/app/side_window.h"
#include "engine/app/step_loop.h"
#include "engine/app/window.h"
#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "engine/interop/texture.h"
#include "engine/live/inspector.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/line_watch.h"
#include "engine/live/parameter_set.h"
#include "engine/live/thread_watch.h"
#include "engine/live/warp_watch.h"
#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/points.h"
#include "engine/scene/renderer.h"
#include "engine/scene/view.h"
#include "gpu/array/array.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

namespace gpu {
class Device;
class Error;
class Stream;
} // namespace gpu
namespace gl {
class Framebuffer;
class Texture;
} // namespace gl
class Console;
class EventHandlers;
class FrameLoop;
class FrameMap;
class History;
class ParameterBindings;
class ParameterPresets;
class Plot;
class Plots;
class Profiler;
class RunControl;
struct DrawnBytes;
struct DropEvent;
struct ImageData;

struct AppConfig {
    std::string title = "Lathe";
    int width = 1280; ///< of the window in pixels; of the scene where nothing stands around it
    int height = 720;
    std::optional<bool> headless{}; ///< no window, EGL; unset: where no display is named
    int scene_width = 0;            ///< of the picture in pixels; 0: as large as its place
    int scene_height = 0;
    bool vsync = true;
    std::shared_ptr<RemoteDisplay> display{}; ///< as of WindowConfig
    /// Of a pixel in each direction, 1 or 2, whose mean is shown: smooth edges. Volumes have one
    /// ray a pixel. Unset: 2 in a window on a GPU, else 1.
    std::optional<int> samples{};
    /// While a camera moves, rays through volumes stand so many pixels apart. Unset: 2 in a window
    /// on a software OpenGL, else 1.
    std::optional<int> moving_rays{};
    /// `current`: in the context that another program has made current here. Each frame goes to its
    /// framebuffer and viewport, and its GL state is put back. Then size, title and vsync are not
    /// ours, and there are no panels.
    GlContext context = GlContext::own;
    /// run() ends after so many; unset: when the window is closed, without one after 300.
    std::optional<std::uint64_t> frames{};
    /// Where run() leaves the last picture, plots and a movie; empty: nowhere.
    std::filesystem::path out{};
    std::string name{};                      ///< of the files there; empty: the title
    std::filesystem::path profile{};         ///< where run() leaves a trace of the last frames
    std::filesystem::path folder{};          ///< of kernel files; empty: the program's
    std::size_t history_bytes = 0;           ///< on the device, for states to go back to
    std::vector<std::string> assignments{};  ///< of sliders, "feed=0.03"
    Inspecting inspecting = Inspecting::off; ///< from the start
    InspectorWay inspector_way = InspectorWay::best; ///< replays: for tests
    // Of a Studio.
    std::optional<bool> ui{}; ///< panels around the scene; unset: where there is a window
    std::string session{};    ///< names autosaves and layout; empty: the title
    bool restore = true;      ///< keep autosaves, layout and the mark of a running session
    bool fresh = false;       ///< sliders are not as the last run left them
    std::string guide{};      ///< title of a panel of text at the left; empty: there is none
    bool light = false;       ///< dark words on light panels

    const std::string& file_name() const { return name.empty() ? title : name; }
};

/// `config` with what a command line asks for: --headless, --frames N, --size WxH, --out DIR,
/// --device auto|hardware|software, --set NAME=VALUE, --fresh, --no-ui, --inspect,
/// --inspect-hazards.
/// --help, and what is not understood, write the usage and end the program.
LATHE_API AppConfig with_options(int argc, char** argv, AppConfig config);

/// What memory begins with: zeros, these bytes in C order, or what an array has now.
struct FirstContents {
    std::span<const std::byte> bytes{};
    const gpu::Array* array = nullptr;
};

struct StillConfig {
    int width = 1920, height = 1080;
    int samples = 2; ///< in each direction, of which a pixel is the mean
    bool transparent = false;
};

class LATHE_API App {
public:
    /// Opens the window and the device. Throws lathe::Error (gl::Error, gpu::Error) naming what is
    /// missing: no display and not headless, no GL 4.5, no CUDA device of either kind, no NVRTC.
    explicit App(AppConfig config);
    App(int argc, char** argv, AppConfig config = {})
        : App{with_options(argc, argv, std::move(config))} {}
    App(const App&) = delete;
    App& operator=(const App&) = delete;
    /// Finishes; the log has the fault.
    virtual ~App();

    // -- program ---------------------------------------------------------------------------
    /// Calls `step` for each step until the window is closed or the frames are done, and returns
    /// main()'s result. What `step` throws goes to the console, and the window stays with the last
    /// picture until a kernel is edited or the simulation reset; without a window it ends the
    /// program with 1. So does a file of AppConfig::out that could not be written, after the run.
    /// With `frames` it returns after so many; in either case it may be called again, and goes on
    /// where it was. A program with a loop of its own uses steps().
    int run(const std::function<void(const Step&)>& step, std::optional<std::uint64_t> frames = {});
    StepLoop& steps();
    /// What the program does when keys, the mouse and the window tell something.
    EventHandlers& events();
    /// Files that no function of the program took. Says so.
    virtual void take_drop(const DropEvent& drop);
    /// Called before the first step and after each reset, which also brings back the first contents
    /// of all arrays.
    void on_reset(std::function<void()> call);

    // -- arrays ----------------------------------------------------------------------------
    // By name: what the program has made before a reload is found again with its contents, where
    // type and shape are the same. Without a name the order of creation counts. A name that the
    // program has already throws std::invalid_argument.

    /// An array in C order that OpenGL draws from where it lies. Its memory is mapped when its
    /// address is asked for, and handed back before the frame is drawn: keep the array, not the
    /// address. Throws gpu::ShapeError, gpu::Error (out of memory).
    gpu::Array array(gpu::ElementType type, const gpu::Extents& shape,
                     const FirstContents& first = {}, std::string_view name = {});
    template <class T> gpu::Array array(const gpu::Extents& shape, std::string_view name = {}) {
        return array(dtype_of<T>, shape, {}, name);
    }
    /// The same with these values, in C order, as many as the shape has elements.
    template <class T>
    gpu::Array array(const gpu::Extents& shape, std::span<const T> values,
                     std::string_view name = {}) {
        return array(dtype_of<T>, shape, {.bytes = std::as_bytes(values)}, name);
    }
    /// One that is made anew in each step, for OpenGL to draw from where it lies: no part of the
    /// state. memories(), the history and checkpoints do not have it, a reset leaves it as it is,
    /// and a reload makes another one. Contents are zero at first. Throws as array().
    gpu::Array scratch_array(gpu::ElementType type, const gpu::Extents& shape);
    /// A texture that kernels write and read and OpenGL draws; see Texture. `values` are in C
    /// order; without them it is zeroed.
    Texture texture(DType dtype, const gpu::Extents& shape, bool is_smooth = false,
                    std::span<const std::byte> values = {}, std::string_view name = {});
    /// Arrays and textures of the program, by name; "#0", "#1" and so on of those without one.
    std::vector<std::pair<std::string, std::variant<gpu::Array, Texture>>> memories() const;
    /// A reset's part: the first contents of all arrays come back, and renderers that threw draw
    /// again.
    void restore_arrays();
    /// The program is executed once more: what it asks for again is found, the rest goes with the
    /// reload after this.
    void begin_reload();
    /// A part of the program is executed again, as a cell of a notebook: arrays of the same
    /// name are these arrays, and kernels of the same name are these kernels, edited.
    void begin_part();

    // -- frame -----------------------------------------------------------------------------
    /// Where no step is to come and nothing happens in the window: waits until something does, or
    /// `is_needed` says so. It is asked every 50 ms. Not without a window, and not where frames are
    /// counted. `has_steps`: the simulation runs unless it is paused.
    void rest(bool has_steps, const std::function<bool()>& is_needed);
    /// The same without waiting: true while nothing happens.
    bool rests(bool has_steps);
    /// Polls input and swaps kernels between frames. The first drawing clears the scene and binds
    /// it. False once the window is closed; end_frame is then not called.
    bool begin_frame();
    /// Draws the list, waits for the simulation stream, shows the window. A fault on the stream is
    /// reported to its slot here; errors that no slot can answer for are thrown. On a GPU without
    /// panels frames overlap: it waits for the frame before, whose fault it is then.
    void end_frame();
    bool in_frame() const;
    /// Work is about to be given to the device that uses no memory of frame_map(): the time of the
    /// frame's simulation begins with its first work. Mapping memory says so by itself.
    void note_work();
    /// Blocks until the simulation stream is done. The window lives on meanwhile: it shows the last
    /// frame, Esc, its close button and Ctrl+C cancel what runs, which then is a fault. A kernel of
    /// more than 10 s (LATHE_SOFT_TIMEOUT_MS) is cancelled, too. A GPU cannot cancel: there Ctrl+C
    /// and the close button end the program. end_frame() waits like this. Errors of the stream are
    /// left to its synchronize().
    void wait();
    /// Waits, and reports a fault to the slot of its kernel. It is thrown where there is none, and
    /// without a window: what a fault leaves behind is nothing to compute with.
    void synchronize();
    /// Hands all that frame_map() has mapped back to GL, as drawing and end_frame() do. A fault of
    /// a kernel before is reported to its slot, or thrown.
    void unmap();
    /// The program ends in order, though perhaps not by itself: keeps what was typed, takes the
    /// mark of a running session away, and waits for what no frame has waited for. Its fault in
    /// words; empty where all went well.
    std::string finish() noexcept;
    /// Called with each wait that may be long, which it has to call: a program that holds a lock
    /// that others need gives it away meanwhile.
    void set_around_waits(std::function<void(const std::function<void()>& wait)> call);
    /// Called every few milliseconds of a long wait, on the waiting thread. What it throws cancels
    /// the simulation and leaves wait().
    void set_while_waiting(std::function<void()> call);

    // -- parts -----------------------------------------------------------------------------
    const AppConfig& config() const;
    Window& window();
    FrameLoop& loop();
    /// Says how many steps this frame shall do, and whether it starts over (reset()).
    RunControl& run_control();
    History& history();
    /// Off until somebody wants it.
    Profiler& profiler();
    gpu::Device& device();
    /// The simulation's stream: shared buffers are mapped and kernels launched on it. It takes
    /// turns with the legacy default stream, on which array operations run.
    gpu::Stream& stream();
    /// What arrays and textures are mapped by. It keeps the window, so arrays may outlive the App.
    std::shared_ptr<FrameMap> frame_map();
    ParameterSet& parameters();
    /// Their values by numbers, to be recalled; a fade moves on with each frame.
    ParameterPresets& presets();
    /// Sliders that follow a wave of the steps' time, the mouse or keys.
    ParameterBindings& bindings();
    /// The value of a slider: of a kernel's parameter, or declared by the program. Throws
    /// lathe::Error for a name that is not known, and for a vector.
    template <class T> T slider(std::string_view name) {
        return static_cast<T>(slider_number(name));
    }
    Console& console();
    /// Logged values, histograms and other plots; without panels, too.
    Plots& plots();
    // Of view().
    OrbitCamera& orbit_camera();
    PanZoomCamera& pan_zoom_camera();
    void use_camera(Camera camera, Steering steering = Steering::orbit);
    /// The picture before anything stands around it, once the frame has ended. Its size may change
    /// between frames (begin_frame).
    gl::Framebuffer& picture();

    // -- kernels ---------------------------------------------------------------------------
    /// A `.cu` file (watched), or a source: what has a line break or a brace. A file is looked for
    /// in AppConfig::folder, then in the working directory (FileMissing). Compiles before it
    /// returns; a source with errors is a slot that is not ready(). The slot of the same file, or
    /// of the source of that name before a reload, is found again where the options are the same; a
    /// source with another text replaces its text. `name` is a source's; empty: "kernel.cu". A file
    /// has its own, with its folder or a number behind it where another slot has that name.
    KernelSlot& kernel_slot(std::string_view file_or_source, std::string entry = {},
                            std::vector<std::string> options = {}, std::string name = {});
    std::vector<KernelSlot*> kernels();
    /// A kernel of kernel_slot(), launched on the App's stream, edited while it runs. Without
    /// `entry` it is the first kernel of the source. The reference is valid as long as the App.
    AppKernel& kernel(std::string_view file_or_source, std::string entry = {},
                      std::vector<std::string> options = {}, std::string name = {});
    /// Without a window nobody can mend a source: throws gpu::CompileError where it does not
    /// compile.
    void require_compiled(const KernelSlot& slot);
    /// Finds the slot that a fault belongs to by file and kernel (else the one swapped last), rolls
    /// it back and writes the console. False where no slot has a version to blame.
    bool report_fault(const gpu::Error& error);

    /// What the kernels of kernels() cost, line by line, and their hazards: off unless asked for.
    /// Its mode may be set at any time.
    Inspector& inspector();
    /// What one thread of the next launch of one of them does. Off until a thread is given.
    ThreadWatch& thread_watch();
    /// The lanes of one warp of the next launch of one of them. Off until a warp is given.
    WarpWatch& warp_watch();
    /// What variables are after a line of one of them, in every thread. Off until a line is given;
    /// one that stops pauses the program at the first launch with a marked thread.
    LineWatch& line_watch();
    /// The one of them that is to make the slot's next launch of this kernel, or, without a
    /// name, of its own; mostly null.
    LaunchWatch* launch_watch(const KernelSlot& slot, std::string_view kernel);

    // -- drawing -----------------------------------------------------------------------------
    /// The first view, which is always there; image(), points() and lines() draw there.
    View& view();
    const std::vector<std::shared_ptr<View>>& views();
    /// Tiles of one size, row by row, each with cameras of its own. The first is view(). Views that
    /// are there already stay; others are made, or are shown no more. The gap between tiles is 2
    /// pixels. Throws std::invalid_argument for less than 1 or more than 64 rows or columns.
    const std::vector<std::shared_ptr<View>>& views(int rows, int columns);
    /// Tiles by letters: "aab; ccb" is a wide one, a high one and a wide one. Rows end at a
    /// semicolon or a new line; a point leaves its place empty. In the order of the letters, of
    /// which the first is view(). Throws std::invalid_argument for rows that differ in length and
    /// for a letter that fills no rectangle.
    std::vector<std::pair<char, std::shared_ptr<View>>> mosaic(std::string_view letters);
    /// A view on a part of another, in a frame of a pixel, until views() or mosaic() is called:
    /// `within` in parts of its size from the top left. Throws std::invalid_argument unless that
    /// lies within 0 and 1.
    std::shared_ptr<View> inset(const View& on, const Viewport& within);
    /// What lies under the mouse, or null: of an inset and the view that it is on, the inset.
    View* view_under_mouse();
    /// The uppermost view at a place of the window in pixels, and the place in it, as View::pick()
    /// counts; null where there is none.
    std::pair<View*, glm::vec2> view_at(glm::vec2 pixel);
    /// The thing under the mouse, as it was drawn last; see View::pick().
    std::optional<Picked> picked();
    /// What lay in the rectangle that the mouse drew last (SelectionDrag) when it was done; see
    /// View::select().
    const std::vector<Selected>& selected() const;

    // See View, which has more.
    void image(const gpu::Array& array, const ImageStyle& style = {}, std::string_view name = {});
    void image(const Texture& texture, const ImageStyle& style = {}, std::string_view name = {});
    void points(const gpu::Array& positions, const PointsStyle& style = {}, const PerPoint& of = {},
                std::string_view name = {});
    void lines(const gpu::Array& positions, const LinesStyle& style = {}, const PerPoint& of = {},
               std::string_view name = {});
    void text(std::string_view text, glm::dvec2 position, const TextStyle& style = {});
    void text(std::string_view text, glm::dvec3 position, const TextStyle& style = {});
    void title(std::string_view text, const TextStyle& style = {.size = 20});
    /// Memory that OpenGL draws from, contents undefined: for values of the host that this step
    /// draws.
    gpu::Array drawn_memory(DType dtype, const gpu::Extents& shape);
    /// Since the start.
    DrawnBytes drawn_bytes() const;
    /// Of the copies that exist now.
    std::size_t bytes_of_copies() const;
    /// A step begins: what it draws takes the place of the list when it ends, by the next step or
    /// the frame.
    void begin_step();
    /// The step failed: the drawing before it stays.
    void drop_step();
    /// Draws the list now, then what add_renderer() and on_draw() were given; end_frame() does
    /// unless this did. What the list throws empties it; a renderer that throws draws again after a
    /// reset.
    void draw();

    // -- own drawing -----------------------------------------------------------------------
    /// With GL of the program's own, in each frame, in the order of these calls.
    void add_renderer(std::shared_ptr<Renderer> renderer);
    void on_draw(std::function<void(const DrawView&)> call);
    /// Where OpenGL finds an array of this App: a buffer's name, and the offset in it in bytes.
    /// Throws lathe::Error for one that lies elsewhere or not in C order.
    std::pair<unsigned, std::size_t> gl_buffer(const gpu::Array& array);

    // -- drawing at once in view(), between begin_frame and end_frame ----------------------
    // Buffers are read in place.

    /// Those of frame_map() are unmapped before, others are by who mapped them.
    void draw_points(const PointsData& points, const PointsStyle& style = {});
    void draw_lines(const LinesData& lines, const LinesStyle& style = {});
    /// The picture fits the view; pan and zoom move it.
    void draw_image(const ImageBuffer& image, const ImageStyle& style = {});
    void draw_image(const gl::Texture& texture, const ImageStyle& style = {});
    /// Element (column, row) of the picture drawn last in the view under the mouse.
    std::optional<std::array<int, 2>> element_under_mouse();
    std::optional<std::array<int, 2>> element_at(glm::vec2 pixel); ///< of the window
    /// Colour behind everything.
    void set_background(std::array<float, 4> rgba); ///< in all windows

    /// Under the picture: "t = 12.3 s", "energy 1e-6".
    void set_caption(std::string caption);
    const std::string& caption() const;
    /// Simulation time, shown beside the frame count.
    void set_time(double seconds);
    std::optional<double> time() const;

    // -- further windows ---------------------------------------------------------------------
    /// A further window with views and cameras of its own, which show this App's arrays where they
    /// lie; headless if this App is. The open one of that title is found again. Its picture is part
    /// of this App's frames. Throws lathe::Error for an impossible size, where no window can be
    /// opened, and for an App in another program's context.
    SideWindow& open_window(const std::string& title, int width = 640, int height = 480);

    // -- results ---------------------------------------------------------------------------
    virtual bool has_panels() const { return false; }
    /// The scene of the last finished frame, or the whole window. (height, width, 3) uint8, top
    /// row first. Throws lathe::Error for `with_ui` where nothing stands around the scene.
    ImageData screenshot(bool with_ui = false);
    /// What the views show, drawn once more at any size: letters, lines and points in pixels grow
    /// with it. (height, width, 3 or 4) uint8; with a transparent background red, green and blue
    /// are not premultiplied. Between frames or within one; waits for the device and for GL. Throws
    /// gl::Error where width or height times `samples` is more than GL allows,
    /// std::invalid_argument for less than 1 and for more than 8 samples.
    ImageData still(const StillConfig& config);
    /// The same as an SVG document of `width` by `height` units: a picture for each view, and over
    /// it the texts, titles, ticks and numbers of axes, colour bars, legends and scale bars as
    /// elements. Lines of axes in space may be hidden, so they belong to the picture. Throws as
    /// still() does, and lathe::Error where the file cannot be written.
    void save_svg(const std::filesystem::path& file, const StillConfig& config = {});
    /// A plot as a file, whose name says what it is: its numbers (.csv), a picture of so many
    /// pixels (.png) or a document of so many units (.svg). Waits for what the plot is to have, and
    /// for GL. Throws std::invalid_argument for another ending and for a size outside 64 to 16384,
    /// lathe::Error where the file cannot be written.
    void save_plot(Plot& plot, const std::filesystem::path& file, int width = 960,
                   int height = 600);

protected:
    /// Finishes; the log has the fault. The destructor of a class with overrides calls it first.
    void end() noexcept;

    // What a program with panels does otherwise.

    /// Where the scene is shown, in pixels of the window, and the size that it should have.
    virtual Viewport viewport() const;
    virtual std::array<int, 2> scene_place() const;
    /// A frame begins: the input goes to whom it is meant for.
    virtual void begin_panels();
    /// A step has been under way for so many seconds, 0: it is done. Shows the panels once more,
    /// with the scene as it was, and takes input.
    virtual void refresh_panels(double) {}
    /// A step begins; another program's may have run since the frame began.
    virtual void enter_step() {}
    /// The simulation of the frame is done: shows the scene in the window's screen().
    virtual void show_scene();

private:
    bool has_input_within(double seconds);
    virtual void on_new_slot(KernelSlot&) {}
    virtual void on_end_of_session() {}
    /// Why the window's frame is late; the wait ends.
    virtual void show_wait(const std::string&) {}
    virtual void hide_wait() {}

    double slider_number(std::string_view name);

    struct Parts;
    std::shared_ptr<Parts> p_; ///< shared with arrays
};

} // namespace lathe
