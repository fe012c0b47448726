// SPDX-License-Identifier: MIT
// From what the runner knows at the end of a failed launch to a report with place and words.
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/fiber_sanitizer.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace lathe::soft {

namespace {

std::string place_text(const ModuleCode* code, std::uintptr_t pc) {
    if (code)
        if (auto place = code->place_of(pc)) return fmt::format("{}:{}", place->file, place->line);
    return "an unknown line";
}

// Whether the instruction that ends at a place in kernel code is a call: relative, or by register.
bool ends_call(const ModuleCode& code, std::uintptr_t end) {
    if (!code.contains(end - 5)) return false;
    const auto* p = reinterpret_cast<const std::uint8_t*>(end);
    return p[-5] == 0xe8 || (p[-2] == 0xff && (p[-1] & 0xf8) == 0xd0);
}

// The innermost address of kernel code on a stack that was left while a helper ran: the first word
// that is a return address into the module. Frames may hold words of kernels that ran before, whose
// code lay at the same place; those rarely follow a call. Exact enough for a report, and needs no
// unwinder.
std::uintptr_t kernel_pc(const ModuleCode& code, const Fault& fault, const Stack& stack) {
    if (code.contains(fault.pc)) return fault.pc;
    auto top = reinterpret_cast<std::uintptr_t>(stack.top);
    std::uintptr_t sp = std::max(fault.sp, reinterpret_cast<std::uintptr_t>(stack.low));
    for (sp = (sp + 7) / 8 * 8; sp + 8 <= top; sp += 8) {
        std::uintptr_t word;
        std::memcpy(&word, reinterpret_cast<const void*>(sp), sizeof word);
        if (word && code.contains(word - 1) && ends_call(code, word)) return word - 1;
    }
    return fault.pc;
}

std::string shared_text(const ThreadContext& c, std::size_t bytes, std::uintptr_t address) {
    auto begin = reinterpret_cast<std::uintptr_t>(c.shared);
    if (address >= begin && address - begin < bytes)
        return fmt::format("{} bytes into the block's {} bytes of shared memory", address - begin,
                           bytes);
    if (address < begin)
        return fmt::format("{} bytes before the block's {} bytes of shared memory", begin - address,
                           bytes);
    return fmt::format("{} bytes past the end of the block's {} bytes of shared memory",
                       address - begin - bytes, bytes);
}

} // namespace

void BlockRunner::complete(FaultReport& r, const ThreadFiber& thread, std::uintptr_t pc) const {
    r.kernel = launch_->info->name;
    std::copy_n(thread.context.ctaid, 3, r.block);
    // In a compiled thread loop only the linear index is current.
    std::uint32_t linear = thread.context.linear_tid;
    r.thread[0] = linear % launch_->block[0];
    r.thread[1] = linear / launch_->block[0] % launch_->block[1];
    r.thread[2] = linear / launch_->block[0] / launch_->block[1];
    if (r.line || !launch_->module) return;
    if (auto place = launch_->module->place_of(pc)) {
        r.file = place->file ? place->file : "";
        r.line = place->line;
        r.column = place->column;
    }
}

std::string BlockRunner::text_of(const ThreadContext& context, std::uintptr_t address,
                                 bool from_shared) const {
    auto region = reinterpret_cast<std::uintptr_t>(shared_);
    bool near_shared = address + 65536 >= region && address < region + 65536 * 3;
    return near_shared || from_shared ? shared_text(context, launch_->shared_bytes(), address)
                                      : describe_address(address);
}

void BlockRunner::report_fault() {
    const NormalFloats normal;
    const ThreadFiber& thread = *current_;
    forget_frames(*thread.stack); // kernel_pc reads it word by word
    FaultReport r;
    std::uintptr_t pc =
        launch_->module ? kernel_pc(*launch_->module, fault_, *thread.stack) : fault_.pc;
    switch (fault_.signal) {
    case SIGILL:
        r.code = CUDA_ERROR_ILLEGAL_INSTRUCTION;
        r.message = "illegal instruction";
        break;
    case SIGFPE:
        r.code = CUDA_ERROR_LAUNCH_FAILED;
        r.message = "arithmetic exception";
        break;
    default: {
        if (thread.stack->in_guard(fault_.address)) {
            r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
            r.address = fault_.address;
            r.message = fmt::format("stack overflow ({} KiB; recursion too deep, or raise "
                                    "CU_LIMIT_STACK_SIZE)",
                                    thread.stack->bytes / 1024);
            break;
        }
        r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
        if (!fault_.known) {
            r.message = "illegal address: a pointer outside of the 48-bit address space";
            break;
        }
        r.address = fault_.address;
        r.message =
            fmt::format("illegal address: {} at {:#x}, {}", fault_.is_write ? "write" : "read",
                        fault_.address, text_of(thread.context, fault_.address));
    }
    }
    complete(r, thread, pc);
    if (code_.width > 1 && launch_->module) note_warp_fault(std::move(r), thread.context);
    else launch_->stop(std::move(r));
}

// Names every group of threads that waits at one place.
void BlockRunner::report_deadlock() {
    const NormalFloats normal;
    struct Group {
        std::uint32_t count;
        std::string text;
    };
    std::map<std::tuple<std::uintptr_t, Wait, std::uint32_t>, Group> groups;
    const ThreadFiber* first = nullptr;
    for (std::uint32_t b = 0; b < resident_; ++b)
        for (std::uint32_t t = 0; t < blocks_[b].stacks; ++t) {
            const ThreadFiber& thread = blocks_[b].threads[t];
            if (thread.done) continue;
            if (!first) first = &thread;
            auto& group = groups[{thread.wait_pc, thread.wait, thread.wait_id}];
            const bool known = group.count > 0;
            group.count += thread.lanes;
            if (known) continue;
            std::string place = place_text(launch_->module.get(), thread.wait_pc);
            group.text = thread.wait == Wait::barrier
                             ? fmt::format("barrier {} ({})", thread.wait_id, place)
                             : fmt::format("a warp operation with mask {:#010x} ({})",
                                           thread.wait_mask, place);
        }
    std::string text;
    for (const auto& [key, group] : groups) {
        if (!text.empty()) text += ", ";
        text +=
            fmt::format("{} thread{} at {}", group.count, group.count == 1 ? "" : "s", group.text);
    }
    FaultReport r;
    r.code = CUDA_ERROR_LAUNCH_FAILED;
    r.message = "deadlock: all threads wait, " + text;
    if (first) complete(r, *first, first->wait_pc);
    launch_->stop(std::move(r));
}

void BlockRunner::stop(ThreadFiber& self, FaultReport report, std::uintptr_t pc) {
    const NormalFloats normal;
    complete(report, self, pc);
    launch_->stop(std::move(report));
    outcome_ = Outcome::stopped;
    leave_for_main();
}

void BlockRunner::refuse(ThreadFiber& self, FaultReport report, std::uint32_t lane,
                         std::uintptr_t pc) {
    const NormalFloats normal;
    if (code_.width == 1 || !launch_->module) stop(self, std::move(report), pc);
    self.context.linear_tid += lane;
    complete(report, self, pc);
    note_warp_fault(std::move(report), self.context);
    outcome_ = Outcome::stopped;
    leave_for_main();
}

void BlockRunner::cancelled(ThreadFiber& self, std::uintptr_t pc) {
    const NormalFloats normal;
    if (FaultReport late = launch_->overdue(); !late.message.empty())
        stop(self, std::move(late), pc);
    // Another worker may have ended the launch while this one loops.
    if (launch_->stopped.load(std::memory_order_relaxed)) {
        outcome_ = Outcome::stopped;
        leave_for_main();
    }
}

} // namespace lathe::soft
