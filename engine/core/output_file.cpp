// SPDX-License-Identifier: MIT
#include "engine/core/output_file.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace lathe {

OutputFile::OutputFile(std::filesystem::path file) : file_{std::move(file)} {
    std::error_code ignored; // the open below tells better
    if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
    errno = 0;
    out_.open(file_, std::ios::binary);
}

OutputFile& OutputFile::operator<<(std::string_view bytes) {
    out_.write(bytes.data(), std::streamsize(bytes.size()));
    return *this;
}

void OutputFile::close() {
    out_.close();
    if (!out_)
        throw Error{fmt::format("cannot write {}: {}", file_.string(),
                                errno ? std::strerror(errno) : "the disk takes no more")};
}

} // namespace lathe
