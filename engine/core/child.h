// SPDX-License-Identifier: MIT
// What all that starts programs does. Private to engine/core.
#pragma once

#include "engine/core/error.h"

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lathe {

/// The child's three standard files; a file that is -1 is /dev/null.
struct ChildFiles {
    int input = -1, output = -1, errors = -1;
};

/// Starts `arguments[0]`, a path or a name on PATH. In a group of its own Ctrl+C in the terminal
/// does not reach it. Throws lathe::Error where it cannot be started.
pid_t start_child(const std::vector<std::string>& arguments, const ChildFiles& files,
                  bool in_own_group);

/// Waits for the child's end; its status as of waitpid.
int status_at_end_of(pid_t child);

/// Of a child that ended with another status than 0; `errors`, which may be null, has its last
/// words.
Error failure_of(const std::string& program, int status, std::FILE* errors);

std::string all_of(std::FILE* file);

/// A child may end early, and a write to it then would end us, too: while this lives, SIGPIPE does
/// not reach the calling thread. What the program does with it is not changed.
class WithoutSigpipe {
public:
    WithoutSigpipe();
    ~WithoutSigpipe();
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

private:
    sigset_t pipe_{}, before_{};
    bool was_pending_ = false;
};

} // namespace lathe
