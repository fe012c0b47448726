// SPDX-License-Identifier: MIT
// The studio's kernels: slots, their swaps, and what happens when one faults.
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/build.h"
#include "engine/ui/studio_parts.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe {

namespace fs = std::filesystem;

namespace {

/// A name no other slot has: "kernel.cu", "kernel-2.cu", …
std::string unique_name(const std::vector<StudioSlot>& slots, const std::string& wanted) {
    const auto taken = [&](const std::string& name) {
        return std::any_of(slots.begin(), slots.end(),
                           [&](const StudioSlot& s) { return s.slot->name() == name; });
    };
    std::string name = wanted;
    const fs::path path{wanted};
    for (int n = 2; taken(name); ++n)
        name = fmt::format("{}-{}{}", path.stem().string(), n, path.extension().string());
    return name;
}

std::string describe(const gpu::Fault& fault) {
    const auto triple = [](const auto& v) { return fmt::format("({}, {}, {})", v[0], v[1], v[2]); };
    return fmt::format("{} in kernel {}, block {}, thread {}", fault.message, fault.kernel,
                       triple(fault.block), triple(fault.thread));
}

bool is_file_name(std::string_view text) {
    return text.find('\n') == text.npos && text.find('{') == text.npos;
}

} // namespace

KernelSlotServices Studio::Parts::services() {
    KernelSlotServices s;
    s.build = build_for(device);
    s.reflect = reflect_for(device);
    s.build_on = build_worker.executor();
    s.reflect_on = reflect_worker.executor();
    return s;
}

void Studio::Parts::poll_slots() {
    for (auto& s : slots) {
        s.slot->poll();
        after_poll(s);
    }
}

void Studio::Parts::after_poll(StudioSlot& s) {
    KernelSlot& slot = *s.slot;
    if (s.generation != slot.generation()) {
        s.generation = slot.generation();
        s.swapped_at = loop.frame();
    }
    if (s.parameters_version != slot.parameters_version()) {
        s.parameters_version = slot.parameters_version();
        parameters.declare(slot.name(), slot.parameters());
    }
    if (slot.state() != SlotState::failed || s.reported == slot.text_version()) return;
    s.reported = slot.text_version();
    for (const auto& d : slot.diagnostics())
        if (d.severity == Diagnostic::Severity::error)
            console.write(ConsolePanel::Source::compiler, log::Level::error, to_string(d));
}

KernelSlot& Studio::add_kernel(std::string_view file_or_source, std::string entry,
                               std::vector<std::string> options, std::string name) {
    Parts& p = *p_;
    if (std::string problem = gpu::nvrtc_problem(); !problem.empty()) throw Error{problem};
    StudioSlot added;
    if (is_file_name(file_or_source)) {
        added.slot = std::make_unique<KernelSlot>(fs::path{file_or_source}, std::move(entry),
                                                  std::move(options), p.services());
    } else {
        KernelSource source{std::string{file_or_source},
                            unique_name(p.slots, name.empty() ? "kernel.cu" : name),
                            std::move(entry),
                            std::move(options),
                            {}};
        added.slot = std::make_unique<KernelSlot>(std::move(source), p.services());
    }
    added.slot->wait();
    p.slots.push_back(std::move(added));
    StudioSlot& here = p.slots.back();
    p.after_poll(here);
    p.editor.add(*here.slot, true);
    return *here.slot;
}

std::vector<KernelSlot*> Studio::kernels() {
    std::vector<KernelSlot*> all;
    for (auto& s : p_->slots) all.push_back(s.slot.get());
    return all;
}

void Studio::show_kernel(const KernelSlot& slot) { p_->editor.show(slot); }

bool Studio::report_fault(const gpu::Error& error) { return p_->report_fault(error); }

bool Studio::Parts::report_fault(const gpu::Error& error) {
    const gpu::Fault* fault = error.fault();
    if (!error.context_lost() && !fault) return false;
    StudioSlot* blamed = nullptr;
    for (auto& s : slots) {
        if (!s.slot->ready()) continue;
        if (fault && fs::path{fault->file}.filename() == fs::path{s.slot->name()}.filename()) {
            blamed = &s;
            break;
        }
        if (!blamed || s.swapped_at > blamed->swapped_at) blamed = &s;
    }
    if (!blamed) return false;
    Diagnostic d{blamed->slot->name(), 0, 0, Diagnostic::Severity::error, error.what()};
    if (fault) {
        d.line = fault->line;
        d.text = describe(*fault);
    }
    console.write(ConsolePanel::Source::device, log::Level::error, to_string(d));
    blamed->slot->report_fault(d);
    after_poll(*blamed);
    if (error.context_lost()) {
        log::error("the CUDA context is lost after the fault; the program must be started again");
        return false;
    }
    return true;
}

bool Studio::Parts::any_shows_older() const {
    return std::any_of(slots.begin(), slots.end(),
                       [](const StudioSlot& s) { return s.slot->shows_older(); });
}

} // namespace lathe
