// SPDX-License-Identifier: MIT
// What a thread has worked. Private to engine/broadcast.
#pragma once

#include <ctime>

namespace lathe {

inline double processor_milliseconds_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

} // namespace lathe
