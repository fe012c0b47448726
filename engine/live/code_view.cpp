// SPDX-License-Identifier: MIT
#include "engine/live/code_view.h"

#include "engine/live/kernel_slot.h"
#include "engine/live/line_map.h"

#include <exception>
#include <mutex>
#include <utility>

namespace lathe {

/// What a task leaves behind.
struct CodeView::Shared {
    std::mutex mutex;
    bool is_busy = false;
    std::optional<CodeListing> result;
};

CodeView::CodeView(const KernelSlot& slot, ReadCode read, Executor read_on)
    : slot_{slot}, read_{std::move(read)}, read_on_{std::move(read_on)},
      shared_{std::make_shared<Shared>()} {}

/// True while a task is under way.
bool CodeView::take() {
    std::optional<CodeListing> result;
    {
        std::lock_guard lock{shared_->mutex};
        if (shared_->is_busy) return true;
        result = std::exchange(shared_->result, std::nullopt);
    }
    is_reading_ = false;
    if (!result) return false;
    listing_ = std::move(*result);
    text_ = text_of_;
    text_version_ = slot_.text_version() - 1; // the lines are to be found
    return false;
}

void CodeView::begin(CodeKind kind) {
    const auto version = slot_.loaded();
    const bool is_known = kind == listing_.kind && version == read_of_.lock();
    read_of_ = version;
    kind_ = kind;
    text_of_ = slot_.running_text();
    is_reading_ = !is_known;
    {
        std::lock_guard lock{shared_->mutex};
        shared_->is_busy = true;
    }
    read_on_([shared = shared_, read = read_, version, kind,
              known = is_known ? listing_.id : std::uint64_t{0}] {
        std::optional<CodeListing> result;
        try {
            result = read(version, kind, known);
        } catch (const std::exception& error) {
            result.emplace();
            result->kind = kind;
            result->problem = error.what();
        }
        std::lock_guard lock{shared->mutex};
        shared->result = std::move(result);
        shared->is_busy = false;
    });
}

void CodeView::move_lines() {
    if (text_version_ == slot_.text_version()) return;
    text_version_ = slot_.text_version();
    ++version_;
    const LineMap moved{text_, slot_.source()};
    lines_.clear();
    for (const CodeLine& row : listing_.rows)
        lines_.push_back(row.line ? moved(row.line).value_or(0) : 0);
}

void CodeView::follow(CodeKind kind, Time now) {
    constexpr std::chrono::milliseconds kEvery{500};
    const bool is_busy = take();
    if (!is_busy && kind != CodeKind::none && slot_.loaded()) {
        const bool is_other = kind != kind_ || slot_.loaded() != read_of_.lock();
        if (is_other || (kind == CodeKind::machine && now >= next_look_)) {
            next_look_ = now + kEvery;
            begin(kind);
            take(); // an executor may have run it at once
        }
    }
    move_lines();
}

} // namespace lathe
