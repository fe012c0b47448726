// SPDX-License-Identifier: MIT
// The root of Lathe's exceptions. gpu::Error, gpu::CompileError and gl::Error derive from it.
#pragma once

#include "engine/core/api.h"

#include <source_location>
#include <stdexcept>
#include <string>

namespace lathe {

/// A failure with a message for the user and the place in our code that noticed it.
class LATHE_API Error : public std::runtime_error {
public:
    explicit Error(const std::string& message,
                   std::source_location where = std::source_location::current())
        : std::runtime_error{message}, where_{where} {}

    const std::source_location& where() const noexcept { return where_; }

private:
    std::source_location where_;
};

/// A file that the caller named is not there.
class LATHE_API FileMissing : public Error {
public:
    using Error::Error;
};

/// "file.cpp:12 (function)", for logs.
LATHE_API std::string to_string(const std::source_location& where);

} // namespace lathe
