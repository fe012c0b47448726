// SPDX-License-Identifier: MIT
// Any text as cuModuleLoadData takes it: parse, verify, lower and compile every kernel by single
// threads and by warps. Nothing runs.
#include "engine/core/error.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/verify.h"
#include "gpu/soft/jit/compiler.h"

#include <cstdlib>

namespace {

alignas(64) char memory[4096]; // what every symbol resolves to

void compile(const std::shared_ptr<const lathe::ptx::Module>& module,
             const lathe::soft::ExecutionMode& mode) {
    constexpr std::uint32_t kBlock[3] = {32, 8, 1};
    try {
        const auto code = lathe::soft::CompiledModule::create(
            module, [](std::string_view) -> void* { return memory; }, mode);
        for (const lathe::soft::KernelInfo& kernel : code->kernels()) {
            try {
                code->code(kernel.name, kBlock);
            } catch (const lathe::Error&) {} // refused, in words
        }
    } catch (const lathe::Error&) {}
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    setenv("LATHE_SOFT_CACHE", "off", 1);
    setenv("LATHE_LOG", "error", 1);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lathe;
    auto read =
        std::make_shared<ptx::ParseResult>(ptx::parse({reinterpret_cast<const char*>(data), size}));
    if (!read->ok() || !ptx::verify(read->module).empty()) return -1;
    read->module.key.clear();
    const std::shared_ptr<const ptx::Module> module{read, &read->module};
    compile(module, {});
    compile(module, {true, size % 2 ? 32u : 16u, true});
    return 0;
}
