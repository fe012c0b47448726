// SPDX-License-Identifier: MIT
// LATHE_API marks what programs may use of the installed libraries; all else is hidden in them.
#pragma once

#define LATHE_API __attribute__((visibility("default")))
