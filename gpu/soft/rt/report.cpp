// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/report.h"

#include <fmt/format.h>

#include <mutex>

namespace lathe::soft {

namespace {
struct Last {
    std::mutex mutex;
    FaultReport report;
    std::uint64_t count = 0;
};
Last& last() {
    static Last* instance = new Last;
    return *instance;
}
} // namespace

std::string to_string(const FaultReport& r) {
    std::string text =
        fmt::format("{}: {}, block ({}, {}, {}), thread ({}, {}, {})", r.kernel, r.message,
                    r.block[0], r.block[1], r.block[2], r.thread[0], r.thread[1], r.thread[2]);
    if (r.line) text += fmt::format(", {}:{}", r.file, r.line);
    return text;
}

void remember_fault(const FaultReport& report) {
    Last& l = last();
    std::lock_guard lock{l.mutex};
    l.report = report;
    ++l.count;
}

FaultReport last_fault() {
    Last& l = last();
    std::lock_guard lock{l.mutex};
    return l.report;
}

std::uint64_t fault_count() {
    Last& l = last();
    std::lock_guard lock{l.mutex};
    return l.count;
}

} // namespace lathe::soft
