// SPDX-License-Identifier: MIT
#include "engine/ui/imgui_config.h"

#include <stdexcept>

void lathe::fail_in_imgui(const char* assertion) { throw std::logic_error{assertion}; }
