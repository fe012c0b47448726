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

bool is_taken(const std::vector<StudioSlot>& slots, const std::string& name) {
    return std::any_of(slots.begin(), slots.end(),
                       [&](const StudioSlot& s) { return s.slot->name() == name; });
}

/// Of a source that came as text, a name no other slot has: "kernel.cu", "kernel-2.cu", …
std::string name_of_text(const std::vector<StudioSlot>& slots, const std::string& wanted) {
    std::string name = wanted;
    const fs::path path{wanted};
    for (int n = 2; is_taken(slots, name); ++n)
        name = fmt::format("{}-{}{}", path.stem().string(), n, path.extension().string());
    return name;
}

/// Of a file, a name no other slot has: "step.cu", "step.cu (b)" of another folder b, and
/// "step.cu#2" of the same file with other options. Faults carry no folders, hence none in front.
std::string name_of_file(const std::vector<StudioSlot>& slots, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const bool is_there = std::any_of(slots.begin(), slots.end(), [&](const StudioSlot& s) {
        return !s.slot->file().empty() && fs::absolute(s.slot->file()).lexically_normal() == whole;
    });
    const std::string plain = whole.filename().string();
    if (!is_taken(slots, plain)) return plain;
    std::string name =
        is_there ? plain : fmt::format("{} ({})", plain, whole.parent_path().filename().string());
    const std::string first = name;
    for (int n = 2; is_taken(slots, name); ++n) name = fmt::format("{}#{}", first, n);
    return name;
}

/// How well a fault fits a slot: its file is the slot's, its kernel is one of the slot's.
int fit_of(const gpu::Fault& fault, const KernelSlot& slot) {
    const bool same_file = fs::path{fault.file}.filename() == fs::path{slot.name()}.filename();
    const auto& kernels = slot.loaded()->kernels;
    const bool has_kernel = std::any_of(kernels.begin(), kernels.end(), [&](const auto& k) {
        return k.first == fault.kernel || k.second.name() == fault.kernel;
    });
    return 2 * same_file + has_kernel;
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
    if (slot.state() != SlotState::failed || s.reported == slot.compiles()) return;
    s.reported = slot.compiles();
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
        const fs::path file{file_or_source};
        added.slot = std::make_unique<KernelSlot>(file, std::move(entry), std::move(options),
                                                  p.services(), name_of_file(p.slots, file));
    } else {
        KernelSource source{std::string{file_or_source},
                            name_of_text(p.slots, name.empty() ? "kernel.cu" : name),
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

bool Studio::report_fault(const gpu::Error& error) { return p_->report_fault(error); }

bool Studio::Parts::report_fault(const gpu::Error& error) {
    const gpu::Fault* fault = error.fault();
    if (!error.context_lost() && !fault) return false;
    StudioSlot* blamed = nullptr;
    int best = 0;
    for (auto& s : slots) {
        if (!s.slot->ready()) continue;
        const int fit = fault ? fit_of(*fault, *s.slot) : 0;
        if (fault && fit % 2 == 0) continue; // the program runs other kernels, too
        if (blamed && (fit < best || (fit == best && s.swapped_at <= blamed->swapped_at))) continue;
        blamed = &s;
        best = fit;
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
