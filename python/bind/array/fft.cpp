// SPDX-License-Identifier: MIT
// cuFFT for lathe.fft, which has NumPy's functions, and NumPy where the device's memory is the
// host's.
#include "python/bind/array/fft.h"
#include "gpu/libraries/cufft.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"

#include <pybind11/stl.h>

#include <array>

namespace lathe::bind {
namespace {

void run_fft(const py::object& in, const py::object& out, std::vector<std::int64_t> sizes,
             const std::array<std::int64_t, 4>& steps, std::int64_t count, bool inverse,
             const PyStream* stream) {
    const gpu::StreamView on = stream_of(stream);
    const gpu::Fft fft{std::move(sizes), steps[0], steps[1], steps[2], steps[3], count, inverse};
    const gpu::Array& from = array_of(in);
    gpu::Array& to = array_of(out);
    const StreamUse use{on, true, {in, out}};
    const GilRelease release;
    gpu::run_fft(fft, from, to, on);
}

} // namespace

void bind_fft(py::module_& m) {
    m.def("run_fft", &run_fft, py::arg("a"), py::arg("out"), py::arg("sizes"), py::arg("steps"),
          py::arg("count"), py::arg("inverse"), py::arg("stream") = nullptr,
          "cuFFT from one array into another; gpu/libraries/cufft.h says how. `steps`: stride and "
          "distance of the input's elements, then of the output's. Asynchronous.");
    m.def("fft_plan_count", &gpu::fft_plan_count, "How many plans of cuFFT are kept.");
}

} // namespace lathe::bind
