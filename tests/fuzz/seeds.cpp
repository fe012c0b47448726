// SPDX-License-Identifier: MIT
// Writes the PTX of the test kernels and of the corpus into a folder: fuzz_seeds FOLDER.
#include "engine/core/error.h"
#include "tests/soft/support/nvrtc.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

int main(int count, char** arguments) {
    if (count != 2 || !lathe::test::has_nvrtc()) return 1;
    const auto write = [&](const std::string& name, const std::string& ptx) {
        std::ofstream{fs::path{arguments[1]} / (name + ".ptx")} << ptx;
    };
    try {
        for (const std::string& name : lathe::test::kernel_names()) {
            write(name, lathe::test::compile_kernel(name, {"-lineinfo"}));
            write(name + "_fast", lathe::test::compile_kernel(name, {"--use_fast_math"}));
        }
        for (const auto& entry : fs::directory_iterator{LATHE_TEST_CORPUS}) {
            std::ifstream file{entry.path()};
            const std::string source{std::istreambuf_iterator<char>{file}, {}};
            write("corpus_" + entry.path().stem().string(),
                  lathe::test::compile_to_ptx(source, entry.path().filename()));
        }
    } catch (const lathe::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
