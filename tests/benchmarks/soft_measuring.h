// SPDX-License-Identifier: MIT
// What bench_soft measures with: kernels on the software device beside C++, in turns.
#pragma once

#include "engine/core/error.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace lathe::bench {

struct Options {
    int rounds = 7;
    bool compile_times = false, checks = false, counters = false, fast_math = false;
    bool hazards = false;
};
extern Options options;

/// Throws Error with the words and the number of a failure.
void check(CUresult result, const char* what);

template <class T> class Device {
public:
    explicit Device(const std::vector<T>& values) : bytes_{values.size() * sizeof(T)} {
        check(cuMemAlloc(&p, bytes_), "cuMemAlloc");
        check(cuMemcpyHtoD(p, values.data(), bytes_), "cuMemcpyHtoD");
    }
    ~Device() { cuMemFree(p); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    std::vector<T> read() const {
        std::vector<T> values(bytes_ / sizeof(T));
        check(cuMemcpyDtoH(values.data(), p, bytes_), "cuMemcpyDtoH");
        return values;
    }
    CUdeviceptr p = 0;

private:
    std::size_t bytes_;
};

struct Grid {
    unsigned grid[3], block[3];
};

class Kernel {
public:
    /// PTX with a kernel k; `checks` of accesses as the environment has them where it is null.
    /// `mode`: LATHE_SOFT_MODE; null unsets it.
    Kernel(const std::string& ptx, const char* mode, const char* checks = nullptr);
    ~Kernel() { cuModuleUnload(module_); }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    template <class... A> void launch(const Grid& g, A... arguments) {
        launch_function(function_, g, arguments...);
    }
    /// Another kernel of the same source.
    template <class... A> void launch_other(const char* name, const Grid& g, A... arguments) {
        CUfunction other = nullptr;
        check(cuModuleGetFunction(&other, module_, name), name);
        launch_function(other, g, arguments...);
    }
    template <class... A>
    static void launch_function(CUfunction function, const Grid& g, A... arguments) {
        void* params[] = {static_cast<void*>(&arguments)..., nullptr};
        check(cuLaunchKernel(function, g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1],
                             g.block[2], 0, nullptr, params, nullptr),
              "cuLaunchKernel");
    }
    template <class... A> void run(const Grid& g, A... arguments) {
        launch(g, arguments...);
        check(cuCtxSynchronize(), "cuCtxSynchronize");
    }
    double compile_ms = 0;

private:
    CUmodule module_ = nullptr;
    CUfunction function_ = nullptr;
};

/// What is asked: speed against plain C++, and against the best; what exact checks and
/// counters may cost. 0: nothing.
struct Goal {
    double plain = 0, best = 0, checks = 0, counters = 0;
};

struct Row {
    const char* name;
    const char* source;
    std::function<void(Kernel&)> run; ///< launches
    std::function<void()> plain, best;
    Goal goal;
    double repeats = 1; ///< kernels in one launch
};

/// By NVRTC, with line numbers.
std::string ptx_of(const char* source);

/// One line of JSON for `lathe bench soft`.
void measure(const Row& row);

/// Microseconds of a launch of nothing, of many in a row and of one that is waited for.
void measure_launch();

/// Throws Error where numbers differ by more than the tolerance, of them where they are above 1.
template <class T>
void compare(const char* name, const std::vector<T>& got, const std::vector<T>& wanted,
             double tolerance) {
    if (options.checks || options.counters || options.hazards) return; // the C++ did not run
    for (std::size_t k = 0; k < got.size(); ++k) {
        const double x = static_cast<double>(got[k]), y = static_cast<double>(wanted[k]);
        if (std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))) continue;
        throw Error{fmt::format("{}: element {} is {}, expected {}", name, k, x, y)};
    }
}

} // namespace lathe::bench
