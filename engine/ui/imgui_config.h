// SPDX-License-Identifier: MIT
// What Dear ImGui is compiled with, and everything that includes imgui.h.
#pragma once

#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS

namespace lathe {
/// Throws std::logic_error with the words of an assertion of Dear ImGui that does not hold.
[[noreturn]] __attribute__((visibility("default"))) void fail_in_imgui(const char* assertion);
} // namespace lathe

// A script's mistake is an exception in that script, in release builds, too.
#define IM_ASSERT(expression)                                                                      \
    do {                                                                                           \
        if (!(expression)) ::lathe::fail_in_imgui(#expression);                                    \
    } while (false)

#ifdef LATHE_IMPLOT_SOURCE // behind such a mistake ImPlot would go on, and crash
#define IM_ASSERT_USER_ERROR(expression, words)                                                    \
    do {                                                                                           \
        if (!(expression)) ::lathe::fail_in_imgui(words);                                          \
    } while (false)
#define IM_ASSERT_USER_ERROR_RET(expression, words) IM_ASSERT_USER_ERROR(expression, words)
#define IM_ASSERT_USER_ERROR_RETV(expression, value, words) IM_ASSERT_USER_ERROR(expression, words)
#endif
