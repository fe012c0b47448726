// SPDX-License-Identifier: MIT
// Devices and contexts, as PyCUDA's driver module has them.
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/constants.h"
#include "python/bind/cuda/host_function.h"
#include "python/bind/gil.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <map>
#include <optional>

namespace lathe::bind {

namespace {

using gpu::Context;
using gpu::Device;

Device device_of_bus(const std::string& bus_id) {
    CUdevice device = 0;
    CU_TRY(cuDeviceGetByPCIBusId(&device, bus_id.c_str()), "{}", bus_id);
    return Device::wrap(device);
}

py::object attribute_of_device(const Device& device, int which) {
    const int value = device.attribute(static_cast<CUdevice_attribute>(which));
    if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) return constants("compute_mode")(value);
    return py::int_(value);
}

// dev.warp_size is dev.get_attribute(device_attribute.WARP_SIZE).
py::object attribute_of_name(const Device& device, const std::string& name) {
    return attribute_of_device(device, constant_of_attribute("device_attribute", "Device", name));
}

py::dict attributes_by_name(const Device& device) {
    py::dict all;
    for (const auto& [number, constant] :
         constants("device_attribute").attr("values").cast<py::dict>()) {
        int value = 0;
        const auto which = static_cast<CUdevice_attribute>(number.cast<int>());
        if (gpu::driver().cuDeviceGetAttribute(&value, which, device.get()) == CUDA_SUCCESS)
            all[constant] = attribute_of_device(device, which);
    }
    return all;
}

void bind_devices(py::module_& m) {
    py::class_<Device>(m, "Device", "A CUDA device, by its number or its PCI bus id.")
        .def(py::init<int>(), py::arg("number") = 0)
        .def(py::init(&device_of_bus), py::arg("pci_bus_id"))
        .def_static("count", &Device::count, "Devices that there are.")
        .def("name", &Device::name)
        .def("pci_bus_id", &Device::pci_bus_id, "Such as '0000:01:00.0'.")
        .def(
            "compute_capability",
            [](const Device& d) {
                const auto c = d.compute_capability();
                return std::pair{c.major, c.minor};
            },
            "(major, minor).")
        .def("total_memory", &Device::total_bytes, "Bytes.")
        .def("get_attribute", &attribute_of_device, py::arg("attr"),
             "A device_attribute's value: an int, or a compute_mode for COMPUTE_MODE.")
        .def("get_attributes", &attributes_by_name,
             "All that the device knows of device_attribute, as a dictionary.")
        .def("__getattr__", &attribute_of_name, py::arg("name"))
        .def(
            "make_context",
            [](const Device& d, unsigned flags) {
                const GilRelease release;
                return Context::create(d, flags);
            },
            py::arg("flags") = 0,
            "A new context, current from now on. `flags` are ctx_flags. (cuCtxCreate)")
        .def("retain_primary_context", &Context::primary,
             "The context that PyTorch, CuPy and lathe.App use. It is not made current.")
        .def(
            "can_access_peer",
            [](const Device& d, const Device& peer) {
                int can = 0;
                CU_TRY(cuDeviceCanAccessPeer(&can, d.get(), peer.get()));
                return can != 0;
            },
            py::arg("dev"))
        .def(
            "__eq__", [](const Device& a, const Device& b) { return a == b; }, py::is_operator())
        .def("__hash__", [](const Device& d) { return py::hash(py::int_(d.get())); })
        .def("__repr__",
             [](const Device& d) { return fmt::format("<Device {}: {}>", d.get(), d.name()); });
}

Context current_or_error(const char* routine) {
    const Context context = Context::current();
    if (!context)
        throw gpu::Error{routine, CUDA_ERROR_INVALID_CONTEXT,
                         "no context is current on this thread"};
    return context;
}

/// How often attach() named a context and detach() has not yet.
std::map<CUcontext, int>& attached() {
    static auto* const all = new std::map<CUcontext, int>; // under Python's lock
    return *all;
}

Context attach(unsigned flags) {
    if (flags)
        throw gpu::Error{"cuCtxAttach", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("flags must be 0, got {}", flags)};
    const Context context = current_or_error("cuCtxAttach");
    ++attached()[context.get()];
    return context;
}

void detach(const Context& context) {
    if (const auto used = attached().find(context.get()); used != attached().end()) {
        if (--used->second == 0) attached().erase(used);
        if (context.is_alive()) return;
    }
    if (context.is_alive() && context == Context::primary(context.device())) { // stays for others
        if (Context::current() == context) (void)Context::pop();
        return;
    }
    const GilRelease release;
    context.destroy();
}

void bind_contexts(py::module_& m) {
    py::class_<Context>(
        m, "Context",
        "A context on the calling thread's stack. Functions without a context use the\n"
        "device's primary one.")
        .def("push", &Context::push, "Makes it current on the calling thread.")
        .def_static(
            "pop", [] { (void)Context::pop(); },
            "The context that was current before is current again. Raises LogicError where\n"
            "none is.")
        .def("detach", &detach,
             "Ends the context and frees what lives in it; the primary one stays for others.\n"
             "Raises LogicError where it was detached before.")
        .def_static(
            "get_current",
            []() -> std::optional<Context> {
                const Context context = Context::current();
                return context ? std::optional{context} : std::nullopt;
            },
            "The calling thread's context, whoever made it; None where it has none.")
        .def_static(
            "get_device", [] { return current_or_error("cuCtxGetDevice").device(); },
            "Of the current context.")
        .def_static(
            "synchronize",
            [] {
                refuse_in_host_function("cuCtxSynchronize");
                const GilRelease release;
                Context::ensure_current().synchronize();
                raise_left_out("cuCtxSynchronize");
            },
            "Blocks until all work of the current context is done; raises its errors.")
        .def_static(
            "set_limit",
            [](int limit, std::size_t value) {
                Context::ensure_current();
                CU_TRY(cuCtxSetLimit(static_cast<CUlimit>(limit), value), "limit {}, {}", limit,
                       value);
            },
            py::arg("limit"), py::arg("value"))
        .def_static(
            "get_limit",
            [](int limit) {
                std::size_t value = 0;
                Context::ensure_current();
                CU_TRY(cuCtxGetLimit(&value, static_cast<CUlimit>(limit)), "limit {}", limit);
                return value;
            },
            py::arg("limit"))
        .def_static(
            "set_cache_config",
            [](int config) {
                Context::ensure_current();
                CU_TRY(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)), "{}", config);
            },
            py::arg("cc"), "A func_cache: a hint.")
        .def_static("get_cache_config",
                    [] {
                        CUfunc_cache config{};
                        Context::ensure_current();
                        CU_TRY(cuCtxGetCacheConfig(&config));
                        return constants("func_cache")(static_cast<int>(config));
                    })
        .def_static(
            "set_shared_config",
            [](int config) {
                Context::ensure_current();
                CU_TRY(cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config)), "{}", config);
            },
            py::arg("sc"), "A shared_config: without effect since compute capability 7.")
        .def_static("get_shared_config",
                    [] {
                        CUsharedconfig config{};
                        Context::ensure_current();
                        CU_TRY(cuCtxGetSharedMemConfig(&config));
                        return constants("shared_config")(static_cast<int>(config));
                    })
        .def_static(
            "enable_peer_access",
            [](const Context& peer, unsigned flags) {
                Context::ensure_current().enable_peer_access(peer, flags);
            },
            py::arg("peer"), py::arg("flags") = 0,
            "The current context may use the memory of `peer`, a context of another device.\n"
            "Raises LogicError where the devices cannot, or it may already.")
        .def_static(
            "disable_peer_access",
            [](const Context& peer, unsigned flags) {
                if (flags)
                    throw gpu::Error{"cuCtxDisablePeerAccess", CUDA_ERROR_INVALID_VALUE,
                                     fmt::format("flags must be 0, got {}", flags)};
                Context::ensure_current().disable_peer_access(peer);
            },
            py::arg("peer"), py::arg("flags") = 0, "Ends it again.")
        .def_static("attach", &attach, py::arg("flags") = 0,
                    "The current context; it takes one detach() more to end it.")
        .def("get_api_version",
             [](const Context& c) {
                 unsigned version = 0;
                 CU_TRY(cuCtxGetApiVersion(c.get(), &version));
                 return version;
             })
        .def_property_readonly(
            "handle", [](const Context& c) { return reinterpret_cast<std::uintptr_t>(c.get()); },
            "The CUcontext as an int.")
        .def(
            "__eq__", [](const Context& a, const Context& b) { return a == b; }, py::is_operator())
        .def("__hash__", [](const Context& c) {
            return py::hash(py::int_(reinterpret_cast<std::uintptr_t>(c.get())));
        });
}

} // namespace

void bind_device(py::module_& m) {
    bind_devices(m);
    bind_contexts(m);
    m.def(
        "driver_init", [] { (void)gpu::driver(); }, py::call_guard<GilRelease>(),
        "Opens the driver.");
    m.def(
        "driver_version", [] { return gpu::driver().version; },
        "1000 * major + 10 * minor of the CUDA that the driver offers.");
    m.def(
        "driver_is_open", [] { return gpu::detail::open_driver.load() != nullptr; },
        "Whether something has opened the driver; does not open it.");
    m.def(
        "module_get_loading_mode",
        [] { // from CUDA 11.7 on
            CUmoduleLoadingMode mode = CU_MODULE_EAGER_LOADING;
            if (const auto ask =
                    gpu::driver().find<decltype(cuModuleGetLoadingMode)>("cuModuleGetLoadingMode"))
                if (const CUresult code = ask(&mode); code != CUDA_SUCCESS)
                    throw gpu::Error{"cuModuleGetLoadingMode", code};
            return static_cast<int>(mode);
        },
        "A module_loading_mode. (cuModuleGetLoadingMode)");
    m.def(
        "cuda_version", [] { return CUDA_VERSION; },
        "The same of the headers Lathe is built with.");
    m.def(
        "start_profiler",
        [] {
            Context::ensure_current();
            CU_TRY(cuProfilerStart());
        },
        "A profiler that watches this program collects from now on. (cuProfilerStart)");
    m.def(
        "stop_profiler",
        [] {
            Context::ensure_current();
            CU_TRY(cuProfilerStop());
        },
        "It stops collecting. (cuProfilerStop)");
    m.def(
        "mem_get_info",
        [] {
            const auto info = Context::ensure_current().memory();
            return std::pair{info.free_bytes, info.total_bytes};
        },
        "(free, total) bytes of the current context's device.");
}

} // namespace lathe::bind
