// SPDX-License-Identifier: MIT
// The App's kernels: slots, their swaps, and what happens when one faults.
#include "engine/app/app_parts.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/build.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"
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

/// Of a file, a name no other slot has: "step.cu", "step.cu (b)" of another folder b, and
/// "step.cu#2" of the same file with other options. Faults carry no folders, hence none in front.
std::string name_of_file(const std::vector<AppSlot>& slots, const fs::path& file) {
    const bool is_there = std::any_of(slots.begin(), slots.end(),
                                      [&](const AppSlot& s) { return s.slot->file() == file; });
    const std::string plain = file.filename().string();
    if (!is_taken(slots, plain)) return plain;
    std::string name =
        is_there ? plain : fmt::format("{} ({})", plain, file.parent_path().filename().string());
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
    s.write = [this](const LoadedKernels& loaded, std::span<const std::byte> bytes) {
        gpu::copy_to_device(loaded.variable->address(), bytes.data(), bytes.size(), stream);
    };
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

fs::path App::Parts::find_kernel_file(const fs::path& file) const {
    std::error_code unknown;
    const fs::path folder = config.folder.empty()
                                ? fs::read_symlink("/proc/self/exe", unknown).parent_path()
                                : config.folder;
    for (const fs::path& candidate : {folder / file, fs::current_path() / file})
        if (fs::is_regular_file(candidate, unknown)) return fs::canonical(candidate);
    const fs::path first = (folder / file).parent_path().lexically_normal();
    const fs::path second = (fs::current_path() / file).parent_path().lexically_normal();
    throw FileMissing{fmt::format("kernel file {} is not in {}{}", file.string(), first.string(),
                                  first == second ? "" : " or " + second.string())};
}

/// A file's, or that of a source of this name and text, or of this name from before a reload.
AppSlot* App::Parts::find_slot(const std::string& asked, const std::vector<std::string>& options,
                               std::string_view text) {
    const auto found = std::find_if(slots.begin(), slots.end(), [&](const AppSlot& s) {
        return s.asked == asked && s.options == options && (!s.is_claimed || s.text == text);
    });
    return found == slots.end() ? nullptr : &*found;
}

KernelSlot& App::kernel_slot(std::string_view file_or_source, std::string entry,
                             std::vector<std::string> options, std::string name) {
    Parts& p = *p_;
    const bool is_file = is_file_name(file_or_source);
    const std::string_view text = is_file ? std::string_view{} : file_or_source;
    if (!is_file && name.empty()) {
        for (AppSlot& s : p.slots)
            if (s.is_claimed && s.text == text && s.options == options) return *s.slot;
        name = p.unnamed_sources == 0 ? "kernel.cu"
                                      : fmt::format("kernel-{}.cu", p.unnamed_sources + 1);
        ++p.unnamed_sources;
    }
    const std::string asked = is_file ? p.find_kernel_file(file_or_source).string() : name;
    if (AppSlot* const known = p.find_slot(asked, options, text)) {
        known->is_claimed = true;
        if (known->text != text) {
            known->text = text;
            known->slot->set_source(known->text);
            known->slot->compile_now();
            p.wait_for_compile(*known->slot);
            p.after_poll(*known);
        }
        return *known->slot;
    }
    if (std::string problem = gpu::nvrtc_problem(); !problem.empty()) throw Error{problem};
    AppSlot added;
    added.asked = asked;
    added.text = text;
    added.options = options;
    if (is_file) {
        added.slot = std::make_unique<KernelSlot>(asked, std::move(entry), std::move(options),
                                                  p.services(), name_of_file(p.slots, asked));
    } else {
        KernelSource source{
            added.text, name_of_text(p.slots, name), std::move(entry), std::move(options), {}};
        added.slot = std::make_unique<KernelSlot>(std::move(source), p.services());
    }
    p.wait_for_compile(*added.slot);
    p.slots.push_back(std::move(added));
    AppSlot& here = p.slots.back();
    p.after_poll(here);
    on_new_slot(*here.slot);
    return *here.slot;
}

AppKernel& App::kernel(std::string_view file_or_source, std::string entry,
                       std::vector<std::string> options, std::string name) {
    KernelSlot& slot = kernel_slot(file_or_source, entry, std::move(options), std::move(name));
    require_compiled(slot);
    for (const auto& known : p_->kernels)
        if (&known->slot() == &slot && known->entry() == entry) return *known;
    return *p_->kernels.emplace_back(std::make_unique<AppKernel>(*this, slot, std::move(entry)));
}

void App::require_compiled(const KernelSlot& slot) {
    if (slot.ready() || !p_->window.headless()) return;
    if (slot.state() == SlotState::compiling)
        throw Error{fmt::format("{}: its compile was not waited for", slot.name())};
    gpu::CompileResult failed;
    failed.log = slot.log();
    failed.diagnostics = slot.diagnostics();
    if (failed.diagnostics.empty())
        failed.diagnostics.push_back(
            {slot.name(), 0, 0, Diagnostic::Severity::error, "it does not compile"});
    throw gpu::CompileError{failed};
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

void App::Parts::begin_inspection() {
    if (run_control.reset()) inspector.look_soon(); // for kernels that make the first state
    std::vector<KernelSlot*> all;
    for (AppSlot& s : slots) all.push_back(s.slot.get());
    inspector.begin_frame(all);
}

/// The frame's launches are done.
void App::Parts::end_inspection() {
    std::vector<KernelSlot*> all;
    for (AppSlot& s : slots) all.push_back(s.slot.get());
    inspector.end_frame(all);
    for (const InspectorNews& news : inspector.take_news())
        console.write(Console::Source::device, log::Level::warning, to_string(news));
}

} // namespace lathe
