// SPDX-License-Identifier: MIT
// A disk that takes no more than so many bytes of a file, for this process and its children.
#pragma once

#include <csignal>
#include <cstddef>
#include <sys/resource.h>

namespace lathe::test {

/// Where `write` finds the limit it fails with EFBIG: "File too large".
class FullDisk {
public:
    explicit FullDisk(std::size_t bytes) : signal_{std::signal(SIGXFSZ, SIG_IGN)} {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit less = before_;
        less.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &less);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    void (*signal_)(int);
    rlimit before_{};
};

} // namespace lathe::test
