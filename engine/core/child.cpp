// SPDX-License-Identifier: MIT
#include "engine/core/child.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace lathe {

pid_t start_child(const std::vector<std::string>& arguments, const ChildFiles& files,
                  bool in_own_group) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const auto give = [&](int file, int as, int how) {
        if (file < 0) posix_spawn_file_actions_addopen(&actions, as, "/dev/null", how, 0);
        else posix_spawn_file_actions_adddup2(&actions, file, as);
    };
    give(files.input, STDIN_FILENO, O_RDONLY);
    give(files.output, STDOUT_FILENO, O_WRONLY);
    give(files.errors, STDERR_FILENO, O_WRONLY);
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (in_own_group) {
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    }
    pid_t child = -1;
    const int failed = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        throw Error{fmt::format("cannot start {}: {}", arguments[0], std::strerror(failed))};
    return child;
}

int status_at_end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

std::string all_of(std::FILE* file) {
    std::string text;
    char bytes[4096];
    std::rewind(file);
    while (const std::size_t n = std::fread(bytes, 1, sizeof bytes, file)) text.append(bytes, n);
    return text;
}

Error failure_of(const std::string& program, int status, std::FILE* errors) {
    std::string said = errors ? all_of(errors) : std::string{};
    while (said.ends_with('\n')) said.pop_back();
    if (said.size() > 2000) said.erase(0, said.size() - 2000);
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                : fmt::format("failed (exit code {})", WEXITSTATUS(status));
    return Error{fmt::format("{} {}{}{}", program, how, said.empty() ? "" : ": ", said)};
}

WithoutSigpipe::WithoutSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE);
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
}

WithoutSigpipe::~WithoutSigpipe() {
    const int kept = errno;
    const timespec now{};
    if (!was_pending_)
        while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
}

} // namespace lathe
