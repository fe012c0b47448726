// SPDX-License-Identifier: MIT
#include "engine/core/process.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"

#include <fmt/core.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

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

namespace {

std::string all_of(std::FILE* file) {
    std::string text;
    char bytes[4096];
    std::rewind(file);
    while (const std::size_t n = std::fread(bytes, 1, sizeof bytes, file)) text.append(bytes, n);
    return text;
}

/// Of a child that ended with another status than 0; `errors`, which may be null, has its last
/// words.
Error failure_of(const std::string& program, int status, std::FILE* errors) {
    std::string said = errors ? all_of(errors) : std::string{};
    while (said.ends_with('\n')) said.pop_back();
    if (said.size() > 2000) said.erase(0, said.size() - 2000);
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                : fmt::format("failed (exit code {})", WEXITSTATUS(status));
    return Error{fmt::format("{} {}{}{}", program, how, said.empty() ? "" : ": ", said)};
}

} // namespace

PipeTo::PipeTo(const std::vector<std::string>& arguments) : program_{arguments.at(0)} {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw Error{fmt::format("cannot make a pipe to {}: {}", program_, std::strerror(errno))};
    errors_ = std::tmpfile();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (errors_) posix_spawn_file_actions_adddup2(&actions, fileno(errors_), STDERR_FILENO);
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    // A group of its own: Ctrl+C in the terminal is for us, who then close the pipe in good order.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int failed = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    input_ = ends[1];
    if (failed) {
        close(input_);
        if (errors_) std::fclose(errors_);
        throw Error{fmt::format("cannot start {}: {}", program_, std::strerror(failed))};
    }
}

PipeTo::~PipeTo() {
    try {
        finish();
    } catch (const Error&) {
        // finish() reports; a destructor has nobody to tell
    }
    if (errors_) std::fclose(errors_);
}

namespace {

/// A child may end early, and a write to it then would end us, too: while this lives, SIGPIPE does
/// not reach the calling thread. What the program does with it is not changed.
class WithoutSigpipe {
public:
    WithoutSigpipe() {
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE);
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutSigpipe() {
        const int kept = errno;
        const timespec now{};
        if (!was_pending_)
            while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {}
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = kept;
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

private:
    sigset_t pipe_{}, before_{};
    bool was_pending_ = false;
};

} // namespace

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
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    throw failure_of(program_, status, errors_);
}

std::string output_of(const std::vector<std::string>& arguments) {
    using Temporary = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
    const Temporary output{std::tmpfile(), &std::fclose}, errors{std::tmpfile(), &std::fclose};
    if (!output || !errors) throw Error{"no temporary file can be made"};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(output.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(errors.get()), STDERR_FILENO);
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        throw Error{fmt::format("cannot start {}: {}", arguments[0], std::strerror(failed))};
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw failure_of(arguments[0], status, errors.get());
    return all_of(output.get());
}

} // namespace lathe
