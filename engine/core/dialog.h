// SPDX-License-Identifier: MIT
// A child that is asked and answers, again and again: an encoder of pictures.
#pragma once

#include "engine/core/api.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lathe {

/// Its standard input and output are ours, its standard error is kept for error messages.
class LATHE_API Dialog {
public:
    /// Starts `arguments[0]` from PATH in a process group of its own. Throws lathe::Error where it
    /// cannot be started.
    explicit Dialog(const std::vector<std::string>& arguments);
    Dialog(const Dialog&) = delete;
    Dialog& operator=(const Dialog&) = delete;
    /// Ends the child at once.
    ~Dialog();

    /// Writes `question`, and gives `take` what comes meanwhile and after it, until `take` has the
    /// whole answer and returns true. Throws lathe::Error where the child ends, where the answer
    /// takes longer than `patience`, and soon after `stops` has become true.
    void ask(std::span<const std::byte> question,
             const std::function<bool(std::span<const std::byte>)>& take,
             std::chrono::milliseconds patience, const std::atomic<bool>& stops);
    /// Processor time that the child has used.
    std::chrono::nanoseconds processor_time() const;

private:
    [[noreturn]] void fail();
    void end() noexcept;

    std::string program_;
    int input_ = -1, output_ = -1;
    int pid_ = -1;
    std::FILE* errors_ = nullptr;
    std::vector<std::byte> buffer_;
};

} // namespace lathe
