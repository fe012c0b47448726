// SPDX-License-Identifier: MIT
// This process and its children: the end of the process, and a pipe to a program.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lathe {

/// True once exit handlers run: destructors then leave driver and GL objects to the system,
/// because the libraries beneath them may be gone.
LATHE_API bool process_is_exiting() noexcept;

/// The program itself is done, as Python says before it takes objects apart, in any order: another
/// library's context may be gone before what lies in it, and that is no mistake then.
LATHE_API void note_end_of_program() noexcept;
LATHE_API bool program_is_at_end() noexcept;
/// Starts watching for the process's end; called when a driver library is opened.
LATHE_API void watch_process_exit();

/// Lets the C library keep what is given back to it, up to 256 MiB, for later allocations: a
/// compile takes and gives back tens of MiB, whose pages the system would else fault in anew each
/// time. Counts for the whole process, so a program of ours asks for it, and no library function
/// does.
LATHE_API void keep_freed_memory();

/// Gives the system all whole pages that the C library keeps free, in some milliseconds. Blocks
/// that live long lie between those that a compile gives back, so that pages would stay that nobody
/// uses.
LATHE_API void return_freed_memory();

/// Where `program` is on PATH; empty where it is not.
LATHE_API std::filesystem::path find_program(const std::string& program);
/// True where `program` is found on PATH.
LATHE_API bool program_exists(const std::string& program);

/// Runs `arguments[0]`, a path or a name on PATH, to its end, and returns what it wrote to its
/// standard output. Throws lathe::Error where it cannot be started, or with its last words where it
/// fails.
LATHE_API std::string output_of(const std::vector<std::string>& arguments);

/// A child that reads what we write to its standard input (an encoder).
class LATHE_API PipeTo {
public:
    /// Starts `arguments[0]` from PATH in a process group of its own, with its standard output
    /// dropped and its standard error kept for error messages. Throws lathe::Error where it cannot
    /// be started.
    explicit PipeTo(const std::vector<std::string>& arguments);
    PipeTo(const PipeTo&) = delete;
    PipeTo& operator=(const PipeTo&) = delete;
    ~PipeTo();

    /// Writes all bytes, waiting while the child is busy. Throws lathe::Error where it has ended.
    void write(std::span<const std::byte> bytes);
    /// Closes the pipe and waits. Throws lathe::Error with the child's last words where it failed.
    void finish();

private:
    std::string program_;
    int input_ = -1;
    int pid_ = -1;
    std::FILE* errors_ = nullptr;
};

} // namespace lathe
