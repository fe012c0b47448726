// SPDX-License-Identifier: MIT
// What the software CUDA device offers beyond the CUDA driver API. C functions exported by
// liblathe_soft.so, to be looked up by name in the opened driver library: where a name is missing,
// the device is another one.
//
// Faults: a launch that fails ends with a driver error code as on a GPU, reported once by the next
// synchronising call on its stream (or on its context), and the device stays usable. On a GPU such
// an error is sticky and the context is lost. Commands queued behind the failed one still run.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The last launch that failed in this process. Strings are zero-terminated, cut where too long.
typedef struct LatheSoftFault {
    int code; ///< CUresult: 700 illegal address, 702 cancelled, 710 assert, 719 trap, ...
    char kernel[256];
    uint32_t block[3];
    uint32_t thread[3];
    char file[1024];    ///< empty where the PTX has no line information
    uint32_t line;      ///< 0 where unknown
    uint32_t column;    ///< 0 where unknown
    uint64_t address;   ///< touched address of a memory fault, else 0
    char message[1024]; ///< one sentence, without the place
} LatheSoftFault;

/// Copies the last fault. Returns how many launches have failed so far; 0 leaves *fault untouched.
/// Thread-safe.
uint64_t latheSoftGetLastFault(LatheSoftFault* fault);

/// "Lathe software CUDA device 0.1.0 (LLVM 19.1.7, 2 workers)". Lives as long as the library.
const char* latheSoftGetVersionString(void);

/// Why the calling thread's last driver call failed, in words; empty where it did not, or where
/// the code says all there is. Valid until the thread's next driver call.
const char* latheSoftGetLastErrorText(void);

/// Receives the text of device printf instead of standard output. Called at synchronising calls,
/// on the thread that makes them, never by two threads at once. It must not call the driver.
typedef void (*LatheSoftPrintf)(const char* text, size_t bytes, void* user);
/// Sets the receiver; null gives back standard output. Text already printed goes to the old one.
void latheSoftSetPrintfCallback(LatheSoftPrintf callback, void* user);

/// Ends the grids of a stream that run or wait (null: all streams of the current context), and its
/// waits for values in memory; they fail with CUDA_ERROR_LAUNCH_TIMEOUT. Returns at once with a CUresult: 0, or
/// CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_HANDLE. A grid notices at its next loop back edge
/// or block.
int latheSoftCancel(void* stream);

/// The longest time that a grid launched on the stream from now on may run, counted from its first
/// block; a longer one ends as a cancelled one does. 0: no limit, as at first. For every stream
/// LATHE_SOFT_TIMEOUT_MS in the environment wins over it, 0 there too. Returns as latheSoftCancel.
int latheSoftSetTimeLimit(void* stream, uint64_t milliseconds);

/// Waits for a stream's commands, but not longer than so many nanoseconds. Returns a CUresult: 0,
/// CUDA_ERROR_NOT_READY where some are not done then, CUDA_ERROR_INVALID_CONTEXT or
/// CUDA_ERROR_INVALID_HANDLE. Errors of commands and printf are left to synchronising calls.
int latheSoftStreamWait(void* stream, uint64_t nanoseconds);

/// Bytes that OpenGL interop had to copy because the GL gives no pointer to its storage. Buffers
/// with persistent mappings add nothing; textures add their size at map and unmap.
uint64_t latheSoftInteropBytesCopied(void);

#ifdef __cplusplus
}
#endif
