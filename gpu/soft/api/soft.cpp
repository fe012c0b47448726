// SPDX-License-Identifier: MIT
// The extras of soft_api.h.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/library.h"
#include "gpu/soft/drv/module.h"
#include "gpu/soft/rt/block_spans.h"
#include "gpu/soft/rt/launch_times.h"
#include "gpu/soft/rt/printf.h"
#include "gpu/soft/rt/profile.h"
#include "gpu/soft/rt/watch/findings.h"
#include "gpu/soft/rt/watch/grid_watch.h"
#include "gpu/soft/rt/watch/unwritten.h"

#pragma GCC visibility push(default)
#include "gpu/soft/soft_api.h"
#pragma GCC visibility pop

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

using namespace lathe::soft;

namespace {

static_assert(int{kLatheSoftAllHazards} == int{kAllHazards} &&
              int{kLatheSoftRaceShared} == int{kRaceShared} &&
              int{kLatheSoftRaceGlobal} == int{kRaceGlobal} &&
              int{kLatheSoftUnwrittenShared} == int{kUnwrittenShared} &&
              int{kLatheSoftUnwrittenGlobal} == int{kUnwrittenGlobal} &&
              int{kLatheSoftBarrierApart} == int{kBarrierApart});

template <std::size_t N> void put(char (&to)[N], const std::string& text) {
    std::snprintf(to, N, "%s", text.c_str());
}

void put(LatheSoftHazardThread& to, const FoundThread& thread) {
    put(to.file, thread.file);
    to.line = thread.line;
    to.access = thread.access;
    std::copy_n(thread.block.begin(), 3, to.block);
    std::copy_n(thread.thread.begin(), 3, to.thread);
    put(to.inlined_at, thread.inlined_at);
}

/// Where the code begins; 0 where there is none.
std::uintptr_t address_of(const KernelCode& code) {
    return code.block ? reinterpret_cast<std::uintptr_t>(code.block)
                      : reinterpret_cast<std::uintptr_t>(code.entry);
}

} // namespace

extern "C" {

uint64_t latheSoftGetLastFault(LatheSoftFault* fault) {
    uint64_t count = fault_count();
    if (!fault || count == 0) return count;
    FaultReport r = last_fault();
    *fault = {};
    fault->code = r.code;
    put(fault->kernel, r.kernel);
    std::copy_n(r.block, 3, fault->block);
    std::copy_n(r.thread, 3, fault->thread);
    put(fault->file, r.file);
    fault->line = r.line;
    fault->column = r.column;
    fault->address = r.address;
    put(fault->message, r.message);
    return count;
}

const char* latheSoftGetVersionString(void) {
    static const std::string text = fmt::format(
        "Lathe software CUDA device " LATHE_VERSION " (LLVM " LATHE_LLVM_VERSION ", {} worker{})",
        Executor::instance().workers(), Executor::instance().workers() == 1 ? "" : "s");
    return text.c_str();
}

const char* latheSoftGetLastErrorText(void) { return last_error_text().c_str(); }

void latheSoftSetPrintfCallback(LatheSoftPrintf callback, void* user) {
    set_printf_callback(callback, user);
}

int latheSoftCancel(void* stream) {
    return in_context([&](Context& context) {
        if (!stream) {
            context.cancel(nullptr);
            return;
        }
        context.cancel(context.stream(static_cast<CUstream>(stream)).get());
    });
}

int latheSoftSetTimeLimit(void* stream, uint64_t milliseconds) {
    return in_context([&](Context& context) {
        constexpr uint64_t longest = 1'000'000'000; // 11 days: far from the clock's end
        context.stream(static_cast<CUstream>(stream))->limit_ms =
            static_cast<long long>(std::min(milliseconds, longest));
    });
}

void latheSoftCountersStart(void) { Profile::instance().set_on(true); }
void latheSoftCountersStop(void) { Profile::instance().set_on(false); }
void latheSoftCountersReset(void) { Profile::instance().reset(); }

size_t latheSoftCountersRead(LatheSoftLineCounters* rows, size_t capacity) {
    const auto lines = Profile::instance().lines();
    size_t written = 0;
    for (const auto& [line, counts] : lines) {
        if (!rows || written == capacity) break;
        LatheSoftLineCounters& row = rows[written++];
        row = {};
        put(row.kernel, line.kernel);
        put(row.file, line.place.file);
        row.line = line.place.line;
        row.by_threads = line.place.by_threads;
        put(row.inlined_at, line.place.inlined_at);
        static_assert(sizeof row - offsetof(LatheSoftLineCounters, executions) == sizeof counts);
        std::memcpy(&row.executions, counts.data(), sizeof counts);
    }
    return lines.size();
}

void latheSoftTimesStart(void) { LaunchTimes::instance().set_on(true); }
void latheSoftTimesStop(void) { LaunchTimes::instance().set_on(false); }

size_t latheSoftTimesRead(LatheSoftLaunchTime* rows, size_t capacity) {
    const auto all = LaunchTimes::instance().all();
    size_t written = 0;
    for (const auto& [kernel, sum] : all) {
        if (!rows || written == capacity) break;
        LatheSoftLaunchTime& row = rows[written++];
        put(row.kernel, kernel);
        row.launches = sum.launches;
        row.nanoseconds = static_cast<uint64_t>(sum.time.count());
        row.counted = sum.counted;
    }
    return all.size();
}

void latheSoftSpansStart(void) { BlockSpans::instance().set_on(true); }
void latheSoftSpansStop(void) { BlockSpans::instance().set_on(false); }

size_t latheSoftSpansRead(uint64_t* from, LatheSoftBlockSpan* rows, size_t capacity) {
    size_t written = 0;
    *from = BlockSpans::instance().read(*from, [&](const BlockSpan& span) {
        if (written == capacity) return false;
        LatheSoftBlockSpan& row = rows[written++];
        put(row.kernel, span.kernel);
        row.worker = span.worker;
        row.first = span.first;
        row.count = span.count;
        row.begin = std::chrono::nanoseconds{span.begin.time_since_epoch()}.count();
        row.end = std::chrono::nanoseconds{span.end.time_since_epoch()}.count();
        return true;
    });
    return written;
}

uint64_t latheSoftCodeId(void* function) {
    uint64_t id = 0;
    in_context([&](Context& context) {
        id = address_of(function_of(context, static_cast<CUfunction>(function))->plain_code());
    });
    return id;
}

int latheSoftReadCode(void* handle, LatheSoftCodeReceiver receive, void* user, uint32_t* threads) {
    return in_context([&](Context& context) {
        const auto function = function_of(context, static_cast<CUfunction>(handle));
        const KernelCode code = function->plain_code();
        if (threads) *threads = code.width;
        if (!address_of(code)) return;
        for (const CodeRow& row : function->module->code()->listing(address_of(code))) {
            const LatheSoftCodeRow given{static_cast<uint32_t>(row.kind), row.text.c_str(),
                                         row.file.c_str(), row.line, row.inlined_at.c_str()};
            receive(&given, user);
        }
    });
}

int latheSoftHazardsWatch(uint32_t hazards) {
    try {
        if (hazards & kUnwrittenGlobal) DeviceUnwritten::instance().start();
        else DeviceUnwritten::instance().stop();
    } catch (const std::bad_alloc&) { return CUDA_ERROR_OUT_OF_MEMORY; }
    Findings::instance().set_kinds(hazards & kAllHazards);
    if (!hazards) GridWatch::drop_cells();
    return CUDA_SUCCESS;
}

void latheSoftHazardsReset(void) { Findings::instance().reset(); }

size_t latheSoftHazardsRead(LatheSoftFinding* findings, size_t capacity) {
    const auto all = Findings::instance().all();
    size_t written = 0;
    for (const Finding& finding : all) {
        if (!findings || written == capacity) break;
        LatheSoftFinding& row = findings[written++];
        row = {};
        row.hazard = finding.hazard;
        row.bytes = finding.bytes;
        put(row.kernel, finding.kernel);
        put(row.first, finding.first);
        put(row.second, finding.second);
        row.address = finding.address;
        row.offset = finding.offset;
        put(row.memory, finding.memory);
        put(row.message, finding.message);
        row.count = finding.count;
    }
    return all.size();
}

void latheSoftHostHasWritten(uint64_t memory, size_t bytes) {
    DeviceUnwritten::instance().written(memory, bytes);
}

void latheSoftMemoryIsNew(uint64_t memory, size_t bytes) {
    if (!DeviceUnwritten::instance().is_on()) return;
    (void)in_context([&](Context& context) { context.wait_idle(); });
    DeviceUnwritten::instance().allocated(memory, bytes);
}

int latheSoftStreamWait(void* stream, uint64_t nanoseconds) {
    return in_context([&](Context& context) {
        const auto end = Command::Clock::now() + std::chrono::nanoseconds{nanoseconds};
        return context.wait_until(context.stream(static_cast<CUstream>(stream)), end)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_NOT_READY;
    });
}

void latheSoftBestCodeBegin(void) { ++Module::wants_best_code; }
void latheSoftBestCodeEnd(void) { --Module::wants_best_code; }

unsigned latheSoftAccessBytes(void) { return 16; }
int latheSoftPrefersLoneThreads(void) { return 1; }
int latheSoftIsHostMemory(void) { return 1; }
int latheSoftChecksBytes(void) { return ExecutionMode::from_environment().exact_checks ? 1 : 0; }
int latheSoftHasDeviceRuntime(void) { return 1; }

} // extern "C"
