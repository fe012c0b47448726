// SPDX-License-Identifier: MIT
#include "engine/live/kernel_slot.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/carry_over.h"
#include "engine/live/kernel_slot_state.h"
#include "engine/live/open_bracket.h"
#include "engine/live/source_scan.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace lathe {

namespace fs = std::filesystem;

namespace {

std::string key_of(const std::vector<std::string>& options, std::string_view place) {
    std::string key;
    for (const std::string& option : options) key += option + ' ';
    return key.append(place);
}

} // namespace

std::string_view name_of(SlotState state) {
    switch (state) {
    case SlotState::empty: return "empty";
    case SlotState::waiting: return "waiting";
    case SlotState::compiling: return "compiling";
    case SlotState::good: return "good";
    case SlotState::failed: return "failed";
    case SlotState::faulted: return "faulted";
    }
    return "";
}

void KernelSlot::State::set_text(std::string text) {
    moved.reset();
    variant.cancel();
    diagnostics = carry_over(diagnostics, source.text, text);
    source.text = std::move(text);
    ++text_version;
    state = SlotState::waiting;
    due = services.now() + services.pause;
    drop_results();
}

/// Whatever is under way is of an older text.
void KernelSlot::State::drop_results() {
    full_due.reset();
    job.drop();
}

void KernelSlot::State::build(Effort effort) {
    job.build(services.build_on, services.build, source, effort);
    building = source.text;
}

void KernelSlot::State::start() { start(running.loaded ? Effort::quick : Effort::full); }

void KernelSlot::State::start(Effort effort) {
    due.reset();
    ++compiles;
    state = SlotState::compiling;
    drop_results();
    if (services.reflect && scan_source(source.text).interface != interface)
        job.reflect(services.reflect_on, services.reflect, source);
    build(effort);
}

bool KernelSlot::State::take_results() {
    std::optional<CompileJob::Result> result = job.take();
    if (!result) return false;
    KernelBuild& build = result->build;
    // A number is moved on while an older value of it is compiled: the newest one has the word.
    const bool is_newest = building == source.text;
    if (!is_newest) state = SlotState::waiting;
    if (!is_newest && !build.loaded) return false;
    diagnostics = std::move(build.diagnostics);
    log = std::move(build.log);
    milliseconds = build.milliseconds;
    from_cache = build.from_cache;
    file.watch_included(std::move(build.files), build.began);
    if (!build.loaded) {
        diagnostics = point_at_open_bracket(std::move(diagnostics), building, source.name);
        state = SlotState::failed;
        return false;
    }
    if (result->parameters) {
        parameters = std::move(*result->parameters);
        interface = scan_source(building).interface;
        ++parameters_version;
    }
    auto problems = find_directives(building).problems;
    for (Diagnostic& d : problems) {
        d.file = source.name;
        diagnostics.push_back(std::move(d));
    }
    running = {std::move(build.loaded), building, build.effort, std::move(build.key)};
    if (is_newest && build.effort == Effort::quick) full_due = services.now() + services.rest;
    if (is_newest) state = SlotState::good;
    ++generation;
    return true;
}

/// The full compile in the place of the quick one.
bool KernelSlot::State::take_full() {
    std::optional<CompileJob::Result> result = job.take();
    if (!result) return false;
    KernelBuild& build = result->build;
    if (!build.loaded) {
        log::debug("{}: the quick version goes on: {}", source.name, build.log);
        return false;
    }
    running.loaded = std::move(build.loaded);
    running.effort = Effort::full;
    ++generation;
    return true;
}

void KernelSlot::State::look_at_files() {
    SourceFile::Changes changes = file.look(source.text, services.watch_interval);
    if (changes.text) {
        set_text(std::move(*changes.text));
        due = services.now();
    }
    if (!changes.included || source.text.empty()) return;
    moved.reset();
    variant.forget();
    state = SlotState::waiting;
    due = services.now();
    interface.clear(); // its types may be the header's
    drop_results();
}

/// Starts what is due, or swaps in what is ready.
bool KernelSlot::State::advance() {
    if (is_held()) {
        find_way();
        if (is_unwritten) return moved->way == LiteralWay::variable && write_literal();
    }
    if (due && services.now() >= *due && !is_stepping()) {
        start();
        return false; // even a result that is there at once: first the text is kept, then it runs
    }
    if (state == SlotState::compiling) return take_results();
    if (running.effort != Effort::quick || state != SlotState::good) return false;
    if (full_due && services.now() >= *full_due) {
        full_due.reset();
        build(Effort::full);
    }
    return take_full();
}

void KernelSlot::State::begin(KernelSource from, KernelSlotServices given) {
    services = std::move(given);
    if (!services.now) services.now = [] { return std::chrono::steady_clock::now(); };
    if (!services.write)
        services.write = [](const LoadedKernels& kernels, std::span<const std::byte> bytes) {
            gpu::copy_to_device(kernels.variable->address(), bytes.data(), bytes.size());
        };
    source = std::move(from);
    text_version = 1;
    if (!source.text.empty()) start();
}

KernelSlot::KernelSlot(KernelSource source, KernelSlotServices services)
    : s_{std::make_unique<State>()} {
    s_->key = key_of(source.options, source.name);
    s_->begin(std::move(source), std::move(services));
}

KernelSlot::KernelSlot(const fs::path& path, std::string entry, std::vector<std::string> options,
                       KernelSlotServices services, std::string name)
    : s_{std::make_unique<State>()} {
    s_->file = SourceFile{path};
    s_->key = key_of(options, fs::absolute(path).lexically_normal().string());
    s_->begin({s_->file.saved(),
               name.empty() ? path.filename().string() : std::move(name),
               std::move(entry),
               std::move(options),
               {fs::absolute(path).parent_path()}},
              std::move(services));
}

KernelSlot::~KernelSlot() = default;

void KernelSlot::set_source(std::string text) {
    if (text != s_->source.text) s_->set_text(std::move(text));
}

void KernelSlot::compile_now() {
    s_->moved.reset();
    if (s_->state != SlotState::compiling && !s_->source.text.empty()) s_->start();
}

const std::string& KernelSlot::source() const { return s_->source.text; }
const std::string& KernelSlot::name() const { return s_->source.name; }
std::uint64_t KernelSlot::compiles() const { return s_->compiles; }
const std::string& KernelSlot::key() const { return s_->key; }
std::uint64_t KernelSlot::text_version() const { return s_->text_version; }

const fs::path& KernelSlot::file() const { return s_->file.path(); }
bool KernelSlot::modified() const { return s_->file.is_modified(s_->source.text); }
const std::vector<fs::path>& KernelSlot::included_files() const { return s_->file.included(); }
bool KernelSlot::conflict() const { return s_->file.conflict(); }
void KernelSlot::keep_text() { s_->file.drop_theirs(); }

void KernelSlot::save() {
    if (file().empty()) throw Error{fmt::format("{} is not a file", s_->source.name)};
    s_->file.write(s_->source.text);
}

void KernelSlot::take_file() {
    std::optional<std::string> text = s_->file.take_theirs();
    if (!text) return;
    set_source(std::move(*text));
    compile_now();
}

bool KernelSlot::poll() {
    s_->look_at_files();
    return s_->advance();
}

bool KernelSlot::wait() {
    s_->look_at_files();
    if (s_->is_held()) s_->wait_for_literal();
    if (s_->due) s_->start();
    if (s_->state == SlotState::compiling) s_->job.wait();
    return s_->advance(); // without another look: a file saved meanwhile would begin a new compile
}

bool KernelSlot::is_compiled_within(std::chrono::nanoseconds most) {
    return s_->state != SlotState::compiling || s_->job.wait_for(most);
}

bool KernelSlot::ready() const { return s_->running.loaded != nullptr; }

std::shared_ptr<const LoadedKernels> KernelSlot::loaded() const { return s_->running.loaded; }

const std::string& KernelSlot::running_text() const { return s_->running.text; }

std::vector<std::string> KernelSlot::kernel_names() const {
    std::vector<std::string> names;
    if (ready())
        for (const auto& [name, kernel] : s_->running.loaded->kernels) names.push_back(name);
    return names;
}

const gpu::Kernel& KernelSlot::kernel() const {
    const bool named = !s_->source.entry.empty();
    return kernel(named || !ready() ? s_->source.entry : s_->running.loaded->first);
}

const gpu::Kernel& KernelSlot::kernel(std::string_view name) const {
    if (!ready()) {
        std::string text = fmt::format("{} has no version that runs", s_->source.name);
        for (const auto& d : s_->diagnostics) text.append("\n").append(to_string(d));
        throw Error{text};
    }
    const auto& kernels = s_->running.loaded->kernels;
    const auto found = kernels.find(name);
    if (found == kernels.end())
        throw Error{fmt::format("{} has no kernel '{}'; it has {}", s_->source.name, name,
                                fmt::join(kernel_names(), ", "))};
    return found->second;
}

void KernelSlot::confirm() {
    if (ready() && !s_->runs_variant()) s_->history.confirm(s_->running);
}

void KernelSlot::report_fault(Diagnostic where) {
    if (!ready()) return;
    if (is_quick() && s_->state == SlotState::good) s_->drop_results(); // its full compile
    const KernelVersion faulty = std::move(s_->running);
    s_->running = s_->history.reject(faulty);
    ++s_->generation;
    const auto here = carry_over({where}, faulty.text, s_->source.text);
    s_->diagnostics.insert(s_->diagnostics.end(), here.begin(), here.end());
    if (faulty.text == s_->source.text && s_->state == SlotState::good)
        s_->state = SlotState::faulted;
}

SlotState KernelSlot::state() const { return s_->state; }
std::uint64_t KernelSlot::generation() const { return s_->generation; }
const std::vector<Diagnostic>& KernelSlot::diagnostics() const { return s_->diagnostics; }
const std::string& KernelSlot::log() const { return s_->log; }
double KernelSlot::compile_milliseconds() const { return s_->milliseconds; }
bool KernelSlot::compiled_from_cache() const { return s_->from_cache; }
bool KernelSlot::is_quick() const { return s_->running.effort == Effort::quick; }

bool KernelSlot::shows_older() const {
    return s_->state == SlotState::failed || s_->state == SlotState::faulted;
}

const std::vector<Parameter>& KernelSlot::parameters() const { return s_->parameters; }
std::uint64_t KernelSlot::parameters_version() const { return s_->parameters_version; }

} // namespace lathe
