// SPDX-License-Identifier: MIT
#include "tests/soft/support/nvrtc.h"

#include "engine/core/error.h"

#include <nvrtc.h>

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lathe::test {
namespace {

namespace fs = std::filesystem;

void* open_nvrtc() {
    const fs::path include = LATHE_TEST_CUDA_INCLUDE;
    for (const fs::path& folder : {include / "../lib64", include / "../lib", fs::path{}})
        if (void* const library = dlopen((folder / "libnvrtc.so.13").c_str(), RTLD_NOW))
            return library;
    return nullptr;
}

struct Nvrtc {
    void* library = open_nvrtc();
    decltype(&nvrtcCreateProgram) create =
        find<decltype(&nvrtcCreateProgram)>("nvrtcCreateProgram");
    decltype(&nvrtcCompileProgram) compile =
        find<decltype(&nvrtcCompileProgram)>("nvrtcCompileProgram");
    decltype(&nvrtcDestroyProgram) destroy =
        find<decltype(&nvrtcDestroyProgram)>("nvrtcDestroyProgram");
    decltype(&nvrtcGetPTXSize) ptx_size = find<decltype(&nvrtcGetPTXSize)>("nvrtcGetPTXSize");
    decltype(&nvrtcGetPTX) ptx = find<decltype(&nvrtcGetPTX)>("nvrtcGetPTX");
    decltype(&nvrtcGetProgramLogSize) log_size =
        find<decltype(&nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize");
    decltype(&nvrtcGetProgramLog) log = find<decltype(&nvrtcGetProgramLog)>("nvrtcGetProgramLog");

    template <class F> F find(const char* name) const {
        return library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
    }
};

const Nvrtc& nvrtc() {
    static const Nvrtc opened;
    return opened;
}

template <class Size, class Get> std::string text_of(nvrtcProgram program, Size size, Get get) {
    std::size_t bytes = 0;
    size(program, &bytes);
    std::string text(bytes, '\0');
    get(program, text.data());
    text.resize(bytes ? bytes - 1 : 0); // the terminator
    return text;
}

} // namespace

bool has_nvrtc() { return nvrtc().compile != nullptr; }

std::string compile_to_ptx(const std::string& source, const std::string& name,
                           std::vector<std::string> options) {
    const bool names_target =
        std::any_of(options.begin(), options.end(),
                    [](const std::string& option) { return option.starts_with("-arch"); });
    if (!names_target) options.emplace_back("-arch=compute_75");
    const fs::path include = LATHE_TEST_CUDA_INCLUDE;
    options.push_back("-I" + include.string());
    options.push_back("-I" + (include / "cccl").string());
    options.emplace_back("-device-int128");
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());

    const Nvrtc& api = nvrtc();
    nvrtcProgram program = nullptr;
    api.create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr);
    const nvrtcResult result = api.compile(program, static_cast<int>(texts.size()), texts.data());
    const std::string log = text_of(program, api.log_size, api.log);
    std::string ptx;
    if (result == NVRTC_SUCCESS) ptx = text_of(program, api.ptx_size, api.ptx);
    api.destroy(&program);
    if (result != NVRTC_SUCCESS) throw Error{name + " does not compile:\n" + log};
    return ptx;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator{LATHE_TEST_KERNELS})
        if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}

std::string compile_kernel(std::string_view name, std::vector<std::string> options) {
    const fs::path path = fs::path{LATHE_TEST_KERNELS} / (std::string{name} + ".cu");
    std::ifstream file{path};
    const std::string source{std::istreambuf_iterator<char>{file}, {}};
    if (source.empty()) throw Error{path.string() + " could not be read"};
    return compile_to_ptx(source, path.filename(), std::move(options));
}

} // namespace lathe::test
