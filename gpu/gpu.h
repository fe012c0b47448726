// SPDX-License-Identifier: MIT
// Forward declarations of gpu/: wrappers over the CUDA driver API, one header a noun.
//   device context stream event · memory cuda_array texture graphics_resource · compiler
//   compile_cache module launch · status (for `lathe doctor`)
#pragma once

namespace lathe::gpu {

class Context;
class CudaArray;
class CurrentContext;
class Device;
class DeviceBuffer;
class Error;
class Event;
class GraphicsMapping;
class GraphicsResource;
class Kernel;
class Module;
class PinnedBuffer;
class Stream;
class StreamView;
class SurfaceObject;
class TextureObject;
struct CompileRequest;
struct CompileResult;
struct Dim3;
struct LaunchConfig;
template <class T> class DeviceSpan;

} // namespace lathe::gpu
