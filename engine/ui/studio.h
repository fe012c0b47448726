// SPDX-License-Identifier: MIT
// The whole program around a simulation: window (or none), loop, simulation stream, kernels that
// are edited while they run, parameters, panels. What Python's App wraps.
//
//   Studio studio{{.title = "Gray-Scott"}};
//   KernelSlot& step = studio.add_kernel("gray_scott.cu", "step");
//   while (studio.begin_frame()) {
//       for (int i = 0; i < studio.run_control().steps(); ++i) launch(step.kernel(), …);
//       studio.draw_image({.buffer = &field.buffer(), .height = 512, .width = 512});
//       studio.end_frame();
//   }
#pragma once

#include "engine/core/diagnostic.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/parameter_set.h"
#include "engine/render/image.h"
#include "engine/render/lines.h"
#include "engine/render/points.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
class ConsolePanel;
class FrameLoop;
class FrameMap;
class ImGuiLayer;
class OrbitCamera;
class PanZoomCamera;
class RunControl;
class Session;
class Window;
struct ImageData;

struct StudioConfig {
    std::string title = "Lathe";
    int width = 1280; ///< of the window in pixels; of the scene where `ui` is false
    int height = 720;
    std::optional<bool> headless; ///< no window, EGL; unset: where no display is named
    bool ui = true;               ///< panels around the scene; false draws the scene alone
    int scene_width = 0;          ///< of the picture in pixels; 0: as large as its panel
    int scene_height = 0;
    bool vsync = true;
    std::string session; ///< names autosaves and layout; empty: the title
    bool restore = true; ///< keep autosaves, layout and the mark of a running session
};

enum class Camera { pan_zoom, orbit };

class Studio {
public:
    /// Opens the window and the device. Throws lathe::Error (gl::Error, gpu::Error) naming what is
    /// missing: no display and not headless, no GL 4.5, no CUDA device of either kind, no NVRTC.
    explicit Studio(StudioConfig config);
    Studio(const Studio&) = delete;
    Studio& operator=(const Studio&) = delete;
    /// Finishes; the log has the fault.
    ~Studio();

    // -- frame -----------------------------------------------------------------------------
    /// Polls input, swaps kernels between frames, clears the scene and binds it for drawing.
    /// False once the window is closed; end_frame is then not called.
    bool begin_frame();
    /// Waits for the simulation stream, draws the panels, shows the window. A fault on the stream
    /// is reported to its slot here; errors that no slot can answer for are thrown.
    void end_frame();
    bool in_frame() const;
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
    const StudioConfig& config() const;
    Window& window();
    FrameLoop& loop();
    /// Says how many steps this frame shall do, and whether it starts over (reset()).
    RunControl& run_control();
    gpu::Device& device();
    /// The simulation's stream: shared buffers are mapped and kernels launched on it. It takes
    /// turns with the legacy default stream, on which array operations run.
    gpu::Stream& stream();
    /// What arrays and textures are mapped by.
    FrameMap& frame_map();
    ParameterSet& parameters();
    ConsolePanel& console();
    OrbitCamera& orbit_camera();
    PanZoomCamera& pan_zoom_camera();
    /// Which camera the mouse moves and draw_points and draw_lines use; pictures follow pan and
    /// zoom. Unset: orbit once points of three components are drawn, else pan and zoom.
    void use_camera(Camera camera);
    /// The picture before panels. Its size may change between frames (begin_frame).
    gl::Framebuffer& scene();
    /// Null where `ui` is false.
    ImGuiLayer* imgui();
    Session* session();

    // -- kernels ---------------------------------------------------------------------------
    /// A `.cu` file (watched), or a source: what has a line break or no file of that name.
    /// Compiles before it returns; a source with errors is a slot that is not ready().
    /// `name` is a source's; empty: "kernel.cu". A file has its own, with its folder or a number
    /// behind it where another slot has that name.
    KernelSlot& add_kernel(std::string_view file_or_source, std::string entry = {},
                           std::vector<std::string> options = {}, std::string name = {});
    std::vector<KernelSlot*> kernels();
    /// Finds the slot that a fault belongs to by file and kernel (else the one swapped last), rolls
    /// it back and writes the console. False where no slot has a version to blame.
    bool report_fault(const gpu::Error& error);

    // -- drawing, between begin_frame and end_frame --------------------------------------------
    // Buffers are read in place. Those of frame_map() are unmapped before, others are by who mapped
    // them.
    void draw_points(const PointsData& points, const PointsStyle& style = {});
    void draw_lines(const LinesData& lines, const LinesStyle& style = {});
    /// The picture fits the scene; pan and zoom move it.
    void draw_image(const ImageBuffer& image, const ImageStyle& style = {});
    void draw_image(const gl::Texture& texture, const ImageStyle& style = {});
    /// Element (column, row) of the picture drawn last that is under the mouse.
    std::optional<std::array<int, 2>> element_under_mouse() const;
    /// Colour that begin_frame clears the scene with.
    void set_background(std::array<float, 4> rgba);

    // -- panels ----------------------------------------------------------------------------
    /// A panel of the program's own, drawn in each frame inside end_frame (widgets.h).
    void add_panel(std::string title, std::function<void()> draw);
    /// Under the picture: "t = 12.3 s", "energy 1e-6".
    void set_caption(std::string caption);
    /// Simulation time, shown beside the frame count in the run control.
    void set_time(double seconds);

    // -- results ---------------------------------------------------------------------------
    /// The scene of the last finished frame, or the whole window. (height, width, 3) uint8, top
    /// row first. Throws lathe::Error for `with_ui` where `ui` is false.
    ImageData screenshot(bool with_ui = false);
    /// Device, GL, interop mode with the reason for a copy path, frame rate, bytes copied, compile
    /// state: the parts of the status bar, in its order.
    std::vector<std::string> status_lines() const;

private:
    struct Parts;
    std::unique_ptr<Parts> p_;
};

} // namespace lathe
