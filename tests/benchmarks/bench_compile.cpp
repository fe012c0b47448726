// SPDX-License-Identifier: MIT
// Where the time of an edit goes: the key, NVRTC with each of our options left out, the caches, the
// module, and all of it again on a worker thread while this thread keeps the device busy.
#include "engine/core/error.h"
#include "engine/core/process.h"
#include "engine/core/resources.h"
#include "engine/core/statistics.h"
#include "gpu/compiler.h"
#include "gpu/device_headers.h"
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "gpu/nvrtc.h"
#include "gpu/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace {

using namespace lathe;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

// A text that no cache has seen.
std::string edited(const std::string& source) {
    static int number = 0;
    return source + fmt::format("\n// {} {}\n", ++number, Clock::now().time_since_epoch().count());
}

// Median and 95th percentile of what `once` returns.
template <class F> void report(const std::string& what, F once) {
    std::vector<double> times;
    once(); // warm
    for (int i = 0; i < 20; ++i) times.push_back(once());
    std::sort(times.begin(), times.end());
    fmt::print("{:<58}{:8.1f} ms p50 {:8.1f} p95\n", what, percentile(times, 0.50),
               percentile(times, 0.95));
    std::fflush(stdout);
}

double nvrtc_alone(const std::string& source, const std::vector<std::string>& options,
                   bool with_headers) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    std::vector<const char*> pointers;
    if (with_headers)
        for (const gpu::CompileHeader& h : gpu::device_headers()) {
            names.push_back(h.name.c_str());
            texts.push_back(h.text.c_str());
        }
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const std::string text = edited(source);
    const auto start = Clock::now();
    nvrtcProgram program = nullptr;
    const auto& api = gpu::nvrtc();
    api.create_program(&program, text.c_str(), "edit.cu", int(names.size()), texts.data(),
                       names.data());
    const auto code = api.compile_program(program, int(pointers.size()), pointers.data());
    if (code != NVRTC_SUCCESS) throw Error{api.error_string(code)};
    api.destroy_program(&program);
    return milliseconds_since(start);
}

void bench(const std::string& source) {
    const auto request = [&] {
        return gpu::CompileRequest{.source = edited(source), .name = "edit.cu"};
    };
    const auto compiled = [&](bool cached) {
        auto r = request();
        r.use_cache = cached;
        return gpu::compile_or_throw(r).milliseconds;
    };
    report("gpu::compile", [&] { return compiled(false); });
    report("gpu::compile, stored in the caches", [&] { return compiled(true); });

    auto r = request();
    const gpu::CompileResult result = gpu::compile_or_throw(r);
    std::vector<std::string> options;
    std::istringstream line{result.command_line};
    for (std::string word; line >> word;)
        if (word.starts_with("-")) options.push_back(word);
    report("NVRTC, the same options", [&] { return nvrtc_alone(source, options, true); });
    report("NVRTC, without our headers", [&] { return nvrtc_alone(source, options, false); });
    for (std::size_t i = 0; i < options.size(); ++i) {
        auto fewer = options;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        try {
            report(fmt::format("NVRTC, without {}", options[i].substr(0, 40)),
                   [&] { return nvrtc_alone(source, fewer, true); });
        } catch (const Error&) { fmt::print("  needs {}\n", options[i]); }
    }
    report("module from its image", [&] {
        const auto start = Clock::now();
        const gpu::Module module{result};
        return milliseconds_since(start);
    });
    double jit = 0;
    report("gpu::compile to PTX", [&] {
        auto asked = request();
        asked.use_cache = false;
        asked.target = gpu::CompileTarget{gpu::ImageKind::ptx, result.target.capability};
        const gpu::CompileResult ptx = gpu::compile_or_throw(asked);
        const auto start = Clock::now();
        const gpu::Module module{ptx};
        module.kernel(module.kernel_names().front());
        jit = milliseconds_since(start);
        return ptx.milliseconds;
    });
    fmt::print("{:<58}{:8.1f} ms, the last one\n", "  its module by the driver's compiler", jit);
}

} // namespace

// As `lathe run` compiles; with --host as in a program that leaves the C library as it is.
int main(int count, char** arguments) try {
    const bool is_host = count > 1 && std::string_view{arguments[1]} == "--host";
    if (!is_host) keep_freed_memory();
    fmt::print("{}\n", gpu::status_report().summary());
    const gpu::Context context = gpu::Context::primary();
    context.make_current();
    const std::string source = read(resource("apps/gray_scott/gray_scott.cu"));
    fmt::print("\non the main thread, nothing else running\n");
    bench(source);

    fmt::print("\non a worker thread, this one launching\n");
    const gpu::Module module{
        gpu::compile_or_throw({.source = "extern \"C\" __global__ void nothing() {}"})};
    const gpu::Kernel nothing = module.kernel("nothing");
    const gpu::Stream stream{gpu::StreamConfig{}};
    std::atomic<bool> done = false;
    std::thread worker{[&] {
        const gpu::CurrentContext here{context};
        bench(source);
        done = true;
    }};
    while (!done) {
        for (int i = 0; i < 8; ++i) gpu::launch(nothing, {{1}, {32}, 0, stream});
        stream.synchronize();
    }
    worker.join();
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "bench_compile: %s\n", e.what());
    return 1;
}
