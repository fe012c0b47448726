// SPDX-License-Identifier: MIT
#include "engine/core/output_file.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace lathe {

OutputFile::OutputFile(std::filesystem::path file) : file_{std::move(file)}, pending_{file_} {
    errno = 0;
    out_.open(pending_.path(), std::ios::binary);
    note_failure();
}

void OutputFile::note_failure() {
    if (!out_ && reason_ == 0) reason_ = errno;
}

OutputFile& OutputFile::operator<<(std::string_view bytes) {
    errno = 0;
    out_.write(bytes.data(), std::streamsize(bytes.size()));
    note_failure();
    return *this;
}

void OutputFile::close() {
    errno = 0;
    out_.close();
    note_failure();
    if (!out_)
        throw Error{fmt::format("cannot write {}: {}", file_.string(),
                                reason_ ? std::strerror(reason_) : "the disk takes no more")};
    pending_.put_in_place();
}

void write_file(const std::filesystem::path& file, std::string_view text) {
    OutputFile out{file};
    out << text;
    out.close();
}

} // namespace lathe
