// SPDX-License-Identifier: MIT
// A kernel that is edited while it runs: source → compile on a worker thread → module loaded off
// the frame thread → swapped between frames. The last good version goes on until the next is
// ready; a version that faults is rejected and the last one that ran is taken again.
//
// An edit of a running kernel is compiled twice: quickly, so that the picture answers, and in full
// once the text rests.
//
// A file that the source includes counts as its text: a change of it compiles anew.
//
// A number of the text that is moved (grab_literal) is compiled once, as a variable, and then costs
// no compile until it is let go.
//
// The slot knows no compiler: it is given a build and a reflect function (engine/live/build.h has
// the real ones), executors to run them on and a clock, so that its states are tested without
// threads or sleeps. All members are called from the frame thread.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_build.h"
#include "engine/live/literal.h"
#include "engine/live/worker.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Gives LoadedKernels::variable these bytes, before what is launched next and after what was
/// launched before. The bytes are read before it returns.
using WriteVariable = std::function<void(const LoadedKernels&, std::span<const std::byte>)>;

using Clock = std::function<std::chrono::steady_clock::time_point()>;

struct KernelSlotServices {
    BuildKernel build;
    ReflectKernel reflect; ///< may be empty: no sliders
    Executor build_on;     ///< must outlive the slot, as must reflect_on
    Executor reflect_on;
    WriteVariable write;                           ///< empty: a synchronous copy
    Clock now;                                     ///< empty: steady_clock
    std::chrono::milliseconds pause{120};          ///< from the last change to the compile
    std::chrono::milliseconds rest{500};           ///< from a quick version to the full compile
    std::chrono::milliseconds watch_interval{100}; ///< between two looks at the file
};

enum class SlotState {
    empty,   ///< no source yet
    waiting, ///< edited; the pause runs
    compiling,
    good,    ///< the running version is the text
    failed,  ///< the text does not compile; an older version runs, where there is one
    faulted, ///< the text's version faulted and was rejected
};
LATHE_API std::string_view name_of(SlotState state);

/// How the picture follows a number that is moved.
enum class LiteralWay {
    compiling, ///< the version with a variable is on its way; the running one goes on
    variable,  ///< written between frames
    constant,  ///< it must be a constant: each value is compiled
};

/// A number of a slot's text that is moved, or was moved last.
struct MovedLiteral {
    std::string base; ///< the text when it was grabbed, in which `place` is
    Literal place;
    LiteralNumber first, number; ///< then, and now
    LiteralWay way = LiteralWay::compiling;
    bool held = true;
    std::uint64_t id = 0; ///< of this grab in its slot
};

class LATHE_API KernelSlot {
public:
    /// Begins compiling at once where the source has a text.
    KernelSlot(KernelSource source, KernelSlotServices services);
    /// Reads the file and watches it. `name` is what diagnostics carry; empty: the file's name.
    /// Throws lathe::Error where the file cannot be read.
    KernelSlot(const std::filesystem::path& file, std::string entry,
               std::vector<std::string> options, KernelSlotServices services,
               std::string name = {});
    ~KernelSlot();

    // -- text ------------------------------------------------------------------------------
    /// Replaces the text; the compile starts after the pause. Markers of changed lines vanish and
    /// those below move with their lines. The same text again does nothing.
    void set_source(std::string text);
    /// Starts the compile of the present text without the pause.
    void compile_now();
    const std::string& source() const;
    /// A title that also stands in diagnostics and faults. No two slots of a Studio share it.
    const std::string& name() const;
    /// What the text is kept under between runs: the options, then the file's path or, of a source
    /// that came as text, the name.
    const std::string& key() const;
    /// Grows with each change of the text, by whomever.
    std::uint64_t text_version() const;
    /// Compiles begun so far, full ones after quick ones not counted.
    std::uint64_t compiles() const;

    // -- file ------------------------------------------------------------------------------
    /// Empty where the source came as text.
    const std::filesystem::path& file() const;
    /// Files of the user's that the text last compiled includes; some need not exist.
    const std::vector<std::filesystem::path>& included_files() const;
    /// The text differs from the file.
    bool modified() const;
    /// Writes the file, whole or not at all. Throws lathe::Error where that fails.
    void save();
    /// Another program changed the file while the text was modified. poll() takes the new text by
    /// itself where it was not.
    bool conflict() const;
    void take_file();
    void keep_text();

    // -- a number that moves ---------------------------------------------------------------
    /// Takes hold of the number at a line and a column in bytes (literal_at()) and begins to
    /// compile what lets it move. False where there is none. Another one is let go.
    bool grab_literal(int line, int column);
    /// The text gets this number. The next poll() writes it where the running version reads a
    /// variable; where the number must be a constant, each value is compiled as an edit is. Throws
    /// lathe::Error where none is held.
    void move_literal(const LiteralNumber& number);
    /// The text is compiled as it is now, as after an edit. Nothing happens where none is held.
    void release_literal();
    /// Null where none was moved since the text changed otherwise.
    const MovedLiteral* moved_literal() const;

    // -- run -------------------------------------------------------------------------------
    /// Between frames: starts a compile that is due, looks at the file, or else swaps in a version
    /// that is ready, so never the one it has just started. True where the running version
    /// changed, be it to the same text's full compile.
    bool poll();
    /// Looks at the file, then blocks until the present text is compiled, its parameters are known
    /// and it is swapped in. What is saved meanwhile is left to the next poll(). True where the
    /// running version changed. For the start of a program; the executors must run tasks without
    /// the caller's help.
    bool wait();
    /// Blocks while a compile is under way, for so long at most; false where it takes longer. Swaps
    /// nothing in.
    bool is_compiled_within(std::chrono::nanoseconds most);

    /// A version is there to be launched.
    bool ready() const;
    /// The running version's entry. Throws lathe::Error with the diagnostics where there is none.
    const gpu::Kernel& kernel() const;
    /// Another kernel of the same source. Throws lathe::Error naming those there are.
    const gpu::Kernel& kernel(std::string_view name) const;
    /// The running version; null where there is none. Keeps it loaded while held.
    std::shared_ptr<const LoadedKernels> loaded() const;
    std::vector<std::string> kernel_names() const;
    /// The text of the running version, with a number that moves as it was; empty where there is
    /// none. Lines of faults and counters are its lines.
    const std::string& running_text() const;

    /// The frames launched so far are done and none faulted.
    void confirm();
    /// The running version faulted: marks the place, rejects the version and goes back to the last
    /// confirmed one. Its text stays in the editor; the same text is not tried again by itself.
    void report_fault(Diagnostic where);

    // -- state -----------------------------------------------------------------------------
    SlotState state() const;
    /// Number of swaps so far, roll-backs and full compiles after quick ones included.
    std::uint64_t generation() const;
    /// Of the present text: errors, warnings, a fault; stale ones are gone.
    const std::vector<Diagnostic>& diagnostics() const;
    /// The compiler's words on the last compile.
    const std::string& log() const;
    double compile_milliseconds() const;
    bool compiled_from_cache() const;
    /// The running version was compiled quickly; the full compile follows.
    bool is_quick() const;
    /// The running version is not what the text says, and will not be without an edit.
    bool shows_older() const;

    /// Parameters of the last reflected version; `parameters_version` grows when they change.
    const std::vector<Parameter>& parameters() const;
    std::uint64_t parameters_version() const;

private:
    struct State;
    std::unique_ptr<State> s_;
};

} // namespace lathe
