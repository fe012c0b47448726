// SPDX-License-Identifier: MIT
#include "gpu/device.h"

#include "gpu/driver/check.h"

namespace lathe::gpu {

Device::Device(int ordinal) { CU_TRY(cuDeviceGet(&device_, ordinal), "device {}", ordinal); }

Device Device::wrap(CUdevice device) noexcept { return {Wrap{}, device}; }

int Device::count() {
    int count = 0;
    CU_TRY(cuDeviceGetCount(&count));
    return count;
}

std::vector<Device> Device::all() {
    std::vector<Device> devices;
    for (int ordinal = 0; ordinal < count(); ++ordinal) devices.emplace_back(ordinal);
    return devices;
}

std::string Device::name() const {
    char name[256] = {};
    CU_TRY(cuDeviceGetName(name, sizeof name, device_));
    return name;
}

ComputeCapability Device::compute_capability() const {
    return {attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
}

int Device::attribute(CUdevice_attribute which) const {
    int value = 0;
    CU_TRY(cuDeviceGetAttribute(&value, which, device_), "attribute {}", static_cast<int>(which));
    return value;
}

std::size_t Device::total_bytes() const {
    std::size_t bytes = 0;
    CU_TRY(cuDeviceTotalMem(&bytes, device_));
    return bytes;
}

std::string Device::pci_bus_id() const {
    char id[64] = {};
    CU_TRY(cuDeviceGetPCIBusId(id, sizeof id, device_));
    return id;
}

std::array<unsigned char, 16> Device::uuid() const {
    CUuuid uuid{};
    CU_TRY(cuDeviceGetUuid(&uuid, device_));
    std::array<unsigned char, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(uuid.bytes[i]);
    return bytes;
}

} // namespace lathe::gpu
