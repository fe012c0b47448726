// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/device.h"

#include "engine/core/log.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/executor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace lathe::soft {

namespace {
// Attributes that do not depend on the machine. Those that name features we lack are 0.
struct Entry {
    CUdevice_attribute attribute;
    int value;
};
constexpr Entry kAttributes[] = {
#define LATHE_CU_ATTRIBUTE(name, value) {CU_DEVICE_ATTRIBUTE_##name, value},
#include "gpu/soft/drv/attributes.inc"
#undef LATHE_CU_ATTRIBUTE
};
} // namespace

int driver_version() {
    static const int version = [] {
        const char* text = std::getenv("LATHE_SOFT_DRIVER_VERSION");
        int n = text ? std::atoi(text) : 0;
        return n > 0 ? n : 13000;
    }();
    return version;
}

Capability capability() {
    static const Capability found = [] {
        constexpr Capability usual{7, 5};
        const char* text = std::getenv("LATHE_SOFT_COMPUTE_CAPABILITY");
        if (!text || !*text) return usual;
        Capability given{};
        char rest = 0;
        const bool ok = std::sscanf(text, "%d.%d%c", &given.major, &given.minor, &rest) == 2 &&
                        given.major >= 5 && given.major <= 12 && given.minor >= 0 &&
                        given.minor <= 9;
        if (!ok)
            log::warning(
                "LATHE_SOFT_COMPUTE_CAPABILITY is '{}', expected one such as 8.6: 7.5 it is", text);
        return ok ? given : usual;
    }();
    return found;
}

bool device_attribute(CUdevice_attribute attribute, int& value) {
    if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) {
        value = static_cast<int>(Executor::instance().workers());
        return true;
    }
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) {
        value = capability().major;
        return true;
    }
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) {
        value = capability().minor;
        return true;
    }
    for (const Entry& e : kAttributes)
        if (e.attribute == attribute) {
            value = e.value;
            return true;
        }
    value = 0;
    return attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX;
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
    if (threads == 0 || threads > kMaxThreads || shared_bytes > kMaxShared) return 0;
    unsigned blocks = std::min(kMaxResidentBlocks, kMaxThreads / threads);
    if (shared_bytes) {
        std::size_t rounded = (shared_bytes + 255) / 256 * 256;
        blocks = std::min(blocks, static_cast<unsigned>(kMaxShared / rounded));
    }
    return blocks;
}

} // namespace lathe::soft
