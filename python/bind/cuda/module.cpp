// SPDX-License-Identifier: MIT
#include "python/bind/cuda/module.h"

#include "gpu/compiler.h"
#include "gpu/nvrtc.h"
#include "python/bind/bind.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/kernel.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace lathe::bind {

namespace {

using ModulePointer = std::shared_ptr<LoadedModule>;

/// From python/lathe/cuda/texture_source.py.
DeclaredReferences declared_from(const py::list& references) {
    DeclaredReferences declared;
    for (const py::handle each : references) {
        DeclaredReference& d = declared[each.attr("name").cast<std::string>()];
        d.is_surface = each.attr("is_surface").cast<bool>();
        if (const py::object format = each.attr("format"); !format.is_none())
            d.format = static_cast<CUarray_format>(format.cast<int>());
        d.channels = each.attr("channels").cast<unsigned>();
        if (const py::object mode = each.attr("reads_elements"); !mode.is_none())
            d.reads_elements = mode.cast<bool>();
    }
    return declared;
}

} // namespace

void bind_module(py::module_& m) {
    py::class_<LoadedModule, ModulePointer>(m, "Module", "Loaded kernels and variables.")
        .def(
            "get_function",
            [](const ModulePointer& self, const std::string& name) {
                return std::make_shared<PyKernel>(kernel_of(self, name));
            },
            py::arg("name"),
            "A kernel by its name; 'scale<float>' of a source that was compiled here. Raises\n"
            "LogicError, naming those that exist, where there is none.")
        .def(
            "get_global",
            [](const LoadedModule& self, const std::string& name) {
                const auto span = self.global(name);
                return std::pair{span.address(), span.bytes()};
            },
            py::arg("name"), "(address, bytes) of a __device__ or __constant__ variable.")
        .def("get_texref", &LoadedModule::texture_reference, py::arg("name"),
             "The TextureReference that the source declares as texture<...> name. Raises "
             "LogicError\n"
             "where there is none.")
        .def("get_surfref", &LoadedModule::surface_reference, py::arg("name"),
             "The SurfaceReference that the source declares as surface<...> name. Raises "
             "LogicError\n"
             "where there is none.");
    m.def(
        "compile_module",
        [](std::string text, std::vector<std::string> options, std::string name,
           std::vector<std::filesystem::path> folders, const py::list& references) {
            DeclaredReferences declared = declared_from(references);
            const GilRelease release;
            return std::make_shared<LoadedModule>(
                KernelSource{
                    std::move(text), std::move(name), {}, std::move(options), std::move(folders)},
                std::move(declared));
        },
        py::arg("source"), py::arg("options") = std::vector<std::string>{},
        py::arg("name") = "kernel.cu",
        py::arg("include_dirs") = std::vector<std::filesystem::path>{},
        py::arg("references") = py::list{},
        "Compiles (or finds in the cache) and loads. `references` are those of texture_source.\n"
        "Raises CompileError.");
    m.def(
        "compile_image",
        [](std::string text, std::vector<std::string> options, std::string name,
           std::vector<std::filesystem::path> folders) {
            gpu::CompileResult result;
            {
                const GilRelease release;
                result = compiled(
                    {std::move(text), std::move(name), {}, std::move(options), std::move(folders)});
            }
            return py::bytes(reinterpret_cast<const char*>(result.image.data()),
                             result.image.size());
        },
        py::arg("source"), py::arg("options") = std::vector<std::string>{},
        py::arg("name") = "kernel.cu",
        py::arg("include_dirs") = std::vector<std::filesystem::path>{},
        "PTX or a CUBIN, as -arch=compute_XY or sm_XY among the options says; else what the "
        "current\n"
        "device runs fastest. Raises CompileError.");
    m.def(
        "nvrtc_version", [] { return std::pair{gpu::nvrtc().major, gpu::nvrtc().minor}; },
        "(major, minor) of the compiler. Raises Error where there is none.");
}

} // namespace lathe::bind
