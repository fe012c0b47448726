// SPDX-License-Identifier: MIT
// Libraries that are found and opened at run time, because nothing links them: the CUDA driver,
// NVRTC, NVIDIA's other libraries, EGL. Which files a library may have and what its functions are
// is said where it is used; here are the search and the loader.
#pragma once

#include "engine/core/api.h"

#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

namespace lathe {

/// An open library; copies are the same one. It stays open until the process ends: drivers do not
/// like to be unloaded.
class LATHE_API SharedLibrary {
public:
    /// One that the process has open already is given again, and `if_open` gives no other. A name
    /// without a folder is looked for as the loader does. Throws lathe::Error with the loader's
    /// words.
    static SharedLibrary open(const std::filesystem::path& file, bool if_open = false);

    SharedLibrary() = default; ///< none

    /// As the loader resolved it.
    const std::filesystem::path& path() const noexcept { return path_; }

    /// Null where it has none of that name.
    void* symbol(const char* name) const noexcept;
    /// The function of that name, or null.
    template <class Function> Function* find(const char* name) const noexcept {
        static_assert(std::is_function_v<Function>);
        return reinterpret_cast<Function*>(symbol(name));
    }
    /// Fills a function pointer. Throws lathe::Error that names the library and the function.
    template <class Function> void require(Function*& function, const char* name) const {
        static_assert(std::is_function_v<Function>);
        function = reinterpret_cast<Function*>(required(name));
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

private:
    void* required(const char* name) const;

    void* handle_ = nullptr;
    std::filesystem::path path_;
};

/// One file that a library may be, and what the caller knows of it.
struct LibraryPlace {
    std::filesystem::path file;
    int version = 0;      ///< the caller's own number: CUDA's major version
    bool if_open = false; ///< counts only where the process has it open already
};

/// Those of `folder`/`below`/`file` that exist.
LATHE_API std::vector<std::filesystem::path> existing_files(const std::filesystem::path& folder,
                                                            const std::vector<std::string>& below,
                                                            const std::string& file);

/// What open_first() found, or, where `library` is none, the loader's words about each place.
struct FoundLibrary {
    SharedLibrary library;
    LibraryPlace place;
    std::vector<std::string> problems;
};
/// The first of these places that can be opened.
LATHE_API FoundLibrary open_first(const std::vector<LibraryPlace>& places);

/// Names a site-packages folder to look at before all others: the Python package gives that of its
/// interpreter, which runs without an activated environment, too. Counts for libraries that are not
/// open yet. Thread-safe.
LATHE_API void set_library_hint(std::filesystem::path folder);

/// Folders that may hold NVIDIA's wheels, most wanted first: `hint`, then of the virtual
/// environments VIRTUAL_ENV and .venv below resource_root(). Those that nobody has set are left
/// out.
struct SitePackages {
    std::filesystem::path hint; ///< empty where set_library_hint() was not called
    std::vector<std::filesystem::path> environments;
};
LATHE_API SitePackages site_packages();

/// The folder of the program or library that this code was linked into; empty where the loader does
/// not know.
LATHE_API std::filesystem::path own_folder();

} // namespace lathe
