// SPDX-License-Identifier: MIT
// The studio's menus, the keys that are not of a single panel, and what both do.
#include "engine/app/event_handlers.h"
#include "engine/app/run_control.h"
#include "engine/app/step_loop.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "engine/live/directive.h"
#include "engine/plots/plots.h"
#include "engine/render/screenshot.h"
#include "engine/ui/layout_sizes.h"
#include "engine/ui/preset_row.h"
#include "engine/ui/studio_panels.h"
#include "gl/framebuffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace lathe {

namespace fs = std::filesystem;

namespace {

constexpr std::pair<Form, std::string_view> kForms[] = {
    {Form::standard, "default"}, {Form::code, "code"}, {Form::picture, "picture"}};

const char* title_of(Form form) {
    switch (form) {
    case Form::standard: return "Default layout";
    case Form::code: return "Large code";
    case Form::picture: break;
    }
    return "Large picture";
}

/// A file that runs by itself: a script, or a source that says what is launched.
bool is_program(const fs::path& file) {
    if (file.extension() == ".py") return true;
    const SourceDirectives found = find_directives(read_text(file));
    return std::ranges::any_of(
        found.others, [](const FreeDirective& each) { return each.text.starts_with("launch"); });
}

KeyEvent key_of(Key key, unsigned modifiers) { return {.key = key, .modifiers = modifiers}; }

fs::path folder_of(const AppConfig& config) {
    return config.folder.empty() ? fs::current_path() : config.folder;
}

/// The first "name-1.png", "name-2.png" and so on that is not there yet: in AppConfig::out, or
/// where a run without a window leaves its files. `of`: another name than the program's.
fs::path next_file(const AppConfig& config, std::string_view extension, std::string of = {}) {
    std::string name = config.file_name();
    std::ranges::replace(name, '/', '_');
    std::ranges::replace(of, '/', '_');
    const fs::path folder = config.out.empty() ? fs::path{"out"} / name : config.out;
    if (!of.empty()) name = std::move(of);
    for (int number = 1;; ++number) {
        fs::path file = folder / fmt::format("{}-{}{}", name, number, extension);
        if (!fs::exists(file)) return file;
    }
}

} // namespace

bool Studio::Panels::handle(const KeyEvent& key) {
    if (!imgui->wants_text() && studio.events().claims(key)) return false;
    if (file_panel.handle(key) || key_map.handle(key) || handle_own(key) || editor.handle(key))
        return true;
    return !imgui->wants_text() &&
           (studio.run_control().handle(key) || handle_preset_key(studio.presets(), key));
}

/// Keys that bring something to the front or act on the whole program.
bool Studio::Panels::handle_own(const KeyEvent& key) {
    struct Command {
        Key key;
        unsigned modifiers;
        void (Panels::*act)();
    };
    static constexpr Command kCommands[] = {
        {Key::o, kControl, &Panels::ask_what_to_open}, {Key::n, kControl, &Panels::make_sketch},
        {Key::p, kControl, &Panels::save_picture},     {Key::r, kControl, &Panels::record},
        {Key::f2, 0, &Panels::go_to_prompt},           {Key::f6, 0, &Panels::watch_line_of_cursor},
        {Key::f3, 0, &Panels::show_history},           {Key::f7, 0, &Panels::follow_picked},
        {Key::f11, 0, &Panels::show_picture_only},     {Key::f11, kShift, &Panels::show_presenter},
    };
    if (!key.down || key.repeat) return false;
    for (const Command& each : kCommands) {
        if (each.key != key.key || each.modifiers != key.modifiers) continue;
        (this->*each.act)();
        return true;
    }
    return false;
}

void Studio::Panels::draw_menu() {
    const Menu menus[] = {{"File", [this] { return file_menu(); }},
                          {"Edit", [this] { return edit_menu(); }},
                          {"View", [this] { return view_menu(); }},
                          {"Help", [this] { return help_menu(); }}};
    menu.draw(menus, [this](const KeyEvent& key) { handle(key); });
}

std::vector<MenuEntry> Studio::Panels::file_menu() {
    const KernelSlot* const slot = editor.current();
    const bool is_recording = studio.steps().movie().wanted();
    return {
        {.title = "Open…", .key = {.key = Key::o, .modifiers = kControl}},
        {.title = "New sketch",
         .key = {.key = Key::n, .modifiers = kControl},
         .works = bool(programs)},
        {.title = "Save kernel",
         .key = {.key = Key::s, .modifiers = kControl},
         .works = slot && !slot->file().empty()},
        {},
        {.title = "Save picture", .key = {.key = Key::p, .modifiers = kControl}},
        {.title = is_recording ? "Stop recording" : "Record",
         .key = {.key = Key::r, .modifiers = kControl},
         .works = is_recording || can_record()},
        {},
        {.title = "Close", .act = [this] { studio.window().close(); }},
    };
}

std::vector<MenuEntry> Studio::Panels::edit_menu() {
    CodeEditor* const text = editor.text_in_front();
    const auto in_text = [text](void (CodeEditor::*act)()) {
        return [text, act] {
            text->focus();
            (text->*act)();
        };
    };
    const bool has_text = text != nullptr;
    return {
        {.title = "Undo",
         .keys = "Ctrl+Z",
         .act = in_text(&CodeEditor::undo),
         .works = has_text && text->can_undo()},
        {.title = "Redo",
         .keys = "Ctrl+Y",
         .act = in_text(&CodeEditor::redo),
         .works = has_text && text->can_redo()},
        {},
        {.title = "Find", .keys = "Ctrl+F", .act = in_text(&CodeEditor::find), .works = has_text},
        {.title = "Find in all tabs",
         .key = {.key = Key::f, .modifiers = kControl | kShift},
         .works = has_text},
        {.title = "Next error or hazard", .key = {.key = Key::f8}, .works = has_text},
        {},
        {.title = "Fold", .key = key_of(Key::left_bracket, kControl | kShift), .works = has_text},
        {.title = "Unfold",
         .key = key_of(Key::right_bracket, kControl | kShift),
         .works = has_text},
        {.title = "Fold all", .key = key_of(Key::left_bracket, kControl | kAlt), .works = has_text},
        {.title = "Unfold all",
         .key = key_of(Key::right_bracket, kControl | kAlt),
         .works = has_text},
        {},
        {.title = "Compile now", .key = {.key = Key::f5}, .works = has_text},
        {.title = "Values at the cursor", .key = {.key = Key::f6}, .works = has_text},
        {.title = "History of the text", .key = {.key = Key::f3}, .works = has_text},
        {.title = "Inspect: off, costs, hazards", .key = {.key = Key::f9}, .works = has_text},
        {.title = "PTX and machine code",
         .key = {.key = Key::f10},
         .is_on = editor.code_pane().is_open(),
         .works = has_text},
        {.title = "Python prompt", .key = {.key = Key::f2}, .works = bool(console.prompt)},
    };
}

std::vector<MenuEntry> Studio::Panels::view_menu() {
    std::vector<MenuEntry> entries;
    for (const auto& [form, name] : kForms)
        entries.push_back({.title = title_of(form), .act = [this, name = name] {
                               studio.arrange(name);
                               log::info("app.arrange(\"{}\")", name);
                           }});
    entries.push_back({.title = "Picture only", .key = {.key = Key::f11}});
    entries.push_back(
        {.title = "Code over the picture", .key = {.key = Key::f11, .modifiers = kShift}});
    entries.emplace_back();
    for (std::size_t i = 0; i < kTitles.size(); ++i) {
        const auto place = Place(i);
        if (place == Place::view) continue;
        const bool is_shown = layout.is_shown(place);
        entries.push_back({.title = kTitles[i],
                           .act =
                               [this, place, is_shown] {
                                   layout.set_shown(place, !is_shown);
                                   log::info("app.show_panel(\"{}\", {})", title_of(place),
                                             is_shown ? "False" : "True");
                               },
                           .is_on = is_shown});
    }
    entries.emplace_back();
    const bool is_light = studio.is_light();
    entries.push_back({.title = "Light theme",
                       .act =
                           [this, is_light] {
                               studio.set_light(!is_light);
                               log::info("app.theme = \"{}\"", is_light ? "dark" : "light");
                           },
                       .is_on = is_light});
    return entries;
}

std::vector<MenuEntry> Studio::Panels::help_menu() {
    return {
        {.title = "Keys", .key = {.key = Key::f1}, .is_on = key_map.is_open()},
        {.title = "Course", .act = [this] { programs.learn(); }, .works = bool(programs.learn)},
        {.title = "Where the pages are",
         .act =
             [] {
                 log::info("begin with {}", (resource_root() / "docs").string() + "/first-hour.md");
             }},
    };
}

void Studio::Panels::ask_what_to_open() {
    file_panel.ask({.hint = "A script or a sketch gets a window of its own, a kernel a tab here.",
                    .endings = {".py", ".cu"},
                    .then = [this](const std::filesystem::path& file) { open(file); }},
                   folder_of(studio.config()));
}

void Studio::ask_file(FileQuestion question, const std::filesystem::path& folder) {
    if (!has_panels())
        return log::warning("\"{}\" is not asked: there are no panels", question.title);
    p_->file_panel.ask(std::move(question), folder.empty() ? folder_of(config()) : folder);
}

void Studio::Panels::make_sketch() {
    if (programs) after_frame = [this] { programs.new_sketch(folder_of(studio.config())); };
}

void Studio::Panels::open(const fs::path& file) {
    if (is_program(file)) {
        if (programs) return programs.open(file);
        return log::warning("{} runs by itself: lathe run {}", file.filename().string(),
                            file.string());
    }
    const KernelSlot& slot = studio.kernel_slot(file.string());
    editor.show(slot);
    log::info("app.kernel(\"{}\")", file.string());
}

/// Kernels and programs that are dropped on the window open; other files are the program's.
void Studio::take_drop(const DropEvent& drop) {
    DropEvent left{{}, drop.position};
    std::vector<fs::path> sources;
    for (const fs::path& file : drop.files) {
        const bool is_source = file.extension() == ".cu" || file.extension() == ".py";
        (p_->imgui && is_source ? sources : left.files).push_back(file);
    }
    if (!sources.empty())
        p_->after_frame = [this, sources] {
            for (const fs::path& file : sources) p_->open(file);
        };
    App::take_drop(left);
}

void Studio::Panels::save_picture() {
    after_frame = [this] {
        const fs::path file = next_file(studio.config(), ".png");
        const gl::Framebuffer& picture = studio.picture();
        save_png(file, studio.still({.width = picture.width(), .height = picture.height()}));
        log::info("app.still(\"{}\", size=({}, {}))", file.string(), picture.width(),
                  picture.height());
    };
}

void Studio::Panels::save_plot(const std::shared_ptr<Plot>& plot, std::string_view ending) {
    after_frame = [this, plot, ending = std::string{ending}] {
        const fs::path file = next_file(studio.config(), ending, plot->name());
        studio.save_plot(*plot, file);
        log::info("app.plots[\"{}\"].save(\"{}\")", plot->name(), file.string());
    };
}

/// Movies have the frames of the steps' loop, between which keys come; a program with a loop of its
/// own has none.
bool Studio::Panels::can_record() {
    const StepLoop::State state = studio.steps().state();
    return state == StepLoop::State::in_frame ||
           (state != StepLoop::State::over && studio.steps().frames() > 0);
}

void Studio::Panels::record() {
    Movie& movie = studio.steps().movie();
    if (!movie.wanted()) {
        if (!can_record()) return;
        const fs::path file = next_file(studio.config(), ".mp4");
        movie.begin(file);
        return log::info("app.record(\"{}\")", file.string());
    }
    after_frame = [&movie] {
        log::info("app.stop_recording()");
        if (const auto file = movie.finish()) log::info("{} written", file->string());
    };
}

/// What was asked for while panels were drawn, and is done between them.
void Studio::Panels::do_what_was_asked() {
    if (step_seconds > 0) return; // a step is under way
    if (!after_frame) return;
    try {
        std::exchange(after_frame, nullptr)();
    } catch (const std::exception& error) { log::error("{}", error.what()); }
}

void Studio::set_programs(ProgramHooks hooks) { p_->programs = std::move(hooks); }

void Studio::arrange(std::string_view form) {
    const auto found = std::ranges::find(kForms, form, &std::pair<Form, std::string_view>::second);
    if (found == std::end(kForms))
        throw std::invalid_argument{
            fmt::format("panels are arranged as default, code or picture, got {}", form)};
    p_->layout.arrange(found->first);
}

void Studio::show_panel(std::string_view title, bool is_shown) {
    const auto found = std::ranges::find(kTitles, title);
    if (found == kTitles.end() || found == kTitles.begin() + int(Place::view))
        throw std::invalid_argument{fmt::format("there is no panel {} to show or hide", title)};
    const auto place = Place(found - kTitles.begin());
    if (is_shown) p_->layout.bring_to_front(place);
    else p_->layout.set_shown(place, false);
}

} // namespace lathe
