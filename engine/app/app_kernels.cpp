// SPDX-License-Identifier: MIT
// The App's kernels: slots, their swaps, and what happens when one faults.
#include "engine/app/app_parts.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/build.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe {

namespace fs = std::filesystem;

namespace {

bool is_taken(const std::vector<AppSlot>& slots, const std::string& name) {
    return std::any_of(slots.begin(), slots.end(),
                       [&](const AppSlot& s) { return s.slot->name() == name; });
}

/// Of a source that came as text, a name no other slot has: "kernel.cu", "kernel-2.cu", …
std::string name_of_text(const std::vector<AppSlot>& slots, const std::string& wanted) {
    std::string name = wanted;
    const fs::path path{wanted};
    for (int n = 2; is_taken(slots, name); ++n)
        name = fmt::format("{}-{}{}", path.stem().string(), n, path.extension().string());
    return name;
}

/// The first slot of a file; null: there is none.
KernelSlot* find_file(const std::vector<AppSlot>& slots, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    for (const AppSlot& s : slots)
        if (!s.slot->file().empty() && fs::absolute(s.slot->file()).lexically_normal() == whole)
            return s.slot.get();
    return nullptr;
}

/// Of a file, a name no other slot has: "step.cu", "step.cu (b)" of another folder b, and
/// "step.cu#2" of the same file with other options. Faults carry no folders, hence none in front.
std::string name_of_file(const std::vector<AppSlot>& slots, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const bool is_there = find_file(slots, file) != nullptr;
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

KernelSlotServices App::Parts::services() {
    KernelSlotServices s;
    s.build = build_for(device);
    s.reflect = reflect_for(device);
    s.build_on = build_worker.executor();
    s.reflect_on = reflect_worker.executor();
    return s;
}

void App::Parts::poll_slots() {
    for (auto& s : slots) {
        s.slot->poll();
        after_poll(s);
    }
}

void App::Parts::after_poll(AppSlot& s) {
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
            console.write(Console::Source::compiler, log::Level::error, to_string(d));
}

KernelSlot& App::add_kernel(std::string_view file_or_source, std::string entry,
                            std::vector<std::string> options, std::string name) {
    Parts& p = *p_;
    if (std::string problem = gpu::nvrtc_problem(); !problem.empty()) throw Error{problem};
    AppSlot added;
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
    AppSlot& here = p.slots.back();
    p.after_poll(here);
    on_new_slot(*here.slot);
    return *here.slot;
}

AppKernel& App::kernel(std::string_view file_or_source, std::string entry,
                       std::vector<std::string> options) {
    std::string wanted{file_or_source};
    if (is_file_name(wanted) && fs::path{wanted}.is_relative() && !fs::exists(wanted)) {
        std::error_code unknown;
        const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path() / wanted;
        if (fs::exists(beside)) wanted = beside.string();
        else
            throw Error{fmt::format("no kernel file '{}' in {} or beside the program", wanted,
                                    fs::current_path().string())};
    }
    KernelSlot* slot = nullptr;
    if (is_file_name(wanted) && options.empty()) slot = find_file(p_->slots, wanted);
    if (!slot) slot = &add_kernel(wanted, {}, std::move(options));
    if (!slot->ready() && p_->window.headless()) {
        std::string why;
        for (const auto& d : slot->diagnostics()) why += "\n" + to_string(d);
        throw Error{fmt::format("{} does not compile:{}", slot->name(), why)};
    }
    return *p_->kernels.emplace_back(std::make_unique<AppKernel>(*this, *slot, std::move(entry)));
}

std::vector<KernelSlot*> App::kernels() {
    std::vector<KernelSlot*> all;
    for (auto& s : p_->slots) all.push_back(s.slot.get());
    return all;
}

bool App::report_fault(const gpu::Error& error) { return p_->report_fault(error); }

bool App::Parts::report_fault(const gpu::Error& error) {
    const gpu::Fault* fault = error.fault();
    if (!error.context_lost() && !fault) return false;
    AppSlot* blamed = nullptr;
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
    console.write(Console::Source::device, log::Level::error, to_string(d));
    blamed->slot->report_fault(d);
    after_poll(*blamed);
    if (error.context_lost()) {
        log::error("the CUDA context is lost after the fault; the program must be started again");
        return false;
    }
    return true;
}

} // namespace lathe
