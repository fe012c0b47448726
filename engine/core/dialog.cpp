// SPDX-License-Identifier: MIT
#include "engine/core/dialog.h"

#include "engine/core/child.h"

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lathe {

namespace {

using namespace std::chrono_literals;

constexpr int kPipe = 1 << 20; ///< bytes; the fewer times each end wakes, the better
constexpr auto kLookAtStops = 10ms;

void close_both(const int (&ends)[2]) {
    for (const int end : ends) ::close(end);
}

} // namespace

Dialog::Dialog(const std::vector<std::string>& arguments)
    : program_{arguments.at(0)}, buffer_(1 << 16) {
    int to[2], from[2];
    const auto fail_to_pipe = [&] {
        throw Error{fmt::format("cannot make a pipe to {}: {}", program_, std::strerror(errno))};
    };
    if (pipe2(to, O_CLOEXEC) != 0) fail_to_pipe();
    if (pipe2(from, O_CLOEXEC) != 0) {
        close_both(to);
        fail_to_pipe();
    }
    errors_ = std::tmpfile();
    const int errors = errors_ ? fileno(errors_) : -1;
    try {
        pid_ = start_child(arguments, {to[0], from[1], errors}, true);
    } catch (const Error&) {
        close_both(to);
        close_both(from);
        if (errors_) std::fclose(errors_);
        throw;
    }
    ::close(to[0]);
    ::close(from[1]);
    input_ = to[1];
    output_ = from[0];
    ::fcntl(input_, F_SETFL, O_NONBLOCK);
    ::fcntl(input_, F_SETPIPE_SZ, kPipe); // a wish
}

Dialog::~Dialog() {
    end();
    if (errors_) std::fclose(errors_);
}

void Dialog::end() noexcept {
    if (pid_ < 0) return;
    ::close(input_);
    ::close(output_);
    ::kill(-pid_, SIGKILL); // its children, too
    status_at_end_of(std::exchange(pid_, -1));
}

/// It has closed its output: so it has ended, or it will hear nothing more.
void Dialog::fail() {
    ::close(std::exchange(input_, -1));
    ::close(std::exchange(output_, -1));
    ::kill(-pid_, SIGKILL); // its children, too
    throw failure_of(program_, status_at_end_of(std::exchange(pid_, -1)), errors_);
}

void Dialog::ask(std::span<const std::byte> question,
                 const std::function<bool(std::span<const std::byte>)>& take,
                 std::chrono::milliseconds patience, const std::atomic<bool>& stops) {
    if (pid_ < 0) throw Error{fmt::format("{} has ended", program_)};
    const WithoutSigpipe without;
    const auto end = std::chrono::steady_clock::now() + patience;
    for (bool is_answered = false; !is_answered || !question.empty();) {
        if (stops) throw Error{fmt::format("{} is no longer wanted", program_)};
        if (std::chrono::steady_clock::now() > end)
            throw Error{fmt::format("{} has not answered for {} ms", program_, patience.count())};
        pollfd ready[2] = {{question.empty() ? -1 : input_, POLLOUT, 0}, {output_, POLLIN, 0}};
        if (::poll(ready, 2, int(kLookAtStops / 1ms)) <= 0) continue;
        if (ready[1].revents) {
            const ssize_t n = ::read(output_, buffer_.data(), buffer_.size());
            if (n == 0) fail();
            if (n > 0) is_answered = take({buffer_.data(), std::size_t(n)});
        }
        if (ready[0].revents) {
            const ssize_t n = ::write(input_, question.data(), question.size());
            if (n < 0 && errno == EPIPE) fail();
            if (n > 0) question = question.subspan(std::size_t(n));
        }
    }
}

std::chrono::nanoseconds Dialog::processor_time() const {
    clockid_t clock{};
    timespec time{};
    if (pid_ < 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return {};
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

} // namespace lathe
