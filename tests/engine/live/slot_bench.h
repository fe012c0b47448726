// SPDX-License-Identifier: MIT
// A compiler, a clock and executors under a test's hand.
#pragma once

#include "engine/core/error.h"
#include "engine/core/resources.h"
#include "engine/live/kernel_slot.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace lathe::test {

using namespace std::chrono_literals;

/// Compiles any text but those with "bad" in them; runs a task when told to.
struct Bench {
    std::deque<Task> builds, reflections;
    std::chrono::steady_clock::time_point now{};
    int compiled = 0, reflected = 0;
    bool has_quick = false;       ///< the compiler has a quick way
    std::filesystem::path header; ///< that each source includes, if any

    KernelSlotServices services() {
        KernelSlotServices s;
        s.build = [this](const KernelSource& source, Effort effort) {
            ++compiled;
            KernelBuild b;
            b.milliseconds = 12;
            b.effort = has_quick ? effort : Effort::full;
            std::string included;
            if (!header.empty()) {
                b.files = {header};
                included = "+" + read_text(header);
                b.key = source.text + included;
            }
            if (source.text.find("throw") != std::string::npos) throw Error{"no compiler"};
            const auto bad = source.text.find("bad");
            if (bad != std::string::npos) {
                const int line =
                    1 + int(std::count(source.text.begin(), source.text.begin() + long(bad), '\n'));
                b.diagnostics = {{source.name, line, 1, Diagnostic::Severity::error, "is bad"}};
                b.log = "bad";
                return b;
            }
            auto loaded = std::make_shared<LoadedKernels>();
            loaded->first =
                source.text + included +
                (b.effort == Effort::quick ? ", quick" : ""); // what the test knows a version by
            loaded->kernels[source.text];
            b.loaded = std::move(loaded);
            return b;
        };
        s.reflect = [this](const KernelSource&) {
            ++reflected;
            Parameter p;
            p.name = "F";
            return std::vector{p};
        };
        s.build_on = [this](Task t) { builds.push_back(std::move(t)); };
        s.reflect_on = [this](Task t) { reflections.push_back(std::move(t)); };
        s.now = [this] { return now; };
        s.watch_interval = 0ms;
        return s;
    }
    static void run(std::deque<Task>& tasks) {
        while (!tasks.empty()) {
            Task t = std::move(tasks.front());
            tasks.pop_front();
            t();
        }
    }
    void run_all() {
        run(builds);
        run(reflections);
    }
    /// Edit, pause, compile, swap.
    bool edit(KernelSlot& slot, std::string text) {
        slot.set_source(std::move(text));
        now += 120ms;
        slot.poll();
        run_all();
        return slot.poll();
    }
};

inline std::string running(const KernelSlot& slot) {
    return slot.ready() ? slot.loaded()->first : "";
}

/// Of a text whose first compile is done and swapped in.
struct CompiledSlot : KernelSlot {
    CompiledSlot(Bench& bench, std::string text)
        : KernelSlot{{std::move(text), "a.cu", "", {}, {}}, bench.services()} {
        bench.run_all();
        poll();
    }
};

} // namespace lathe::test
