// SPDX-License-Identifier: MIT
// Threads: tasks hold `Shared` and a copy of the source, and nothing else of the slot. Each text
// has a ticket; a task or a result whose ticket is not the wanted one is dropped.
#include "engine/live/kernel_slot.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "engine/live/carry_over.h"
#include "engine/live/source_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace lathe {

namespace fs = std::filesystem;

namespace {

/// Confirmed versions kept for going back.
constexpr std::size_t kHistory = 8;

struct Version {
    std::shared_ptr<const LoadedKernels> loaded;
    std::string text;
    std::string entry;
    Effort effort = Effort::full;
    std::string key;
};

/// Quick or full: what a fault of one says of the other.
bool same_code(const Version& a, const Version& b) { return a.text == b.text && a.key == b.key; }

void write_whole(const fs::path& file, const std::string& text) {
    const fs::path temporary = file.string() + ".lathe-new";
    {
        std::ofstream out{temporary, std::ios::binary};
        out << text;
        out.close();
        if (!out) throw Error{fmt::format("cannot write {}", temporary.string())};
    }
    std::error_code failed;
    if (const auto status = fs::status(file, failed); !failed)
        fs::permissions(temporary, status.permissions(), failed);
    fs::rename(temporary, file, failed);
    if (failed) throw Error{fmt::format("cannot write {}: {}", file.string(), failed.message())};
}

std::string key_of(const std::vector<std::string>& options, std::string_view place) {
    std::string key;
    for (const std::string& option : options) key += option + ' ';
    return key.append(place);
}

} // namespace

std::string_view name_of(SlotState state) {
    switch (state) {
    case SlotState::empty:
        return "empty";
    case SlotState::waiting:
        return "waiting";
    case SlotState::compiling:
        return "compiling";
    case SlotState::good:
        return "good";
    case SlotState::failed:
        return "failed";
    case SlotState::faulted:
        return "faulted";
    }
    return "";
}

struct KernelSlot::Shared {
    std::mutex mutex;
    std::condition_variable arrived;
    std::uint64_t wanted = 0;
    std::optional<KernelBuild> build;                 // of the wanted ticket
    std::optional<std::vector<Parameter>> parameters; // of the wanted ticket
    bool reflecting = false;

    bool is_wanted(std::uint64_t ticket) {
        std::lock_guard lock{mutex};
        return wanted == ticket;
    }
    bool complete() const { return build && (!reflecting || !build->loaded); }
};

struct KernelSlot::State {
    KernelSource source;
    std::string key;
    KernelSlotServices services;
    std::shared_ptr<Shared> shared = std::make_shared<Shared>();
    std::uint64_t text_version = 0;
    std::uint64_t ticket = 0;
    std::uint64_t compiles = 0;
    std::optional<std::chrono::steady_clock::time_point> due;
    std::optional<std::chrono::steady_clock::time_point> full_due; ///< of a quick version
    SlotState state = SlotState::empty;
    std::vector<Diagnostic> diagnostics;
    std::string log;
    double milliseconds = 0;
    bool from_cache = false;
    std::uint64_t generation = 0;

    Version running;
    std::vector<Version> confirmed; ///< oldest first

    std::vector<Parameter> parameters;
    std::uint64_t parameters_version = 0;
    std::string interface; ///< of the source that `parameters` belong to

    fs::path file;
    std::string saved;                  ///< the file's text
    std::optional<std::string> on_disk; ///< a text from elsewhere that waits for a decision
    FileWatch watch;
    std::vector<fs::path> included; ///< watched, too

    void start();
    void drop_results();
    void post_build(Effort effort);
    bool take_results();
    bool take_full();
    void watch_included(std::vector<fs::path> files);
    void look_at_files();
    void take_saved_text();
    void set_text(std::string text);
};

void KernelSlot::State::set_text(std::string text) {
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
    std::lock_guard lock{shared->mutex};
    shared->wanted = ++ticket;
    shared->build.reset();
    shared->parameters.reset();
}

void KernelSlot::State::post_build(Effort effort) {
    services.build_on([s = shared, t = ticket, src = source, effort, build = services.build] {
        if (!s->is_wanted(t)) return;
        KernelBuild result;
        try {
            result = build(src, effort);
        } catch (const std::exception& e) {
            result.diagnostics = {{src.name, 0, 0, Diagnostic::Severity::error, e.what()}};
            result.log = e.what();
        }
        std::lock_guard lock{s->mutex};
        if (s->wanted != t) return;
        s->build = std::move(result);
        s->arrived.notify_all();
    });
}

void KernelSlot::State::start() {
    due.reset();
    ++compiles;
    state = SlotState::compiling;
    const std::string present = scan_source(source.text).interface;
    const bool reflect = services.reflect && present != interface;
    drop_results();
    {
        std::lock_guard lock{shared->mutex};
        shared->reflecting = reflect;
    }
    post_build(running.loaded ? Effort::quick : Effort::full);
    if (!reflect) return;
    services.reflect_on([s = shared, t = ticket, src = source, reflect_fn = services.reflect] {
        if (!s->is_wanted(t)) return;
        std::optional<std::vector<Parameter>> result;
        try {
            result = reflect_fn(src);
        } catch (const std::exception& e) {
            log::debug("{}: parameters could not be read: {}", src.name, e.what());
        }
        std::lock_guard lock{s->mutex};
        if (s->wanted != t) return;
        s->parameters = std::move(result);
        s->reflecting = false;
        s->arrived.notify_all();
    });
}

bool KernelSlot::State::take_results() {
    KernelBuild build;
    std::optional<std::vector<Parameter>> found;
    {
        std::lock_guard lock{shared->mutex};
        if (!shared->complete()) return false;
        build = std::move(*shared->build);
        shared->build.reset();
        found = std::move(shared->parameters);
        shared->parameters.reset();
    }
    diagnostics = std::move(build.diagnostics);
    log = std::move(build.log);
    milliseconds = build.milliseconds;
    from_cache = build.from_cache;
    watch_included(std::move(build.files));
    if (!build.loaded) {
        state = SlotState::failed;
        return false;
    }
    if (found) {
        parameters = std::move(*found);
        interface = scan_source(source.text).interface;
        ++parameters_version;
    }
    auto problems = find_directives(source.text).problems;
    for (Diagnostic& d : problems) {
        d.file = source.name;
        diagnostics.push_back(std::move(d));
    }
    running = {std::move(build.loaded), source.text, source.entry, build.effort,
               std::move(build.key)};
    if (build.effort == Effort::quick) full_due = services.now() + services.rest;
    state = SlotState::good;
    ++generation;
    return true;
}

/// The full compile in the place of the quick one.
bool KernelSlot::State::take_full() {
    KernelBuild build;
    {
        std::lock_guard lock{shared->mutex};
        if (!shared->build) return false;
        build = std::move(*shared->build);
        shared->build.reset();
    }
    if (!build.loaded) {
        log::debug("{}: the quick version goes on: {}", source.name, build.log);
        return false;
    }
    running.loaded = std::move(build.loaded);
    running.effort = Effort::full;
    ++generation;
    return true;
}

void KernelSlot::State::watch_included(std::vector<fs::path> files) {
    for (const fs::path& old : included)
        if (std::find(files.begin(), files.end(), old) == files.end() && old != file)
            watch.remove(old);
    for (const fs::path& header : files) watch.add(header);
    included = std::move(files);
}

void KernelSlot::State::look_at_files() {
    watch.interval = services.watch_interval;
    for (const fs::path& changed : watch.changed()) {
        if (changed == file) {
            take_saved_text();
        } else if (!source.text.empty()) {
            state = SlotState::waiting;
            due = services.now();
            interface.clear(); // its types may be the header's
            drop_results();
        }
    }
}

void KernelSlot::State::take_saved_text() {
    std::string text;
    try {
        text = read_text(file);
    } catch (const Error& e) {
        log::warning("{}", e.what());
        return;
    }
    if (text == saved) return;
    const bool had_edits = source.text != saved;
    saved = text;
    if (text == source.text) {
        on_disk.reset();
    } else if (had_edits) {
        on_disk = std::move(text);
    } else {
        set_text(std::move(text));
        due = services.now();
    }
}

KernelSlot::KernelSlot(KernelSource source, KernelSlotServices services)
    : s_{std::make_unique<State>()} {
    s_->services = std::move(services);
    if (!s_->services.now) s_->services.now = [] { return std::chrono::steady_clock::now(); };
    s_->source = std::move(source);
    s_->key = key_of(s_->source.options, s_->source.name);
    s_->text_version = 1;
    if (!s_->source.text.empty()) s_->start();
}

KernelSlot::KernelSlot(const fs::path& file, std::string entry, std::vector<std::string> options,
                       KernelSlotServices services, std::string name)
    : KernelSlot{{read_text(file),
                  name.empty() ? file.filename().string() : std::move(name),
                  std::move(entry),
                  std::move(options),
                  {fs::absolute(file).parent_path()}},
                 std::move(services)} {
    s_->file = file;
    s_->key = key_of(s_->source.options, fs::absolute(file).lexically_normal().string());
    s_->saved = s_->source.text;
    s_->watch.add(file);
}

KernelSlot::~KernelSlot() {
    std::lock_guard lock{s_->shared->mutex};
    ++s_->shared->wanted; // tasks that have not begun see that nobody waits
}

void KernelSlot::set_source(std::string text) {
    if (text != s_->source.text) s_->set_text(std::move(text));
}

void KernelSlot::compile_now() {
    if (s_->state != SlotState::compiling && !s_->source.text.empty()) s_->start();
}

const std::string& KernelSlot::source() const { return s_->source.text; }
const std::string& KernelSlot::name() const { return s_->source.name; }
std::uint64_t KernelSlot::compiles() const { return s_->compiles; }
const std::string& KernelSlot::key() const { return s_->key; }
std::uint64_t KernelSlot::text_version() const { return s_->text_version; }
const fs::path& KernelSlot::file() const { return s_->file; }

bool KernelSlot::modified() const { return !s_->file.empty() && s_->source.text != s_->saved; }

void KernelSlot::save() {
    if (s_->file.empty()) throw Error{fmt::format("{} is not a file", s_->source.name)};
    write_whole(s_->file, s_->source.text);
    s_->saved = s_->source.text;
    s_->on_disk.reset();
}

bool KernelSlot::conflict() const { return s_->on_disk.has_value(); }

void KernelSlot::take_file() {
    if (!s_->on_disk) return;
    std::string text = std::move(*s_->on_disk);
    s_->on_disk.reset();
    set_source(std::move(text));
    compile_now();
}

void KernelSlot::keep_text() { s_->on_disk.reset(); }

bool KernelSlot::poll() {
    s_->look_at_files();
    if (s_->due && s_->services.now() >= *s_->due) s_->start();
    if (s_->state == SlotState::compiling) return s_->take_results();
    if (!is_quick() || s_->state != SlotState::good) return false;
    if (s_->full_due && s_->services.now() >= *s_->full_due) {
        s_->full_due.reset();
        s_->post_build(Effort::full);
    }
    return s_->take_full();
}

bool KernelSlot::wait() {
    if (s_->due) s_->start();
    if (s_->state == SlotState::compiling) {
        std::unique_lock lock{s_->shared->mutex};
        s_->shared->arrived.wait(lock, [this] { return s_->shared->complete(); });
    }
    return poll();
}

bool KernelSlot::ready() const { return s_->running.loaded != nullptr; }

std::shared_ptr<const LoadedKernels> KernelSlot::loaded() const { return s_->running.loaded; }

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
    const Version& v = s_->running;
    if (!v.loaded || (!s_->confirmed.empty() && s_->confirmed.back().loaded == v.loaded)) return;
    if (!s_->confirmed.empty() && same_code(s_->confirmed.back(), v))
        s_->confirmed.pop_back(); // the quick version of the same text
    s_->confirmed.push_back(v);
    if (s_->confirmed.size() > kHistory) s_->confirmed.erase(s_->confirmed.begin());
}

void KernelSlot::report_fault(Diagnostic where) {
    if (!ready()) return;
    if (is_quick() && s_->state == SlotState::good) s_->drop_results(); // its full compile
    const Version faulty = std::move(s_->running);
    std::erase_if(s_->confirmed, [&](const Version& v) {
        return v.loaded == faulty.loaded || same_code(v, faulty);
    });
    s_->running = s_->confirmed.empty() ? Version{} : s_->confirmed.back();
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
