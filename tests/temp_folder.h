// SPDX-License-Identifier: MIT
// A folder for one test's files: no other test or process has it, and it goes with its object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace lathe::test {

class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "lathe-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error{"no folder " + name};
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    operator const std::filesystem::path&() const { return path_; }
    std::filesystem::path operator/(const std::string& file) const { return path_ / file; }

private:
    std::filesystem::path path_;
};

} // namespace lathe::test
