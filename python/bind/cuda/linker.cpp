// SPDX-License-Identifier: MIT
// Modules made of parts, and modules loaded with options, as PyCUDA's driver module has them.
#include "gpu/linker.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/module.h"
#include "python/bind/gil.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <cstring>

namespace lathe::bind {

namespace {

/// (option, value) pairs; the value is an int, a bool or a float.
std::vector<gpu::JitOption> options_from(const py::object& options) {
    std::vector<gpu::JitOption> found;
    if (options.is_none()) return found;
    for (const py::handle each : options) {
        if (!py::isinstance<py::sequence>(each) || py::len(each) != 2)
            throw py::type_error(
                fmt::format("options must be pairs of a jit_option and its value, got {}",
                            py::repr(each).cast<std::string>()));
        const auto pair = py::reinterpret_borrow<py::sequence>(each);
        gpu::JitOption option{static_cast<CUjit_option>(pair[0].cast<int>()), 0};
        const py::object value = pair[1];
        if (PyFloat_Check(value.ptr())) {
            const auto number = value.cast<float>();
            std::memcpy(&option.value, &number, sizeof number);
        } else {
            option.value = static_cast<std::uintptr_t>(value.cast<long long>());
        }
        found.push_back(option);
    }
    return found;
}

/// message_handler(success, info, error), where there is one.
void tell(const py::object& handler, bool success, const gpu::JitLog& log) {
    if (!handler.is_none()) handler(success, log.info, log.error);
}

py::bytes bytes_from(const py::object& data, const char* function) {
    if (!PyObject_CheckBuffer(data.ptr()))
        throw py::type_error(
            fmt::format("{}: bytes are wanted, got {}", function, Py_TYPE(data.ptr())->tp_name));
    auto bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(data.ptr()));
    if (!bytes) throw py::error_already_set();
    return bytes;
}

std::span<const std::byte> span_of(std::string_view text) { return std::as_bytes(std::span{text}); }

std::shared_ptr<LoadedModule> load(const py::object& buffer, const py::object& options,
                                   const py::object& handler) {
    const py::bytes image = bytes_from(buffer, "module_from_buffer");
    const std::string_view text{image};
    const auto given = options_from(options);
    gpu::JitLog log;
    std::shared_ptr<LoadedModule> module;
    try {
        const GilRelease release;
        module = std::make_shared<LoadedModule>(gpu::Module{span_of(text), given, log});
    } catch (const gpu::Error&) {
        tell(handler, false, log);
        throw;
    }
    tell(handler, true, log);
    return module;
}

class PyLinker {
public:
    PyLinker(py::object handler, const py::object& options, bool verbose)
        : handler_{std::move(handler)}, linker_{options_from(options), verbose} {}
    ~PyLinker() {
        const WithoutGil release;
        linker_ = {};
    }

    template <class Step> auto told(Step&& step) {
        try {
            const GilRelease release;
            return step(linker_);
        } catch (const gpu::Error&) {
            tell(handler_, false, linker_.log());
            throw;
        }
    }
    std::shared_ptr<LoadedModule> link() {
        auto module = told([](gpu::Linker& linker) {
            const auto image = linker.complete();
            return std::make_shared<LoadedModule>(gpu::Module{image});
        });
        tell(handler_, true, linker_.log());
        return module;
    }

private:
    py::object handler_;
    gpu::Linker linker_;
};

} // namespace

void bind_linker(py::module_& m) {
    m.def("module_from_buffer", &load, py::arg("buffer"), py::arg("options") = py::tuple(),
          py::arg("message_handler") = py::none(),
          "Loads PTX, a CUBIN or a fat binary. `options` are pairs of a jit_option and a number;\n"
          "message_handler(success, info, error) gets the logs. Raises LogicError with the log.");
    py::class_<PyLinker>(m, "Linker", "Makes a module of parts that use each other's functions.")
        .def(py::init<py::object, py::object, bool>(), py::arg("message_handler") = py::none(),
             py::arg("options") = py::none(), py::arg("log_verbose") = false,
             "`options` are pairs of a jit_option and a number; message_handler(success, info, "
             "error)\n"
             "gets the logs. (cuLinkCreate)")
        .def(
            "add_data",
            [](PyLinker& linker, const py::object& data, int type, const std::string& name) {
                const py::bytes bytes = bytes_from(data, "add_data");
                const std::string_view text{bytes};
                linker.told([&](gpu::Linker& l) {
                    l.add(static_cast<CUjitInputType>(type), span_of(text), name);
                });
            },
            py::arg("data"), py::arg("input_type"), py::arg("name") = "unknown",
            "A part, of a jit_input_type. Raises LogicError with the linker's words. "
            "(cuLinkAddData)")
        .def(
            "add_file",
            [](PyLinker& linker, const std::filesystem::path& file, int type) {
                linker.told(
                    [&](gpu::Linker& l) { l.add_file(static_cast<CUjitInputType>(type), file); });
            },
            py::arg("filename"), py::arg("input_type"), "The same of a file. (cuLinkAddFile)")
        .def("link_module", &PyLinker::link,
             "The Module of all parts, once. Raises LogicError naming what is missing or there "
             "twice.\n"
             "(cuLinkComplete)");
}

} // namespace lathe::bind
