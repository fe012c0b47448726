// SPDX-License-Identifier: MIT
#include "engine/core/process.h"

#include "engine/core/child.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"

#include <fmt/core.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lathe {
namespace {

std::atomic<bool> exiting{false}, at_end{false};

} // namespace

bool process_is_exiting() noexcept { return exiting.load(std::memory_order_relaxed); }

void note_end_of_program() noexcept { at_end = true; }
bool program_is_at_end() noexcept { return at_end.load(std::memory_order_relaxed); }

void watch_process_exit() {
    static std::once_flag once;
    std::call_once(once, [] { std::atexit([] { exiting = true; }); });
}

void keep_freed_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

void return_freed_memory() { malloc_trim(0); }

std::filesystem::path find_program(const std::string& program) {
    const char* path = environment("PATH");
    std::istringstream folders{path ? path : "/usr/bin:/bin"};
    for (std::string folder; std::getline(folders, folder, ':');)
        if (auto file = std::filesystem::path{folder} / program; access(file.c_str(), X_OK) == 0)
            return file;
    return {};
}

bool program_exists(const std::string& program) { return !find_program(program).empty(); }

PipeTo::PipeTo(const std::vector<std::string>& arguments) : program_{arguments.at(0)} {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw Error{fmt::format("cannot make a pipe to {}: {}", program_, std::strerror(errno))};
    errors_ = std::tmpfile();
    const int errors = errors_ ? fileno(errors_) : -1;
    // A group of its own: Ctrl+C in the terminal is for us, who then close the pipe in good order.
    try {
        pid_ = start_child(arguments, {ends[0], -1, errors}, true);
    } catch (const Error&) {
        close(ends[0]);
        close(ends[1]);
        if (errors_) std::fclose(errors_);
        throw;
    }
    close(ends[0]);
    input_ = ends[1];
}

PipeTo::~PipeTo() {
    try {
        finish();
    } catch (const Error&) {
        // finish() reports; a destructor has nobody to tell
    }
    if (errors_) std::fclose(errors_);
}

void PipeTo::write(std::span<const std::byte> bytes) {
    const WithoutSigpipe without;
    while (!bytes.empty()) {
        const ssize_t n = ::write(input_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw Error{fmt::format("{} stopped reading: {}", program_, std::strerror(errno))};
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
}

void PipeTo::finish() {
    if (input_ < 0) return;
    close(std::exchange(input_, -1));
    const int status = status_at_end_of(pid_);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    throw failure_of(program_, status, errors_);
}

std::string output_of(const std::vector<std::string>& arguments) {
    using Temporary = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
    const Temporary output{std::tmpfile(), &std::fclose}, errors{std::tmpfile(), &std::fclose};
    if (!output || !errors) throw Error{"no temporary file can be made"};
    const int status = status_at_end_of(
        start_child(arguments, {-1, fileno(output.get()), fileno(errors.get())}, false));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw failure_of(arguments[0], status, errors.get());
    return all_of(output.get());
}

} // namespace lathe
