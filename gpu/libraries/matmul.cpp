// SPDX-License-Identifier: MIT
#include "gpu/libraries/matmul.h"

#include "gpu/array/kernel_cache.h"
#include "gpu/array/stream_uses.h"
#include "gpu/launch.h"
#include "gpu/libraries/cublas.h"
#include "gpu/libraries/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lathe::gpu {
namespace {

// One thread for each element of the result, tiles of both operands in shared memory. Sums of
// integers wrap as NumPy's do; those of bool are "any".
constexpr const char* kIntegerProduct = R"(
struct Matrix { long long row, column, batch; };
extern "C" __global__ void __launch_bounds__(256)
    integer_product(const T* a, const T* b, T* c, long long m, long long n, long long k,
                    long long count, Matrix a_strides, Matrix b_strides, Matrix c_strides) {
    __shared__ Sum left[16][17], right[16][17];
    for (long long batch = blockIdx.z; batch < count; batch += gridDim.z)
        for (long long row_tile = blockIdx.y; row_tile * 16 < m; row_tile += gridDim.y) {
            const long long row = row_tile * 16 + threadIdx.y,
                            column = blockIdx.x * 16ll + threadIdx.x;
            Sum sum = 0;
            for (long long begin = 0; begin < k; begin += 16) {
                const long long in_row = begin + threadIdx.x, in_column = begin + threadIdx.y;
                left[threadIdx.y][threadIdx.x] =
                    row < m && in_row < k ? a[batch * a_strides.batch + row * a_strides.row +
                                              in_row * a_strides.column]
                                          : T(0);
                right[threadIdx.y][threadIdx.x] =
                    in_column < k && column < n
                        ? b[batch * b_strides.batch + in_column * b_strides.row +
                            column * b_strides.column]
                        : T(0);
                __syncthreads();
                for (int i = 0; i < 16; ++i)
                    sum = ADD(sum, left[threadIdx.y][i], right[i][threadIdx.x]);
                __syncthreads();
            }
            if (row < m && column < n)
                c[batch * c_strides.batch + row * c_strides.row + column * c_strides.column] =
                    T(sum);
        }
}
)";

struct MatrixStrides {
    std::int64_t row, column, batch;
};

const ArrayKernel& integer_kernel(DType dtype) {
    const bool is_bool = dtype == DType::bool_;
    return array_kernel(
        fmt::format("integer_product {}", name_of(dtype)), "integer_product",
        [&] {
            return fmt::format("typedef {} T;\ntypedef {} Sum;\n#define ADD(sum, a, b) {}\n",
                               kernel_type(dtype),
                               is_bool                  ? "bool"
                               : item_bytes(dtype) <= 4 ? "unsigned"
                                                        : "unsigned long long",
                               is_bool ? "((sum) || ((a) && (b)))" : "((sum) + (a) * (b))") +
                   kIntegerProduct;
        },
        256);
}

// All in C order but for the axes before the last two of `a` and `b`, which may repeat.
void multiply_integers(const Array& a, const Array& b, const Array& c, const ProductShape& shape,
                       StreamView stream) {
    const auto item = static_cast<std::int64_t>(c.type().bytes);
    const std::size_t axes = shape.matrices.size();
    const std::int64_t m = shape.matrices[axes - 2], n = shape.matrices[axes - 1],
                       k = shape.left.shape[axes - 1];
    const ArrayKernel& kernel = integer_kernel(*c.type().dtype);
    const auto strides = [&](const Layout& layout, std::int64_t batch) {
        return MatrixStrides{layout.strides[axes - 2] / item, layout.strides[axes - 1] / item,
                             batch};
    };
    const std::int64_t count = axes > 2 ? shape.matrices[axes - 3] : 1;
    const std::int64_t outer = axes > 2 ? count_of(shape.matrices) / (count * m * n) : 1;
    const auto last = [&](const Layout& layout) {
        return axes > 2 ? layout.strides[axes - 3] / item : 0;
    };
    const Dim3 grid{static_cast<unsigned>((n + 15) / 16),
                    static_cast<unsigned>(std::min<std::int64_t>((m + 15) / 16, 65535)),
                    static_cast<unsigned>(std::min<std::int64_t>(count, 65535))};
    for (std::int64_t index = 0; index < outer; ++index) {
        std::int64_t rest = index, in_a = 0, in_b = 0;
        for (std::size_t axis = axes > 2 ? axes - 3 : 0; axis-- > 0;) {
            const std::int64_t at = rest % shape.matrices[axis];
            rest /= shape.matrices[axis];
            in_a += at * shape.left.strides[axis];
            in_b += at * shape.right.strides[axis];
        }
        launch(kernel.kernel, {grid, {16, 16}, 0, stream},
               a.address() + static_cast<CUdeviceptr>(in_a),
               b.address() + static_cast<CUdeviceptr>(in_b),
               c.address() + static_cast<CUdeviceptr>(index * count * m * n * item), m, n, k, count,
               strides(shape.left, last(shape.left)), strides(shape.right, last(shape.right)),
               MatrixStrides{n, 1, m * n});
    }
}

bool is_whole(const Layout& layout, std::size_t item_bytes) {
    return std::all_of(layout.strides.begin(), layout.strides.end(), [&](std::int64_t stride) {
        return stride % static_cast<std::int64_t>(item_bytes) == 0;
    });
}

bool fits(const Array& array, DType dtype, bool by_library) {
    const Extents& strides = array.strides();
    if (!(array.type() == ElementType{dtype}) || !is_whole(array.layout(), array.type().bytes))
        return false;
    if (!by_library) return true;
    if (array.dimensions() == 1) return strides[0] > 0;
    return is_gemm_operand(array.layout(), array.type().bytes) &&
           std::all_of(strides.begin(), strides.end() - 2, [](auto stride) { return stride >= 0; });
}

/// The operand in the type to compute in, as the library or the kernel can read it.
Array suitable(const Array& array, DType dtype, bool by_library, StreamUses& uses) {
    check_device(array, "matmul");
    if (fits(array, dtype, by_library)) return array;
    Array& made = uses.empty(dtype, array.shape());
    assign(made, array, uses.stream());
    return made;
}

} // namespace

ProductShape product_shape(const Layout& a, const Layout& b) {
    if (a.shape.empty() || b.shape.empty())
        throw ShapeError{fmt::format("matmul: an operand has no dimensions, shapes {} and {}: "
                                     "multiply by a number with *",
                                     to_string(a.shape), to_string(b.shape))};
    Layout left = a, right = b;
    const auto add_axis = [](Layout& layout, std::size_t at) {
        layout.shape.insert(at, 1);
        layout.strides.insert(at, 0);
    };
    if (a.shape.size() == 1) add_axis(left, 0);
    if (b.shape.size() == 1) add_axis(right, 1);
    const std::size_t left_axes = left.shape.size(), right_axes = right.shape.size();
    const std::int64_t k = left.shape.back(), rows = right.shape[right_axes - 2];
    if (k != rows)
        throw ShapeError{fmt::format("matmul: shapes {} and {} do not fit: rows of {} elements and "
                                     "columns of {}",
                                     to_string(a.shape), to_string(b.shape), k, rows)};
    const std::int64_t m = left.shape[left_axes - 2], n = right.shape.back();
    ProductShape made;
    try {
        made.matrices = broadcast_shapes(Extents{std::span{left.shape.begin(), left_axes - 2}},
                                         Extents{std::span{right.shape.begin(), right_axes - 2}});
    } catch (const ShapeError&) {
        throw ShapeError{fmt::format("matmul: shapes {} and {} do not fit: the axes before the "
                                     "last two could not be broadcast together",
                                     to_string(a.shape), to_string(b.shape))};
    }
    made.result = made.matrices;
    if (a.shape.size() > 1) made.result.push_back(m);
    if (b.shape.size() > 1) made.result.push_back(n);
    const auto broadcast = [&](const Layout& layout, std::int64_t x, std::int64_t y) {
        Extents shape = made.matrices;
        shape.push_back(x);
        shape.push_back(y);
        return broadcast_to(layout, shape);
    };
    made.left = broadcast(left, m, k);
    made.right = broadcast(right, k, n);
    made.matrices.push_back(m);
    made.matrices.push_back(n);
    return made;
}

Array matmul(const Array& a, const Array& b, const MatmulOptions& options, StreamView stream) {
    const DType dtype =
        options.dtype ? *options.dtype : promote(a.dtype("matmul"), b.dtype("matmul"));
    const ProductShape wanted = product_shape(a.layout(), b.layout());
    Array* const out = options.out;
    if (out) {
        if (!(out->shape() == wanted.result))
            throw ShapeError{
                fmt::format("matmul: out has shape {}, the product of {} and {} has {}",
                            to_string(out->shape()), to_string(a.shape()), to_string(b.shape()),
                            to_string(wanted.result))};
        check_device(*out, "matmul");
        if (!out->writable()) throw ReadOnlyError{"output array is read-only"};
        if (!can_cast_same_kind(dtype, out->dtype("matmul")))
            throw TypeError{fmt::format("matmul: a result of {} cannot be cast to {}",
                                        name_of(dtype), name_of(out->dtype("matmul")))};
    }
    const bool by_library = is_inexact(dtype);
    const bool into_out = out && out->is_c_contiguous() && out->type() == ElementType{dtype} &&
                          !out->may_share_memory(a) && !out->may_share_memory(b);
    StreamUses uses{stream};
    const Layout layout = compact(wanted.result, item_bytes(dtype));
    Array result = into_out           ? *out
                   : out              ? uses.empty(dtype, wanted.result)
                   : options.allocate ? (*options.allocate)(dtype, layout)
                                      : Array::empty(dtype, layout);
    if (result.size() != 0 && wanted.left.shape.back() == 0) {
        assign(result, make_scalar(dtype, std::int64_t{0}), stream);
    } else if (result.size() != 0) {
        const Array left = suitable(a, dtype, by_library, uses),
                    right = suitable(b, dtype, by_library, uses);
        const ProductShape shape = product_shape(left.layout(), right.layout());
        if (by_library) {
            const auto calls =
                plan_gemm(shape.left, shape.right, compact(shape.matrices, item_bytes(dtype)),
                          item_bytes(dtype));
            if (!calls) throw lathe::Error{"matmul: no plan for these layouts"};
            for (const Gemm& each : *calls)
                run_gemm(each, dtype, each.is_swapped ? right.address() : left.address(),
                         each.is_swapped ? left.address() : right.address(), result.address(),
                         stream);
        } else {
            multiply_integers(left, right, result, shape, stream);
        }
    }
    if (out && !into_out) {
        assign(*out, result, stream);
        return *out;
    }
    return result;
}

} // namespace lathe::gpu
