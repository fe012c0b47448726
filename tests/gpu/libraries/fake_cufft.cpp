// SPDX-License-Identifier: MIT
// A cuFFT for tests: the sums of the definition, on memory of the software device, which is the
// host's. It refuses what cuFFT would, and spoils what cuFFT may: the input of complex to real, the
// work area, results whose input breaks cuFFT's rules. Stands alone: c++ -shared -fPIC.
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace {

using Complex = std::complex<double>;
enum Status {
    kSuccess = 0,
    kInvalidPlan = 1,
    kInvalidType = 3,
    kInvalidValue = 4,
    kExecFailed = 6,
    kInvalidSize = 8,
    kUnaligned = 9,
    kNoWorkspace = 13
};
enum Type { kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kD2Z = 0x6a, kZ2D = 0x6c, kZ2Z = 0x69 };

struct Layout {
    std::vector<long long> embed;
    long long stride = 0, distance = 0;

    long long offset(long long transform, const std::vector<long long>& index) const {
        long long at = index[0];
        for (std::size_t k = 1; k < index.size(); ++k) at = at * embed[k] + index[k];
        return transform * distance + at * stride;
    }
};

struct Plan {
    bool made = false, own_memory = true, has_stream = false;
    std::vector<long long> sizes;
    Layout in, out;
    int type = 0;
    long long count = 0;
    std::size_t work_bytes = 0;
    void* work = nullptr;
    void* stream = nullptr;
};

std::map<int, Plan> plans;
int next_plan = 1;

int find_driver(dl_phdr_info* info, std::size_t, void* found) {
    if (!std::strstr(info->dlpi_name, "liblathe_soft")) return 0;
    *static_cast<const char**>(found) = info->dlpi_name;
    return 1;
}

/// cuFFT's work comes behind the stream's.
bool wait_for(void* stream) {
    const char* name = nullptr;
    dl_iterate_phdr(find_driver, &name);
    void* const driver = name ? dlopen(name, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!driver) return false;
    const auto wait = reinterpret_cast<int (*)(void*)>(dlsym(driver, "cuStreamSynchronize"));
    return wait && wait(stream) == 0;
}

bool next(std::vector<long long>& index, const std::vector<long long>& sizes) {
    for (std::size_t k = sizes.size(); k-- > 0;) {
        if (++index[k] < sizes[k]) return true;
        index[k] = 0;
    }
    return false;
}

/// Axis by axis, by the definition.
void transform(std::vector<Complex>& values, const std::vector<long long>& sizes, int sign) {
    long long inner = 1;
    for (std::size_t axis = sizes.size(); axis-- > 0; inner *= sizes[axis]) {
        const long long n = sizes[axis];
        std::vector<Complex> made(values.size());
        for (long long at = 0; at < static_cast<long long>(values.size()); ++at) {
            const long long k = at / inner % n, first = at - k * inner;
            for (long long j = 0; j < n; ++j)
                made[at] +=
                    values[first + j * inner] *
                    std::polar(1.0, sign * 2 * std::numbers::pi * double(j * k % n) / double(n));
        }
        values = made;
    }
}

long long count_of(const std::vector<long long>& sizes) {
    long long count = 1;
    for (const long long n : sizes) count *= n;
    return count;
}

bool is_ready(const Plan& plan, const void* in, const void* out, std::size_t align) {
    const auto address = [](const void* p) { return reinterpret_cast<std::size_t>(p); };
    return plan.made && !plan.own_memory && plan.has_stream && plan.work &&
           address(in) % align == 0 && address(out) % align == 0;
}

template <class T> void complex_to_complex(const Plan& plan, void* from, void* to, int sign) {
    const auto* in = static_cast<std::complex<T>*>(from);
    auto* out = static_cast<std::complex<T>*>(to);
    std::vector<Complex> values(count_of(plan.sizes));
    for (long long t = 0; t < plan.count; ++t) {
        std::vector<long long> index(plan.sizes.size());
        std::size_t k = 0;
        do values[k++] = Complex(in[plan.in.offset(t, index)]);
        while (next(index, plan.sizes));
        transform(values, plan.sizes, sign);
        k = 0;
        do out[plan.out.offset(t, index)] = std::complex<T>(values[k++]);
        while (next(index, plan.sizes));
    }
}

template <class T> void real_to_complex(const Plan& plan, void* from, void* to) {
    const auto* in = static_cast<T*>(from);
    auto* out = static_cast<std::complex<T>*>(to);
    std::vector<Complex> values(count_of(plan.sizes));
    const long long half = plan.sizes.back() / 2 + 1;
    for (long long t = 0; t < plan.count; ++t) {
        std::vector<long long> index(plan.sizes.size());
        std::size_t k = 0;
        do values[k++] = in[plan.in.offset(t, index)];
        while (next(index, plan.sizes));
        transform(values, plan.sizes, -1);
        k = 0;
        do {
            if (index.back() < half) out[plan.out.offset(t, index)] = std::complex<T>(values[k]);
            ++k;
        } while (next(index, plan.sizes));
    }
}

/// One axis alone: with several, cuFFT wants symmetries that nobody checks.
template <class T> bool complex_to_real(const Plan& plan, void* from, void* to) {
    if (plan.sizes.size() != 1) return false;
    auto* in = static_cast<std::complex<T>*>(from);
    auto* out = static_cast<T*>(to);
    const long long n = plan.sizes[0];
    std::vector<Complex> values(n);
    for (long long t = 0; t < plan.count; ++t) {
        for (long long k = 0; k <= n / 2; ++k) {
            std::complex<T>& each = in[plan.in.offset(t, {k})];
            values[k] = Complex(each);
            if ((k == 0 || 2 * k == n) && values[k].imag() != 0)
                values[k] = std::numeric_limits<double>::quiet_NaN();
            if (k > 0 && 2 * k != n) values[n - k] = std::conj(values[k]);
            each = std::numeric_limits<T>::quiet_NaN();
        }
        transform(values, plan.sizes, 1);
        for (long long k = 0; k < n; ++k) out[plan.out.offset(t, {k})] = T(values[k].real());
    }
    return true;
}

Plan* plan_of(int handle) {
    const auto found = plans.find(handle);
    return found == plans.end() ? nullptr : &found->second;
}

int begin(int handle, int type, const void* in, const void* out, std::size_t align) {
    Plan* const plan = plan_of(handle);
    if (!plan) return kInvalidPlan;
    if (plan->type != type) return kInvalidType;
    if (reinterpret_cast<std::size_t>(in) % align || reinterpret_cast<std::size_t>(out) % align)
        return kUnaligned;
    if (!plan->work) return kNoWorkspace;
    if (!is_ready(*plan, in, out, align) || !wait_for(plan->stream)) return kExecFailed;
    std::memset(plan->work, 0xff, plan->work_bytes);
    return kSuccess;
}

} // namespace

extern "C" {

int cufftCreate(int* handle) {
    *handle = next_plan++;
    plans[*handle] = Plan{};
    return kSuccess;
}
int cufftDestroy(int handle) { return plans.erase(handle) ? kSuccess : kInvalidPlan; }
int cufftSetAutoAllocation(int handle, int on) {
    Plan* const plan = plan_of(handle);
    if (!plan || plan->made) return kInvalidPlan;
    plan->own_memory = on != 0;
    return kSuccess;
}
int cufftMakePlanMany64(int handle, int rank, long long* sizes, long long* in_embed,
                        long long in_stride, long long in_distance, long long* out_embed,
                        long long out_stride, long long out_distance, int type, long long count,
                        std::size_t* work_bytes) {
    Plan* const plan = plan_of(handle);
    if (!plan || plan->made) return kInvalidPlan;
    if (rank < 1 || rank > 3 || !in_embed || !out_embed || count < 1) return kInvalidValue;
    if (in_stride < 1 || out_stride < 1) return kInvalidValue;
    for (int k = 0; k < rank; ++k)
        if (sizes[k] < 1) return kInvalidSize;
    plan->sizes.assign(sizes, sizes + rank);
    plan->in = {{in_embed, in_embed + rank}, in_stride, in_distance};
    plan->out = {{out_embed, out_embed + rank}, out_stride, out_distance};
    plan->type = type;
    plan->count = count;
    // None for powers of two, as often with cuFFT.
    const long long elements = count_of(plan->sizes);
    plan->work_bytes = (elements & (elements - 1)) == 0 ? 0 : 16 * elements * count;
    plan->made = true;
    *work_bytes = plan->work_bytes;
    return kSuccess;
}
int cufftSetWorkArea(int handle, void* work) {
    Plan* const plan = plan_of(handle);
    if (!plan || !plan->made) return kInvalidPlan;
    plan->work = work;
    return kSuccess;
}
int cufftSetStream(int handle, void* stream) {
    Plan* const plan = plan_of(handle);
    if (!plan) return kInvalidPlan;
    plan->stream = stream;
    plan->has_stream = true;
    return kSuccess;
}

int cufftExecC2C(int handle, void* in, void* out, int sign) {
    const int status = begin(handle, kC2C, in, out, 8);
    if (status == kSuccess) complex_to_complex<float>(*plan_of(handle), in, out, sign);
    return status;
}
int cufftExecZ2Z(int handle, void* in, void* out, int sign) {
    const int status = begin(handle, kZ2Z, in, out, 16);
    if (status == kSuccess) complex_to_complex<double>(*plan_of(handle), in, out, sign);
    return status;
}
int cufftExecR2C(int handle, void* in, void* out) {
    const int status = begin(handle, kR2C, in, out, 8);
    if (status == kSuccess) real_to_complex<float>(*plan_of(handle), in, out);
    return status;
}
int cufftExecD2Z(int handle, void* in, void* out) {
    const int status = begin(handle, kD2Z, in, out, 16);
    if (status == kSuccess) real_to_complex<double>(*plan_of(handle), in, out);
    return status;
}
int cufftExecC2R(int handle, void* in, void* out) {
    const int status = begin(handle, kC2R, in, out, 8);
    if (status != kSuccess) return status;
    return complex_to_real<float>(*plan_of(handle), in, out) ? kSuccess : kExecFailed;
}
int cufftExecZ2D(int handle, void* in, void* out) {
    const int status = begin(handle, kZ2D, in, out, 16);
    if (status != kSuccess) return status;
    return complex_to_real<double>(*plan_of(handle), in, out) ? kSuccess : kExecFailed;
}

/// For tests: plans that were made and not destroyed.
int fake_cufft_plans() { return static_cast<int>(plans.size()); }
}
