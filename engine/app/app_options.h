// SPDX-License-Identifier: MIT
// What the command line of an App asks for; with_options() (app.h) ends the program where it is
// wrong.
#pragma once

#include "engine/app/app.h"
#include "engine/core/api.h"

#include <span>

namespace lathe {

/// `config` with the options among `words`, the program's name not among them. Throws lathe::Error
/// for what is not known or has no value, and for values that cannot be.
LATHE_API AppConfig parse_options(std::span<char* const> words, AppConfig config);

} // namespace lathe
