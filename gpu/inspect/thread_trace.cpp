// SPDX-License-Identifier: MIT
#include "gpu/inspect/thread_trace.h"

#include "engine/core/source_name.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

constexpr std::size_t kRecordBytes = std::size_t{8} << 20;

} // namespace

TracedKernel::TracedKernel(const CompileRequest& request, const std::string& kernel)
    : kernel_{request, kernel, [this](ptx::Module& module, const auto& files) {
                  plan_ = ptx::trace_threads(module, files);
              }} {
    for (const auto& type : plan_.variables)
        types_.push_back(std::make_shared<const ptx::ParameterType>(type));
    for (std::uint32_t v = 0; v < plan_.constants.size(); ++v) {
        const auto bytes = std::as_bytes(std::span{plan_.constants[v]});
        if (!bytes.empty()) constants_[v].assign(bytes.begin(), bytes.end());
    }
    for (const std::string& name : plan_.functions) functions_.push_back(source_name(name));
    records_ = DeviceBuffer{kRecordBytes};
}

void TracedKernel::begin(const Dim3& block, const Dim3& thread, const Module& original) {
    ptx::TraceState state;
    const unsigned where[]{block.x, block.y, block.z, thread.x, thread.y, thread.z};
    std::copy_n(where, 3, state.block);
    std::copy_n(where + 3, 3, state.thread);
    state.next = records_.address();
    state.end = records_.address() + records_.bytes();
    kernel_.begin(original, ptx::kTraceState, std::as_bytes(std::span{&state, 1}));
}

ThreadTrace TracedKernel::finish(const Module& original) {
    kernel_.finish(original);
    ptx::TraceState state;
    kernel_.read(ptx::kTraceState, std::as_writable_bytes(std::span{&state, 1}));
    std::vector<std::byte> records(state.next - records_.address());
    copy_to_host(records.data(), records_.address(), records.size());

    ThreadTrace trace;
    trace.is_cut = state.is_full != 0;
    const std::vector<std::string>& files = kernel_.files();
    std::vector<Frame> frames{constants_}; // calls that the thread is in
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= records.size();) {
        std::uint32_t number = 0;
        std::memcpy(&number, records.data() + at, sizeof number);
        const ptx::TraceSite& site = plan_.sites.at(number);
        if (site.event == ptx::TraceEvent::enter) {
            frames.push_back(constants_);
        } else {
            Frame& frame = frames.back();
            for (const ptx::TracedPlace& value : site.values) {
                const std::byte* const from = records.data() + at + value.offset;
                frame[value.variable].assign(from, from + value.bytes);
            }
            TraceStep& step = trace.steps.emplace_back();
            step.function = functions_[site.function];
            step.file = site.file < files.size() ? files[site.file] : std::string{};
            step.line = static_cast<int>(site.line);
            step.depth = static_cast<int>(frames.size()) - 1;
            step.is_end = site.event == ptx::TraceEvent::leave;
            for (const std::uint32_t variable : site.known)
                step.values.push_back({types_[variable], frame.at(variable)});
            if (step.is_end && frames.size() > 1) frames.pop_back();
        }
        at += site.bytes;
    }
    return trace;
}

} // namespace lathe::gpu
