// SPDX-License-Identifier: MIT
#include "engine/live/kept_file.h"

#include "engine/core/error.h"
#include "engine/core/output_file.h"

namespace lathe {

std::string replace_file(const std::filesystem::path& file, std::string_view text) {
    try {
        write_file(file, text);
        return {};
    } catch (const Error& error) { return error.what(); }
}

} // namespace lathe
