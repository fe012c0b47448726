// SPDX-License-Identifier: MIT
// What a KernelSlot is made of; shared by the kernel_slot*.cpp sources and seen by nobody else.
#pragma once

#include "engine/live/compile_job.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/literal_variant.h"
#include "engine/live/source_file.h"
#include "engine/live/version_history.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct KernelSlot::State {
    KernelSource source;
    std::string key;
    KernelSlotServices services;
    CompileJob job;
    std::uint64_t text_version = 0;
    std::uint64_t compiles = 0;
    std::optional<std::chrono::steady_clock::time_point> due;
    std::optional<std::chrono::steady_clock::time_point> full_due; ///< of a quick version
    SlotState state = SlotState::empty;
    std::vector<Diagnostic> diagnostics;
    std::string log;
    std::string building; ///< the text of the compile under way, or of the last one
    double milliseconds = 0;
    bool from_cache = false;
    std::uint64_t generation = 0;

    KernelVersion running;
    VersionHistory history;

    std::vector<Parameter> parameters;
    std::uint64_t parameters_version = 0;
    std::string interface; ///< of the source that `parameters` belong to

    SourceFile file;

    LiteralVariant variant;
    std::optional<MovedLiteral> moved;
    bool has_moved = false;    ///< since it was grabbed
    bool is_unwritten = false; ///< the variable has not the number yet
    KernelVersion before_move; ///< what ran then; none where it was not the text

    void begin(KernelSource from, KernelSlotServices given);
    void start();
    void start(Effort effort);
    void drop_results();
    void build(Effort effort);
    bool take_results();
    bool take_full();
    void look_at_files();
    bool advance();
    void set_text(std::string text);

    // kernel_slot_literal.cpp
    bool runs_variant() const { return running.loaded && running.loaded->variable; }
    bool is_held() const { return moved && moved->held; }
    bool is_stepping() const;
    void find_way();
    bool write_literal();
    void wait_for_literal();
    void let_go();
};

} // namespace lathe
