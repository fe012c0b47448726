// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

#include <pthread.h>

namespace lathe {

/// While it lives, this thread takes no signals. Threads that it starts meanwhile take none for
/// good: signals of the program (Ctrl+C, timers) belong to the program's own threads.
class BlockedSignals {
public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

} // namespace lathe
