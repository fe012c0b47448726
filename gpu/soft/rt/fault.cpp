// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/fault.h"

#include "gpu/soft/rt/block.h"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace lathe::soft {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction g_previous[NSIG];
// Volatile: the handler reads it, which the compiler cannot see.
thread_local sigjmp_buf* volatile t_guard __attribute__((tls_model("initial-exec"))) = nullptr;

void chain(int signal, siginfo_t* info, void* context) {
    const struct sigaction& previous = g_previous[signal];
    if (previous.sa_flags & SA_SIGINFO) {
        if (previous.sa_sigaction) previous.sa_sigaction(signal, info, context);
        return;
    }
    if (previous.sa_handler == SIG_IGN) return;
    if (previous.sa_handler == SIG_DFL) {
        // The instruction is run again without a handler: the process ends as it would have.
        std::signal(signal, SIG_DFL);
        if (info->si_code <= 0) raise(signal);
        return;
    }
    previous.sa_handler(signal);
}

// Before the handler is left by a jump. It is installed so that nothing gets blocked, but who wraps
// handlers (ThreadSanitizer does) may block every signal while one runs.
void restore_mask(const ucontext_t& interrupted) {
    pthread_sigmask(SIG_SETMASK, &interrupted.uc_sigmask, nullptr);
}

void on_signal(int signal, siginfo_t* info, void* context) {
    const auto& interrupted = *static_cast<ucontext_t*>(context);
    const auto& registers = interrupted.uc_mcontext.gregs;
    auto sp = static_cast<std::uintptr_t>(registers[REG_RSP]);
    if (info->si_code > 0) { // sent by the processor, not by kill()
        if (BlockRunner* runner = current_runner(); runner && runner->owns_stack(sp)) {
            Fault fault;
            fault.signal = signal;
            fault.pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
            fault.sp = sp;
            fault.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
            fault.known = info->si_code != SI_KERNEL;
            fault.is_write = (registers[REG_ERR] & 2) != 0;
            restore_mask(interrupted);
            runner->leave_with(fault);
        }
        if (t_guard && (signal == SIGSEGV || signal == SIGBUS)) {
            restore_mask(interrupted);
            siglongjmp(*t_guard, 1);
        }
    }
    chain(signal, info, context);
}

// Runs f with faults turned into false. Not nested.
template <class F> bool guarded(F&& f) {
    sigjmp_buf here;
    if (sigsetjmp(here, 0) != 0) {
        t_guard = nullptr;
        return false;
    }
    t_guard = &here;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    f();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t_guard = nullptr;
    return true;
}

} // namespace

void install_fault_handler() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        for (int signal : kSignals) sigaction(signal, &action, &g_previous[signal]);
    });
}

void install_signal_stack() {
    constexpr std::size_t bytes = std::size_t{64} << 10;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return;
    stack_t stack{};
    stack.ss_sp = p;
    stack.ss_size = bytes;
    sigaltstack(&stack, nullptr);
}

bool run_guarded(void (*f)(void*), void* argument) {
    return guarded([&] { f(argument); });
}

bool guarded_copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return true; // of nothing, perhaps from null
    return guarded([&] { std::memmove(to, from, bytes); });
}

bool guarded_fill(void* to, unsigned value, std::size_t element_bytes, std::size_t count) {
    return guarded([&] {
        switch (element_bytes) {
        case 1: std::memset(to, static_cast<int>(value & 0xff), count); break;
        case 2:
            std::fill_n(static_cast<std::uint16_t*>(to), count, static_cast<std::uint16_t>(value));
            break;
        default: std::fill_n(static_cast<std::uint32_t*>(to), count, value); break;
        }
    });
}

} // namespace lathe::soft
