// SPDX-License-Identifier: MIT
// libcu++: the standard library for device code, with atomics of every scope and order.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
template <cuda::thread_scope Scope, class T> __device__ void atomics(T* place, T* out) {
    using namespace cuda::std;
    cuda::atomic_ref<T, Scope> a{*place};
    *out++ = a.load(memory_order_relaxed) + a.load(memory_order_acquire) + a.load();
    a.store(T(1), memory_order_relaxed);
    a.store(T(2), memory_order_release);
    a.store(T(3));
    *out++ = a.exchange(T(4), memory_order_acq_rel);
    *out++ = a.fetch_add(T(5), memory_order_relaxed) + a.fetch_add(T(5), memory_order_acquire) +
             a.fetch_add(T(5), memory_order_release) + a.fetch_sub(T(5), memory_order_acq_rel) +
             a.fetch_add(T(6));
    T expected{};
    *out++ = a.compare_exchange_strong(expected, T(7));
    *out++ = a.compare_exchange_weak(expected, T(7), memory_order_release, memory_order_relaxed);
    *out++ = a.fetch_max(T(8)) + a.fetch_min(T(9), memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_seq_cst, Scope);
    cuda::atomic_thread_fence(memory_order_acquire, Scope);
}
template <class T> __device__ void scopes(T* place, T* out) {
    atomics<cuda::thread_scope_thread>(place, out);
    atomics<cuda::thread_scope_block>(place, out);
    atomics<cuda::thread_scope_device>(place, out);
    atomics<cuda::thread_scope_system>(place, out);
}
extern "C" __global__ void standard(char* memory, double* out, int n) {
    scopes(reinterpret_cast<int*>(memory), reinterpret_cast<int*>(out));
    scopes(reinterpret_cast<unsigned long long*>(memory),
           reinterpret_cast<unsigned long long*>(out));
    scopes(reinterpret_cast<float*>(memory), reinterpret_cast<float*>(out));
    scopes(reinterpret_cast<signed char*>(memory), reinterpret_cast<signed char*>(out));
    scopes(reinterpret_cast<double*>(memory), out);
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, 32);
    __syncthreads();
    barrier.arrive_and_wait();
    cuda::std::array<float, 8> values{};
    cuda::std::iota(values.begin(), values.end(), static_cast<float>(n));
    values[0] += values[7];
    cuda::std::complex<double> z{out[0], out[1]};
    z = cuda::std::exp(z) * cuda::std::sqrt(z) + cuda::std::pow(z, 3.0);
    out[2] = z.real() + cuda::std::abs(z) + cuda::std::arg(z);
    cuda::std::optional<int> maybe;
    if (n > 3) maybe = n;
    cuda::std::variant<int, float> either = n > 4 ? cuda::std::variant<int, float>{n} : 1.0f;
    out[3] = maybe.value_or(2) + cuda::std::get<0>(cuda::std::tuple{n, 2.0}) +
             static_cast<double>(either.index());
    out[4] = cuda::std::popcount(static_cast<unsigned>(n)) +
             cuda::std::countl_zero(static_cast<unsigned>(n)) +
             cuda::std::rotl(static_cast<unsigned>(n), 5) + cuda::std::bit_cast<float>(n);
    out[5] = values[static_cast<unsigned>(n) & 7] + cuda::std::numeric_limits<float>::epsilon();
    out[6] = static_cast<double>(cuda::std::chrono::system_clock::now().time_since_epoch().count());
}
