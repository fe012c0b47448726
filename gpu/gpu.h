// SPDX-License-Identifier: MIT
// Forward declarations of gpu/: wrappers over the CUDA driver API, one header a noun.
//   device context stream event · memory memory_pool registered_memory managed_memory pointer ipc
//   cuda_array mipmapped_array box_copy texture graphics_resource graphics_context · compiler
//   compile_cache module linker launch graph · status (for `lathe doctor`)
#pragma once

namespace lathe::gpu {

class Context;
class CudaArray;
class CurrentContext;
class Device;
class DeviceBuffer;
class Error;
class Event;
class Graph;
class GraphExec;
class GraphicsMapping;
class GraphicsResource;
class IpcMemory;
class Kernel;
class Linker;
class MipmappedArray;
class Module;
class PinnedBuffer;
class RegisteredMemory;
class Stream;
class StreamCapture;
class StreamView;
class SurfaceObject;
class TextureObject;
struct CompileRequest;
struct CompileResult;
struct Dim3;
struct LaunchConfig;
template <class T> class DeviceSpan;
template <class Memory> class MemoryPool;
template <class Memory> class PooledMemory;

} // namespace lathe::gpu
