// SPDX-License-Identifier: MIT
#include "tests/benchmarks/soft_measuring.h"

#include "engine/core/statistics.h"
#include "gpu/soft/soft_api.h"
#include "tests/soft/support/nvrtc.h"

#include <cstdlib>
#include <ctime>

namespace lathe::bench {

Options options;

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) throw Error{fmt::format("{}: error {}", what, int{result})};
}

std::string ptx_of(const char* source) {
    std::vector<std::string> words{"-lineinfo"};
    if (options.fast_math) words.emplace_back("--use_fast_math");
    return lathe::test::compile_to_ptx(source, "bench.cu", words);
}

namespace {

/// Processor time of the process: the launching thread sleeps while the one worker runs.
double now_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

double wall_ms() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

} // namespace

Kernel::Kernel(const std::string& ptx, const char* mode, const char* checks) {
    if (mode) setenv("LATHE_SOFT_MODE", mode, 1);
    else unsetenv("LATHE_SOFT_MODE");
    if (checks) setenv("LATHE_SOFT_CHECKS", checks, 1);
    const double start = now_ms();
    check(cuModuleLoadData(&module_, ptx.c_str()), "cuModuleLoadData");
    check(cuModuleGetFunction(&function_, module_, "k"), "cuModuleGetFunction");
    compile_ms = now_ms() - start;
}
namespace {

/// Processor and wall time of each piece of work, in turns.
struct Times {
    std::vector<double> processor, wall;
    void measure(const std::function<void()>& work) {
        const double start = now_ms(), began = wall_ms();
        work();
        processor.push_back(now_ms() - start);
        wall.push_back(wall_ms() - began);
    }
};

/// PTX to callable, compiled anew each time: a comment makes another text of it.
double compile_time(const std::string& ptx, const char* mode) {
    static int number = 0;
    std::vector<double> times;
    for (int k = 0; k < 5; ++k)
        times.push_back(
            Kernel{fmt::format("{}// {} {}\n", ptx, wall_ms(), ++number), mode}.compile_ms);
    return median(times);
}

/// The same for both kinds of checks, in turns.
std::pair<double, double> compile_times_of_checks(const std::string& ptx, const char* mode) {
    static int number = 0;
    std::vector<double> pages, exact;
    for (int k = 0; k < 2 * options.rounds + 1; ++k) {
        const std::string text = fmt::format("{}// {} {}\n", ptx, wall_ms(), ++number);
        pages.push_back(Kernel{text, mode, "pages"}.compile_ms);
        exact.push_back(Kernel{text, mode, "exact"}.compile_ms);
    }
    return {median(pages), median(exact)};
}

double cached_time(const std::string& ptx) {
    std::vector<double> times;
    for (int k = 0; k < 9; ++k) times.push_back(Kernel{ptx, "warp"}.compile_ms);
    return median(times);
}

/// Exact checks beside checks by pages.
void measure_checks(const Row& row) {
    const std::string ptx = ptx_of(row.source);
    fmt::print("{{\"name\": \"{}\", \"goal_checks\": {}", row.name, row.goal.checks);
    for (const char* mode : {"warp", "scalar"}) {
        Kernel pages{ptx, mode, "pages"}, exact{ptx, mode, "exact"};
        row.run(pages);
        row.run(exact);
        std::vector<double> by_pages, exactly, ratios;
        for (int k = 0; k < 3 * options.rounds; ++k) {
            const double start = now_ms();
            row.run(pages);
            const double between = now_ms();
            row.run(exact);
            by_pages.push_back(between - start);
            exactly.push_back(now_ms() - between);
            ratios.push_back(exactly.back() / by_pages.back());
        }
        const char* kind = mode[0] == 'w' ? "warps" : "threads";
        fmt::print(", \"{0}_pages\": {1:.5f}, \"{0}_exact\": {2:.5f}, \"{0}_ratio\": {3:.3f}", kind,
                   median(by_pages) / row.repeats, median(exactly) / row.repeats, median(ratios));
        const auto [first, second] = compile_times_of_checks(ptx, mode);
        fmt::print(", \"compile_{0}_pages\": {1:.3f}, \"compile_{0}_exact\": {2:.3f}", kind, first,
                   second);
    }
    fmt::print("}}\n");
    std::fflush(stdout);
}

/// Launches that count, or are watched for races and unwritten memory, beside those that are not,
/// by warps.
void measure_instruments(const Row& row) {
    const std::string ptx = ptx_of(row.source);
    Kernel kernel{ptx, "warp"};
    std::vector<double> without, with, ratios;
    const auto run = [&](bool counts) {
        constexpr std::uint32_t hazards = kLatheSoftAllHazards & ~kLatheSoftBarrierApart;
        if (options.hazards) latheSoftHazardsWatch(counts ? hazards : 0);
        else if (counts) latheSoftCountersStart();
        else latheSoftCountersStop();
        if (counts && options.hazards) row.run(kernel); // makes the cells, which stay from then on
        const double start = now_ms();
        row.run(kernel);
        return now_ms() - start;
    };
    run(false);
    run(true);
    for (int k = 0; k < 3 * options.rounds; ++k) {
        without.push_back(run(false));
        with.push_back(run(true));
        ratios.push_back(with.back() / without.back());
    }
    latheSoftCountersStop();
    latheSoftHazardsWatch(0);
    const std::size_t found = latheSoftHazardsRead(nullptr, 0); // those that cost more
    latheSoftHazardsReset();
    fmt::print("{{\"name\": \"{}\", \"off\": {:.5f}, \"on\": {:.5f}, \"ratio\": {:.3f}, "
               "\"goal_counters\": {}, \"findings\": {}}}\n",
               row.name, median(without) / row.repeats, median(with) / row.repeats, median(ratios),
               options.hazards ? 0.0 : row.goal.counters, found);
    std::fflush(stdout);
}

} // namespace

void measure(const Row& row) {
    if (options.counters || options.hazards) return measure_instruments(row);
    if (options.checks) return measure_checks(row);
    const std::string ptx = ptx_of(row.source);
    Kernel scalar{ptx, "scalar"}, warp{ptx, "warp"};
    Times plain, best, warps, threads;
    row.run(scalar);
    row.run(warp);
    row.plain();
    if (row.best) row.best();
    for (int k = 0; k < options.rounds; ++k) {
        plain.measure(row.plain);
        if (row.best) best.measure(row.best);
        warps.measure([&] { row.run(warp); });
        if (k < 3) threads.measure([&] { row.run(scalar); });
    }
    fmt::print("{{\"name\": \"{}\", \"plain\": {:.5f}, \"best\": {:.5f}, \"warps\": {:.5f}, "
               "\"wall\": {:.5f}, \"threads\": {:.5f}, \"goal_plain\": {}, \"goal_best\": {}",
               row.name, median(plain.processor), row.best ? median(best.processor) : 0.0,
               median(warps.processor) / row.repeats, median(warps.wall) / row.repeats,
               median(threads.processor) / row.repeats, row.goal.plain, row.goal.best);
    if (options.compile_times)
        fmt::print(", \"compile_first\": {:.3f}, \"compile_threads\": {:.3f}, "
                   "\"compile_warps\": {:.3f}, \"cached\": {:.3f}",
                   compile_time(ptx, nullptr), compile_time(ptx, "scalar"),
                   compile_time(ptx, "warp"), cached_time(ptx));
    fmt::print("}}\n");
    std::fflush(stdout);
}

void measure_launch() {
    const std::string ptx = lathe::test::compile_to_ptx("extern \"C\" __global__ void k() {}",
                                                        "bench.cu", {"-lineinfo"});
    Kernel nothing{ptx, "warp"};
    constexpr int kLaunches = 2000;
    const Grid grid{{1, 1, 1}, {32, 1, 1}};
    std::vector<double> queued, waited;
    for (int k = 0; k < options.rounds; ++k) {
        double start = wall_ms();
        for (int n = 0; n < kLaunches; ++n) nothing.launch(grid);
        check(cuCtxSynchronize(), "cuCtxSynchronize");
        queued.push_back((wall_ms() - start) * 1e3 / kLaunches);
        start = wall_ms();
        for (int n = 0; n < kLaunches; ++n) nothing.run(grid);
        waited.push_back((wall_ms() - start) * 1e3 / kLaunches);
    }
    fmt::print("{{\"launch\": {:.3f}, \"launch_and_wait\": {:.3f}}}\n", median(queued),
               median(waited));
}

} // namespace lathe::bench
