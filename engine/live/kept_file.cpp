// SPDX-License-Identifier: MIT
#include "engine/live/kept_file.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace lathe {

std::string replace_file(const std::filesystem::path& file, std::string_view text) {
    const std::filesystem::path temporary = file.string() + ".lathe-new";
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    {
        std::ofstream out{temporary, std::ios::binary};
        out << text;
        out.close();
        if (!out) return fmt::format("{} cannot be written", file.string());
    }
    std::filesystem::rename(temporary, file, failed);
    return failed ? fmt::format("{}: {}", file.string(), failed.message()) : std::string{};
}

} // namespace lathe
