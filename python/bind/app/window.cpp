// SPDX-License-Identifier: MIT
#include "engine/app/window.h"

#include "engine/core/process.h"
#include "python/bind/bind.h"

namespace lathe::bind {

void bind_window(py::module_& m) {
    m.def(
        "gl_status",
        [] {
            WindowConfig config;
            config.width = config.height = 64;
            config.headless = true;
            const Window window = Window::open(config);
            const gl::Info& info = window.gl_info();
            py::dict out;
            out["vendor"] = info.vendor;
            out["renderer"] = info.renderer;
            out["version"] = info.version;
            out["is_software"] = info.is_software;
            out["window"] = window.description();
            return out;
        },
        "What OpenGL there is without a display; opens no CUDA driver. Raises lathe.Error naming "
        "what\n"
        "is missing.");
    m.def("note_end_of_program", &note_end_of_program,
          "Python takes objects apart from now on, in any order.");
    m.def("display_is_available", &display_is_available,
          "Whether DISPLAY or WAYLAND_DISPLAY names a display.");
}

} // namespace lathe::bind
