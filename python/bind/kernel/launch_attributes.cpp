// SPDX-License-Identifier: MIT
#include "python/bind/kernel/launch_attributes.h"

#include "python/bind/cuda/pointer.h"

#include <fmt/format.h>

namespace lathe::bind {

namespace {

std::string shown(py::handle value) { return py::repr(value).cast<std::string>(); }

std::optional<int> number(const py::object& value, const char* name) {
    if (value.is_none()) return std::nullopt;
    int overflow = 0;
    const auto index = PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr())
                           ? py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()))
                           : py::object{};
    PyErr_Clear(); // what is no number after all is told below
    const long found = index ? PyLong_AsLongAndOverflow(index.ptr(), &overflow) : 0;
    if (!index || overflow || found != static_cast<int>(found))
        throw py::type_error(fmt::format("{} must be an int or None, got {}", name, shown(value)));
    return static_cast<int>(found);
}

CUaccessProperty property(const py::object& value) {
    const auto found = number(value, "access_policy_window's property");
    if (!found || *found < CU_ACCESS_PROPERTY_NORMAL || *found > CU_ACCESS_PROPERTY_PERSISTING)
        throw py::value_error(fmt::format("access_policy_window: hit_prop and miss_prop must be of "
                                          "access_property, got {}",
                                          shown(value)));
    return static_cast<CUaccessProperty>(*found);
}

CUaccessPolicyWindow window_from(const py::object& value) {
    const py::ssize_t size = py::isinstance<py::tuple>(value) ? PyTuple_GET_SIZE(value.ptr()) : 0;
    if (size < 2 || size > 5)
        throw py::type_error(fmt::format("access_policy_window must be a tuple (memory, num_bytes, "
                                         "hit_ratio, hit_prop, miss_prop), got {}",
                                         shown(value)));
    const py::tuple parts = value;
    const auto at = [&](std::size_t k) { return py::object(parts[k]); };
    const DevicePointer memory = device_pointer(at(0), "access_policy_window", "memory");
    const auto bytes = number(at(1), "access_policy_window's num_bytes");
    if (!bytes || *bytes < 1)
        throw py::value_error(fmt::format(
            "access_policy_window: num_bytes must be at least 1, got {}", shown(at(1))));
    check_room(memory, static_cast<std::size_t>(*bytes), "cuLaunchKernelEx");
    CUaccessPolicyWindow window{};
    window.base_ptr = reinterpret_cast<void*>(memory.address);
    window.num_bytes = static_cast<std::size_t>(*bytes);
    window.hitRatio = 1;
    if (size > 2) {
        if (!PyFloat_Check(at(2).ptr()) && !PyLong_Check(at(2).ptr()))
            throw py::type_error(fmt::format(
                "access_policy_window: hit_ratio must be a number, got {}", shown(at(2))));
        window.hitRatio = at(2).cast<float>();
    }
    window.hitProp = size > 3 ? property(at(3)) : CU_ACCESS_PROPERTY_PERSISTING;
    window.missProp = size > 4 ? property(at(4)) : CU_ACCESS_PROPERTY_STREAMING;
    return window;
}

} // namespace

gpu::LaunchAttributes launch_attributes_from(const py::object& priority, bool serialization,
                                             const py::object& domain, const py::object& carveout,
                                             const py::object& window) {
    gpu::LaunchAttributes found;
    found.priority = number(priority, "priority");
    found.programmatic_stream_serialization = serialization;
    found.mem_sync_domain = number(domain, "mem_sync_domain");
    found.preferred_shared_memory_carveout = number(carveout, "preferred_shared_memory_carveout");
    if (!window.is_none()) found.access_policy_window = window_from(window);
    return found;
}

} // namespace lathe::bind
