// SPDX-License-Identifier: MIT
// Each function takes its parameters packed as those of a kernel are, and returns a cudaError_t
// where it returns one. It runs on the stack of the thread that calls it, which is small.
#include "gpu/soft/drv/device_runtime.h"

#include "gpu/soft/drv/device.h"
#include "gpu/soft/drv/launch.h"
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/registry.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <map>

namespace lathe::soft {

namespace {

/// The numbers of cudaError_t that these functions return; they are those of CUresult mostly.
enum Error : std::int32_t {
    success = 0,
    invalid_value = 1,
    memory_allocation = 2,
    invalid_configuration = 9,
    invalid_device_function = 98,
    invalid_resource_handle = 400,
};

/// Packed parameters, read one after another.
class Parameters {
public:
    explicit Parameters(const std::uint8_t* bytes) : bytes_{bytes} {}
    template <class T> T take(std::size_t alignment = alignof(T)) {
        place_ = (place_ + alignment - 1) / alignment * alignment;
        T value;
        std::memcpy(&value, bytes_ + place_, sizeof value);
        place_ += sizeof value;
        return value;
    }

private:
    const std::uint8_t* bytes_;
    std::size_t place_ = 0;
};

using Triple = std::array<std::uint32_t, 3>;

Launch& launch_of(ThreadContext* t) { return t->block->runner->launch(); }

/// Errors that threads have not asked for yet, by the thread's number in its grid.
struct LastErrors {
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int32_t> of; ///< by grid and thread
};
LastErrors& last_errors() {
    static auto* const errors = new LastErrors;
    return *errors;
}
std::uint64_t block_number(const ThreadContext* t) {
    return t->ctaid[0] +
           std::uint64_t{t->nctaid[0]} * (t->ctaid[1] + std::uint64_t{t->nctaid[1]} * t->ctaid[2]);
}
std::pair<std::uint64_t, std::uint64_t> key_of(const ThreadContext* t) {
    return {t->gridid, block_number(t) * kMaxThreads + t->linear_tid};
}
std::int32_t error_of(const ThreadContext* t, bool clears) {
    LastErrors& errors = last_errors();
    std::lock_guard lock{errors.mutex};
    const auto found = errors.of.find(key_of(t));
    if (found == errors.of.end()) return success;
    const std::int32_t error = found->second;
    if (clears) errors.of.erase(found);
    return error;
}

void give(ThreadContext* t, std::uint8_t* returns, std::int32_t error) {
    if (error != success) {
        LastErrors& errors = last_errors();
        std::lock_guard lock{errors.mutex};
        errors.of[key_of(t)] = error;
    }
    std::memcpy(returns, &error, sizeof error);
}

/// Writes a result through a pointer of the kernel's.
template <class T> std::int32_t write(std::uint64_t to, const T& value) {
    return guarded_copy(reinterpret_cast<void*>(to), &value, sizeof value) ? success
                                                                           : invalid_value;
}

/// The stream of a handle; 0, 1 and 2 are the block's own. Null where it is none.
std::optional<DeviceWork::Stream> stream_of(ThreadContext* t, std::uint64_t handle) {
    using Kind = DeviceWork::Stream::Kind;
    if (handle <= 2) return DeviceWork::Stream{Kind::of_block, block_number(t)};
    if (handle == 3) return DeviceWork::Stream{Kind::tail};
    if (handle == 4) return DeviceWork::Stream{Kind::none};
    if (launch_of(t).device_work().knows_stream(handle))
        return DeviceWork::Stream{Kind::named, handle};
    return std::nullopt;
}

// --- launches ------------------------------------------------------------------------------------

void get_parameter_buffer(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto* kernel = reinterpret_cast<const DeviceKernel*>(p.take<std::uint64_t>());
    const auto grid = p.take<Triple>(), block = p.take<Triple>();
    DeviceWork::Request request{.kernel = kernel, .shared_bytes = p.take<std::uint32_t>()};
    std::copy_n(grid.begin(), 3, request.grid);
    std::copy_n(block.begin(), 3, request.block);
    std::uint8_t* place = nullptr;
    for (const KernelInfo& info : kernel->module->code()->kernels())
        if (info.name == kernel->name)
            place = launch_of(t).device_work().parameters(request, info.param_bytes);
    std::memcpy(returns, &place, sizeof place);
}

std::shared_ptr<Launch> grid_of(const Launch& parent, DeviceKernel& kernel,
                                const DeviceWork::Request& request, std::uint8_t* place) {
    Context& context = const_cast<Context&>(*kernel.module->context);
    LaunchArguments arguments{};
    std::copy_n(request.grid, 3, arguments.grid);
    std::copy_n(request.block, 3, arguments.block);
    arguments.shared_bytes = request.shared_bytes;
    Function* const function = kernel.module->function(kernel.name);
    std::size_t bytes = function->info->param_bytes;
    void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, place, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                      CU_LAUNCH_PARAM_END};
    arguments.extra = packed;
    auto made = make_grid(context, *function, arguments, *context.legacy_stream());
    made->stack_bytes = std::max(made->stack_bytes, parent.stack_bytes);
    return made;
}

std::int32_t launch(ThreadContext* t, std::uint8_t* place, std::uint64_t stream_handle) {
    Launch& parent = launch_of(t);
    const auto request = parent.device_work().take_request(place);
    if (!request) return invalid_value;
    const auto stream = stream_of(t, stream_handle);
    if (!stream) return invalid_resource_handle;
    auto& kernel = *static_cast<DeviceKernel*>(const_cast<void*>(request->kernel));
    const Triple block{request->block[0], request->block[1], request->block[2]};
    const auto make = [&] { return grid_of(parent, kernel, *request, place); };
    std::lock_guard lock{kernel.mutex};
    std::shared_ptr<Launch> grid;
    try { // the compiler needs a larger stack than this one
        grid = kernel.blocks.contains(block) ? make() : std::async(std::launch::async, make).get();
    } catch (const Failure& failure) {
        return failure.code == CUDA_ERROR_OUT_OF_MEMORY ? memory_allocation : invalid_configuration;
    } catch (const std::exception&) { return invalid_device_function; }
    kernel.blocks.insert(block);
    parent.device_work().add(*stream, {.grid = std::move(grid)});
    return success;
}

void launch_device(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    auto* const place = reinterpret_cast<std::uint8_t*>(p.take<std::uint64_t>());
    give(t, returns, launch(t, place, p.take<std::uint64_t>()));
}

// --- streams and events --------------------------------------------------------------------------

void stream_create(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const bool fits = p.take<std::uint32_t>() == CU_STREAM_NON_BLOCKING; // no other one is allowed
    give(t, returns, fits ? write(to, launch_of(t).device_work().make_stream()) : invalid_value);
}

void stream_destroy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const auto handle = Parameters{params}.take<std::uint64_t>();
    const bool known = launch_of(t).device_work().knows_stream(handle);
    give(t, returns, known ? success : invalid_resource_handle); // its work goes on
}

void stream_wait_event(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    const auto event = p.take<std::uint64_t>();
    const bool done = stream && launch_of(t).device_work().wait(*stream, event);
    give(t, returns, done ? success : invalid_resource_handle);
}

void event_create(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const bool fits = p.take<std::uint32_t>() == CU_EVENT_DISABLE_TIMING;
    give(t, returns, fits ? write(to, launch_of(t).device_work().make_event()) : invalid_value);
}

void event_record(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto event = p.take<std::uint64_t>();
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    const bool done = stream && launch_of(t).device_work().record(event, *stream);
    give(t, returns, done ? success : invalid_resource_handle);
}

void event_destroy(ThreadContext* t, const std::uint8_t*, std::uint8_t* returns) {
    give(t, returns, success); // who waits for it goes on waiting
}

// --- memory --------------------------------------------------------------------------------------

void copy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>(), from = p.take<std::uint64_t>();
    const auto bytes = p.take<std::uint64_t>();
    const auto kind = p.take<std::uint32_t>();
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    const auto& known = Registry::instance();
    if (!stream) return give(t, returns, invalid_resource_handle);
    if (kind > 4 || (bytes && !(known.covers(to, bytes) && known.covers(from, bytes))))
        return give(t, returns, invalid_value);
    launch_of(t).device_work().add(*stream, {.action = [=] {
        return guarded_copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_ILLEGAL_ADDRESS;
    }});
    give(t, returns, success);
}

void fill(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto value = p.take<std::uint32_t>();
    const auto bytes = p.take<std::uint64_t>();
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    if (!stream) return give(t, returns, invalid_resource_handle);
    if (bytes && !Registry::instance().covers(to, bytes)) return give(t, returns, invalid_value);
    launch_of(t).device_work().add(*stream, {.action = [=] {
        return guarded_fill(reinterpret_cast<void*>(to), value, 1, bytes)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_ILLEGAL_ADDRESS;
    }});
    give(t, returns, success);
}

void allocate_memory(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    void* const made = lathe_rt_malloc(t, p.take<std::uint64_t>());
    give(t, returns, made ? write(to, made) : memory_allocation);
}

void free_memory(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    lathe_rt_free(t, reinterpret_cast<void*>(Parameters{params}.take<std::uint64_t>()));
    give(t, returns, success);
}

// --- queries -------------------------------------------------------------------------------------

void get_last_error(ThreadContext* t, const std::uint8_t*, std::uint8_t* returns) {
    const std::int32_t error = error_of(t, true);
    std::memcpy(returns, &error, sizeof error);
}

void peek_at_last_error(ThreadContext* t, const std::uint8_t*, std::uint8_t* returns) {
    const std::int32_t error = error_of(t, false);
    std::memcpy(returns, &error, sizeof error);
}

/// A text in memory that kernels may read; it stays.
const char* readable(const char* text) {
    static auto* const mutex = new std::mutex;
    static auto* const known = new std::map<std::string, const char*>;
    std::lock_guard lock{*mutex};
    auto& place = (*known)[text];
    if (place) return place;
    const std::size_t bytes = std::strlen(text) + 1;
    auto* const made = static_cast<char*>(Arena::instance().allocate(bytes));
    if (!made) return nullptr;
    std::memcpy(made, text, bytes);
    Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(made),
                              .bytes = bytes,
                              .kind = Allocation::Kind::launch});
    return place = made;
}

template <CUresult (*text_of)(CUresult, const char**)>
void error_text(ThreadContext*, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    const char* text = nullptr;
    const auto error = static_cast<CUresult>(Parameters{params}.take<std::int32_t>());
    if (text_of(error, &text) != CUDA_SUCCESS || !text) text = "unrecognized error code";
    const char* const place = readable(text);
    std::memcpy(returns, &place, sizeof place);
}

void get_device(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    give(t, returns, write(Parameters{params}.take<std::uint64_t>(), std::int32_t{0}));
}

void get_device_count(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    give(t, returns, write(Parameters{params}.take<std::uint64_t>(), std::int32_t{1}));
}

void get_version(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    give(t, returns,
         write(Parameters{params}.take<std::uint64_t>(), std::int32_t{driver_version()}));
}

void get_attribute(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto attribute = static_cast<CUdevice_attribute>(p.take<std::int32_t>());
    std::int32_t value = 0;
    const bool known = p.take<std::int32_t>() == 0 && device_attribute(attribute, value);
    give(t, returns, known ? write(to, value) : invalid_value);
}

void get_limit(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto limit = static_cast<CUlimit>(p.take<std::int32_t>());
    const auto context = Objects<Context>::instance().all();
    if (context.empty() || !context.front()->limits.contains(limit))
        return give(t, returns, invalid_value);
    give(t, returns, write(to, std::uint64_t{context.front()->limits.at(limit)}));
}

void get_occupancy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto* kernel = reinterpret_cast<const DeviceKernel*>(p.take<std::uint64_t>());
    const auto threads = p.take<std::int32_t>();
    const auto shared = p.take<std::uint64_t>();
    Function* const function = kernel->module->function(kernel->name);
    give(t, returns,
         write(to, static_cast<std::int32_t>(resident_blocks(*function, threads, shared))));
}

} // namespace

DeviceFunction device_runtime_function(std::string_view name) {
    static const std::map<std::string_view, DeviceFunction> functions{
        {"GetParameterBufferV2", get_parameter_buffer},
        {"LaunchDeviceV2", launch_device},
        {"LaunchDeviceV2_ptsz", launch_device},
        {"StreamCreateWithFlags", stream_create},
        {"StreamDestroy", stream_destroy},
        {"StreamWaitEvent", stream_wait_event},
        {"StreamWaitEvent_ptsz", stream_wait_event},
        {"EventCreateWithFlags", event_create},
        {"EventRecord", event_record},
        {"EventRecord_ptsz", event_record},
        {"EventRecordWithFlags", event_record},
        {"EventDestroy", event_destroy},
        {"MemcpyAsync", copy},
        {"MemcpyAsync_ptsz", copy},
        {"MemsetAsync", fill},
        {"MemsetAsync_ptsz", fill},
        {"Malloc", allocate_memory},
        {"Free", free_memory},
        {"GetLastError", get_last_error},
        {"PeekAtLastError", peek_at_last_error},
        {"GetErrorString", error_text<cuGetErrorString>},
        {"GetErrorName", error_text<cuGetErrorName>},
        {"GetDevice", get_device},
        {"GetDeviceCount", get_device_count},
        {"RuntimeGetVersion", get_version},
        {"DeviceGetAttribute", get_attribute},
        {"DeviceGetLimit", get_limit},
        {"OccupancyMaxActiveBlocksPerMultiprocessor", get_occupancy},
        {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", get_occupancy},
    };
    constexpr std::string_view prefix = "__cudaCDP2";
    if (!name.starts_with(prefix)) return nullptr;
    const auto found = functions.find(name.substr(prefix.size()));
    return found == functions.end() ? nullptr : found->second;
}

} // namespace lathe::soft
