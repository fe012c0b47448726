// SPDX-License-Identifier: MIT
// Cases in several processes. A worker writes each finished case to a file of its own and says
// which one it begins; the first process ends one that stands still, notes what it was at, and
// starts another behind that case.
#pragma once

#include "tests/soft/recorded/session.h"

#include <string>
#include <vector>

namespace lathe::recorded {

/// Which cases a worker runs: those of `batch` in turns of `workers`, from index `first` on.
struct WorkerShare {
    unsigned turn = 0, workers = 1;
    std::size_t first = 0;
    bool faults = false; ///< those that end a context, instead of all others
    int reports = 1;     ///< file descriptor for "begin INDEX" lines
    std::string piece;   ///< file for its records

    static WorkerShare parse(const std::string& text);
    std::string text() const;
    bool has(std::size_t index, const Case& one) const;
};

/// The worker's side; returns 0 at its end, 3 where the context is lost.
int work(const std::vector<Case>& cases, const WorkerShare& share);

/// All cases whose names hold `only`, at most `seconds` long; pieces lie beside `file` meanwhile.
Recording run_in_workers(const std::vector<Case>& cases, const std::string& only, unsigned jobs,
                         double seconds, const std::string& file);

} // namespace lathe::recorded
