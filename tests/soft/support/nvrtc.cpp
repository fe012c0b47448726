// SPDX-License-Identifier: MIT
#include "tests/soft/support/nvrtc.h"

#include "engine/core/cache_key.h"
#include "engine/core/error.h"
#include "engine/core/file_cache.h"

#include <nvrtc.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
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

/// Where CTest gives a folder: tests in several modes compile the same texts.
FileCache& texts_of_ptx() {
    static FileCache cache{[] {
                               const char* folder = std::getenv("LATHE_CACHE_DIR");
                               return folder ? fs::path{folder} / "ptx" : fs::path{};
                           }(),
                           ".ptx", "lathe test's PTX 1\n"};
    return cache;
}

/// Empty: not to be kept, as what depends on files of the toolkit.
std::string key_of(const std::string& source, const std::string& name,
                   const std::vector<std::string>& options) {
    Dl_info nvrtc_file{};
    if (source.find("include") != std::string::npos ||
        !dladdr(reinterpret_cast<const void*>(nvrtc().compile), &nvrtc_file))
        return {};
    const fs::path file = fs::canonical(nvrtc_file.dli_fname);
    CacheKey key;
    key.add(file.string()).add(fs::file_size(file));
    key.add(static_cast<std::uint64_t>(fs::last_write_time(file).time_since_epoch().count()));
    key.add(name).add(source).add(options.size());
    for (const std::string& option : options) key.add(option);
    return key.hex();
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
    const std::string key = key_of(source, name, options);
    if (!key.empty())
        if (auto known = texts_of_ptx().read(key)) return *known;
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
    if (!key.empty()) texts_of_ptx().write(key, ptx);
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
