// SPDX-License-Identifier: MIT
#include "gpu/libraries/cufft.h"

#include "gpu/array/stream_uses.h"
#include "gpu/libraries/cufft_abi.h"
#include "gpu/libraries/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <string_view>

namespace lathe::gpu {
namespace {

struct CufftApi {
    Library library;
    cufft_abi::Create* create = nullptr;
    cufft_abi::Destroy* destroy = nullptr;
    cufft_abi::SetAutoAllocation* set_auto_allocation = nullptr;
    cufft_abi::MakePlanMany64* make_plan_many = nullptr;
    cufft_abi::SetWorkArea* set_work_area = nullptr;
    cufft_abi::SetStream* set_stream = nullptr;
    cufft_abi::ExecuteComplex *c2c = nullptr, *z2z = nullptr;
    cufft_abi::ExecuteReal *r2c = nullptr, *d2z = nullptr, *c2r = nullptr, *z2d = nullptr;
};

CufftApi open_cufft() {
    CufftApi api{.library = Library{
                     CudaLibraryName{"cuFFT", "libcufft.so", {12, 11}, "cufft", "LATHE_CUFFT"}}};
    api.library.find(api.create, "cufftCreate");
    api.library.find(api.destroy, "cufftDestroy");
    api.library.find(api.set_auto_allocation, "cufftSetAutoAllocation");
    api.library.find(api.make_plan_many, "cufftMakePlanMany64");
    api.library.find(api.set_work_area, "cufftSetWorkArea");
    api.library.find(api.set_stream, "cufftSetStream");
    api.library.find(api.c2c, "cufftExecC2C");
    api.library.find(api.z2z, "cufftExecZ2Z");
    api.library.find(api.r2c, "cufftExecR2C");
    api.library.find(api.d2z, "cufftExecD2Z");
    api.library.find(api.c2r, "cufftExecC2R");
    api.library.find(api.z2d, "cufftExecZ2D");
    return api;
}

const CufftApi& cufft() {
    static const CufftApi& api = *new CufftApi{open_cufft()}; // kept for good
    return api;
}

std::string_view name_of_status(cufft_abi::Status status) {
    static constexpr std::array<std::string_view, 21> kNames{
        "CUFFT_SUCCESS",
        "CUFFT_INVALID_PLAN",
        "CUFFT_ALLOC_FAILED",
        "CUFFT_INVALID_TYPE",
        "CUFFT_INVALID_VALUE",
        "CUFFT_INTERNAL_ERROR",
        "CUFFT_EXEC_FAILED",
        "CUFFT_SETUP_FAILED",
        "CUFFT_INVALID_SIZE",
        "CUFFT_UNALIGNED_DATA",
        "CUFFT_INCOMPLETE_PARAMETER_LIST",
        "CUFFT_INVALID_DEVICE",
        "CUFFT_PARSE_ERROR",
        "CUFFT_NO_WORKSPACE",
        "CUFFT_NOT_IMPLEMENTED",
        "CUFFT_LICENSE_ERROR",
        "CUFFT_NOT_SUPPORTED",
        "CUFFT_MISSING_DEPENDENCY",
        "CUFFT_NVRTC_FAILURE",
        "CUFFT_NVJITLINK_FAILURE",
        "CUFFT_NVSHMEM_FAILURE",
    };
    const auto index = static_cast<std::size_t>(status);
    return index < kNames.size() ? kNames[index] : "an unknown status";
}

int type_of(DType in, DType out) {
    if (in == DType::complex64 && out == DType::complex64) return cufft_abi::kC2C;
    if (in == DType::complex128 && out == DType::complex128) return cufft_abi::kZ2Z;
    if (in == DType::float32 && out == DType::complex64) return cufft_abi::kR2C;
    if (in == DType::float64 && out == DType::complex128) return cufft_abi::kD2Z;
    if (in == DType::complex64 && out == DType::float32) return cufft_abi::kC2R;
    if (in == DType::complex128 && out == DType::float64) return cufft_abi::kZ2D;
    throw TypeError{
        fmt::format("no Fourier transform goes from {} to {}", name_of(in), name_of(out))};
}

struct Key {
    Context context;
    CUstream stream;
    int type;
    std::vector<std::int64_t> sizes;
    std::int64_t in_stride, in_distance, out_stride, out_distance, count;
    bool operator==(const Key&) const = default;
};

std::string text_of(const Key& key) {
    return fmt::format("{} transforms of {} elements, type {:#x}, strides {} and {}, distances {} "
                       "and {}",
                       key.count, fmt::join(key.sizes, " x "), key.type, key.in_stride,
                       key.out_stride, key.in_distance, key.out_distance);
}

void check(cufft_abi::Status status, std::string_view routine, const Key& key) {
    if (status == 0) [[likely]]
        return;
    throw LibraryError{
        fmt::format("{} failed: {} - {}", routine, name_of_status(status), text_of(key))};
}

struct Plan {
    Key key;
    cufft_abi::Plan handle = -1;
    std::size_t work_bytes = 0;
};

void make(Plan& plan) {
    const Key& key = plan.key;
    check(cufft().create(&plan.handle), "cufftCreate", key);
    const std::size_t last = key.sizes.size() - 1;
    std::array<long long, 3> sizes{}, in_embed{}, out_embed{};
    for (std::size_t k = 0; k <= last; ++k) sizes[k] = in_embed[k] = out_embed[k] = key.sizes[k];
    if (key.type == cufft_abi::kR2C || key.type == cufft_abi::kD2Z)
        out_embed[last] = sizes[last] / 2 + 1;
    if (key.type == cufft_abi::kC2R || key.type == cufft_abi::kZ2D)
        in_embed[last] = sizes[last] / 2 + 1;
    try {
        check(cufft().set_auto_allocation(plan.handle, 0), "cufftSetAutoAllocation", key);
        check(cufft().make_plan_many(plan.handle, static_cast<int>(key.sizes.size()), sizes.data(),
                                     in_embed.data(), key.in_stride, key.in_distance,
                                     out_embed.data(), key.out_stride, key.out_distance, key.type,
                                     key.count, &plan.work_bytes),
              "cufftMakePlanMany64", key);
    } catch (...) {
        cufft().destroy(plan.handle);
        throw;
    }
}

/// Plans by how lately they were used. A plan has one stream and one work area at a time: whoever
/// uses one holds the lock, and only for as long as it takes to issue the work.
struct Plans {
    std::mutex mutex;
    std::list<Plan> list; // guarded by mutex

    Plan& find(const Key& key) {
        for (auto each = list.begin(); each != list.end(); ++each)
            if (each->key == key) {
                list.splice(list.begin(), list, each);
                return list.front();
            }
        while (list.size() >= kMostFftPlans) {
            // Of another context, or one that is gone: its memory goes with the context.
            if (list.back().key.context == key.context) cufft().destroy(list.back().handle);
            list.pop_back();
        }
        Plan made{key};
        make(made);
        list.push_front(std::move(made));
        return list.front();
    }
};

Plans& plans() {
    static Plans& all = *new Plans; // kept for good
    return all;
}

cufft_abi::Status execute(const Plan& plan, CUdeviceptr in, CUdeviceptr out, bool is_inverse) {
    const CufftApi& api = cufft();
    void* const from = reinterpret_cast<void*>(in);
    void* const to = reinterpret_cast<void*>(out);
    const int direction = is_inverse ? cufft_abi::kInverse : cufft_abi::kForward;
    switch (plan.key.type) {
    case cufft_abi::kC2C: return api.c2c(plan.handle, from, to, direction);
    case cufft_abi::kZ2Z: return api.z2z(plan.handle, from, to, direction);
    case cufft_abi::kR2C: return api.r2c(plan.handle, from, to);
    case cufft_abi::kD2Z: return api.d2z(plan.handle, from, to);
    case cufft_abi::kC2R: return api.c2r(plan.handle, from, to);
    default: return api.z2d(plan.handle, from, to);
    }
}

} // namespace

void run_fft(const Fft& fft, const Array& in, Array& out, StreamView stream) {
    const int type = type_of(in.dtype("fft"), out.dtype("fft"));
    check_device(in, "fft");
    check_device(out, "fft");
    if (fft.sizes.empty() || fft.sizes.size() > 3)
        throw lathe::Error{
            fmt::format("cuFFT transforms 1 to 3 axes at once, got {}", fft.sizes.size())};
    if (fft.count == 0) return;
    const Context context = Context::ensure_current();
    cufft();
    StreamUses uses{stream};
    Plans& all = plans();
    const std::lock_guard lock{all.mutex};
    Plan& plan = all.find({context, stream.get(), type, fft.sizes, fft.in_stride, fft.in_distance,
                           fft.out_stride, fft.out_distance, fft.count});
    check(cufft().set_stream(plan.handle, stream.get()), "cufftSetStream", plan.key);
    // Also where none is needed: a plan without one of its own may not be executed otherwise.
    const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(plan.work_bytes, 1));
    const Array& work = uses.empty(DType::uint8, {bytes});
    check(cufft().set_work_area(plan.handle, reinterpret_cast<void*>(work.address())),
          "cufftSetWorkArea", plan.key);
    check(execute(plan, in.address(), out.address(), fft.is_inverse), "cufftExec", plan.key);
}

std::size_t fft_plan_count() {
    const std::lock_guard lock{plans().mutex};
    return plans().list.size();
}

} // namespace lathe::gpu
