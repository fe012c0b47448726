// SPDX-License-Identifier: MIT
#include "tests/soft/programs/host.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace lathe::test::programs {
namespace {

std::string compiler() {
    const std::string built_with = LATHE_TEST_CXX;
    return std::filesystem::exists(built_with) ? built_with : "c++";
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

bool has_compiler() {
    static const bool found = std::system((compiler() + " --version >/dev/null 2>&1").c_str()) == 0;
    return found;
}

HostCode::HostCode(const std::string& source) {
    std::string name = (std::filesystem::temp_directory_path() / "lathe-programs-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error{"no folder for " + name};
    folder_ = name;
    std::ofstream{folder_ / "program.cpp"} << source;
    // -frounding-math: GCC 12 else makes 0.0f - (float)number a negation, which gives -0 of zero.
    const std::string command = fmt::format(
        "cd '{}' && {} -std=c++17 -O0 -w -fwrapv -fno-strict-aliasing "
        "-ffp-contract=off -frounding-math -fPIC -shared program.cpp -o program.so 2>log",
        name, compiler());
    if (std::system(command.c_str()) != 0) {
        const std::string log = text_of(folder_ / "log").substr(0, 2000);
        std::filesystem::remove_all(folder_);
        throw Error{"the host's compiler says\n" + log};
    }
    library_ = dlopen((folder_ / "program.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw Error{dlerror()};
}

HostCode::~HostCode() {
    if (library_) dlclose(library_);
    std::filesystem::remove_all(folder_);
}

HostCode::Loop HostCode::find(const std::string& name) const {
    void* const found = dlsym(library_, name.c_str());
    if (!found) throw Error{name + " was not compiled"};
    return reinterpret_cast<Loop>(found);
}

} // namespace lathe::test::programs
