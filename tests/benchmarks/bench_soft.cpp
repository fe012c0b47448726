// SPDX-License-Identifier: MIT
// The software device beside C++ (soft_references.cpp, soft_best.cpp), both execution modes; what
// `lathe bench soft` runs for one worker and for two.
//   bench_soft [rounds] [--compile-times] [--checks] [--counters] [--hazards]
//              [--fast-math] [--only WORD]
//       prints a line of JSON for each kernel: milliseconds of processor time (and `wall`), medians
//       of alternated rounds, and what is asked for. --checks: exact checks of accesses beside
//       those by pages instead, with the times of compiling; --counters: counters by source line;
//       --hazards: the search for races and unwritten memory
//       on and off instead; --fast-math: kernels by --use_fast_math
#include "tests/benchmarks/soft_kernels.h"
#include "tests/soft/support/nvrtc.h"

#include <cstdlib>
#include <string_view>
#include <utility>

int main(int argc, char** argv) {
    using namespace lathe::bench;
    std::string_view only;
    for (int k = 1; k < argc; ++k) {
        if (std::string_view{argv[k]} == "--compile-times") options.compile_times = true;
        else if (std::string_view{argv[k]} == "--checks") options.checks = true;
        else if (std::string_view{argv[k]} == "--counters") options.counters = true;
        else if (std::string_view{argv[k]} == "--hazards") options.hazards = true;
        else if (std::string_view{argv[k]} == "--fast-math") options.fast_math = true;
        else if (std::string_view{argv[k]} == "--only" && k + 1 < argc) only = argv[++k];
        else options.rounds = std::max(1, std::atoi(argv[k]));
    }
    setenv("LATHE_SOFT_WORKERS", "1", 0);
    if (!lathe::test::has_nvrtc()) {
        fmt::print(stderr, "bench_soft needs NVRTC\n");
        return 1;
    }
    try {
        check(cuInit(0), "cuInit");
        CUcontext context = nullptr;
        check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
        check(cuCtxPushCurrent(context), "cuCtxPushCurrent");
        const std::pair<std::string_view, void (*)()> benches[] = {
            {"saxpy 4 M", [] { bench_saxpy("saxpy 4 M", 1 << 22, 1, {0.9, 0}); }},
            {"saxpy 32 K", [] { bench_saxpy("saxpy 32 K", 1 << 15, 100, {0.75, 0, 1.6, 1.25}); }},
            {"n-body", bench_nbody},
            {"matmul naive", [] { bench_matmul(false); }},
            {"matmul tiled", [] { bench_matmul(true); }},
            {"matmul of whole rows of warps",
             [] {
                 if (!options.counters) return;
                 bench_matmul(false, 32);
                 bench_matmul(true, 32);
             }},
            {"reduce", bench_reduce},
            {"histogram", bench_histogram},
            {"Gray-Scott", [] { bench_gray_scott(); }},
            {"Gray-Scott 16", [] { bench_gray_scott(16); }},
            {"Gray-Scott 8", [] { bench_gray_scott(8); }},
            {"Mandelbrot", [] { bench_mandelbrot(); }},
            {"Mandelbrot 16", [] { bench_mandelbrot(16); }},
            {"Mandelbrot 8", [] { bench_mandelbrot(8); }},
            {"libm", bench_libm},
            {"records float4 saxpy", bench_float4_saxpy},
            {"records bodies", bench_moving_bodies},
            {"records float2", bench_complex_products},
            {"records double2", bench_double2},
            {"records triples", bench_triples},
            {"stencils", bench_stencils},
            {"sparse", bench_sparse},
            {"Floyd-Warshall", bench_floyd_warshall},
            {"launch", [] {
                 if (!options.checks && !options.counters && !options.hazards) measure_launch();
             }}};
        for (const auto& [name, bench] : benches)
            if (name.find(only) != std::string_view::npos) bench();
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
