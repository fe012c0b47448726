// SPDX-License-Identifier: MIT
#include "gpu/array/indexing.h"

#include "gpu/array/elementwise.h"

#include <array>

namespace lathe::gpu {

namespace {

Scalar address_of(const Array& array) {
    return make_scalar(DType::uint64, std::uint64_t{array.address()});
}

Loop loop_of(const char* name, std::array<DType, Loop::kMostInputs> inputs, DType output) {
    Loop loop;
    loop.operation = &operation(name);
    loop.inputs = inputs;
    loop.outputs.fill(output);
    loop.text = loop.operation->signed_integer;
    return loop;
}

} // namespace

Array index_offsets(const Array& index, std::int64_t stride, std::int64_t size, const Array* before,
                    StreamView stream) {
    constexpr DType type = DType::int64;
    const Loop loop = loop_of("index_offset", {type, type, type, type}, type);
    const std::array<Input, 4> inputs{
        Input{index}, Input{make_scalar(type, stride)}, Input{make_scalar(type, size)},
        before ? Input{*before} : Input{make_scalar(type, std::int64_t{0})}};
    return run(loop, inputs, stream)[0];
}

void gather(Array& to, const Array& from, const Array& offsets, StreamView stream) {
    check_device(from, "gather");
    const Loop loop = loop_of("gather", {DType::int64, DType::uint64}, to.dtype("gather"));
    Array* const output = &to;
    const std::array<Input, 2> inputs{Input{offsets}, Input{address_of(from)}};
    run(loop, {&output, 1}, inputs, stream);
}

void scatter(Array& to, Array& offsets, const Array& values, StreamView stream) {
    if (!to.writable()) throw ReadOnlyError{"assignment destination is read-only"};
    check_device(to, "scatter");
    const DType type = to.dtype("scatter");
    const Array same = values.dtype("scatter") == type ? values : copy(values, type, stream);
    const Loop loop = loop_of("scatter", {DType::int64, DType::uint64, type}, DType::int64);
    Array* const output = &offsets;
    const std::array<Input, 3> inputs{Input{offsets}, Input{address_of(to)}, Input{same}};
    run(loop, {&output, 1}, inputs, stream);
}

} // namespace lathe::gpu
