// SPDX-License-Identifier: MIT
#include "gpu/libraries/gemm.h"

#include <algorithm>
#include <array>

namespace lathe::gpu {
namespace {

/// The last two axes, in elements.
struct Matrix {
    std::int64_t rows, columns, row_stride, column_stride;

    /// Rows are contiguous: from row to row `row_stride`, a leading dimension.
    bool is_by_rows() const {
        return (column_stride == 1 || columns == 1) && (rows == 1 || row_stride >= columns);
    }
    bool is_by_columns() const {
        return (row_stride == 1 || rows == 1) && (columns == 1 || column_stride >= rows);
    }
    // A stride along an axis of one element may be anything, and BLAS still wants a sound one.
    std::int64_t leading_by_rows() const { return rows == 1 ? columns : row_stride; }
    std::int64_t leading_by_columns() const { return columns == 1 ? rows : column_stride; }
};

std::optional<Matrix> matrix_of(const Layout& layout, std::int64_t item) {
    const std::size_t axes = layout.shape.size();
    for (const std::int64_t stride : layout.strides)
        if (stride % item) return {};
    return Matrix{layout.shape[axes - 2], layout.shape[axes - 1], layout.strides[axes - 2] / item,
                  layout.strides[axes - 1] / item};
}

/// An axis before the last two, or several joined.
struct Batch {
    std::int64_t count;
    std::array<std::int64_t, 3> strides; ///< of a, b, c in elements
};

std::vector<Batch> batches_of(const std::array<const Layout*, 3>& layouts, std::int64_t item) {
    std::vector<Batch> batches; // the last axis first
    for (std::size_t axis = layouts[0]->shape.size() - 2; axis-- > 0;) {
        Batch next{layouts[0]->shape[axis], {}};
        if (next.count == 1) continue;
        for (std::size_t k = 0; k < 3; ++k) next.strides[k] = layouts[k]->strides[axis] / item;
        const auto joins = [&](const Batch& inner) {
            for (std::size_t k = 0; k < 3; ++k)
                if (next.strides[k] != inner.strides[k] * inner.count) return false;
            return true;
        };
        if (!batches.empty() && joins(batches.back())) batches.back().count *= next.count;
        else batches.push_back(next);
    }
    return batches;
}

/// As BLAS reads it for a result by rows (swapped) or by columns.
GemmMatrix operand(const Matrix& matrix, bool is_swapped) {
    const bool fits = is_swapped ? matrix.is_by_rows() : matrix.is_by_columns();
    const bool by_rows = fits == is_swapped;
    return {!fits, by_rows ? matrix.leading_by_rows() : matrix.leading_by_columns()};
}

/// Many left matrices, one right one, all rows at one distance: one matrix with many rows.
bool stack_rows(Matrix& a, Matrix& c, const Batch& batch) {
    const auto [a_stride, b_stride, c_stride] = batch.strides;
    if (b_stride != 0 || !a.is_by_rows() || !c.is_by_rows()) return false;
    const auto distance = [](const Matrix& matrix, std::int64_t stride) {
        return matrix.rows == 1 ? stride : matrix.row_stride;
    };
    const std::int64_t in_a = distance(a, a_stride), in_c = distance(c, c_stride);
    if (a_stride != a.rows * in_a || c_stride != c.rows * in_c || in_a < a.columns ||
        in_c < c.columns)
        return false;
    a.row_stride = in_a;
    c.row_stride = in_c;
    a.rows *= batch.count;
    c.rows = a.rows;
    return true;
}

} // namespace

bool is_gemm_operand(const Layout& layout, std::size_t item_bytes) {
    const auto matrix = matrix_of(layout, static_cast<std::int64_t>(item_bytes));
    return matrix && (matrix->is_by_rows() || matrix->is_by_columns());
}

std::optional<std::vector<Gemm>> plan_gemm(const Layout& a, const Layout& b, const Layout& c,
                                           std::size_t item_bytes) {
    const auto item = static_cast<std::int64_t>(item_bytes);
    for (const Layout* each : {&a, &b, &c})
        if (!is_gemm_operand(*each, item_bytes)) return {};
    Matrix left = *matrix_of(a, item), right = *matrix_of(b, item), made = *matrix_of(c, item);
    std::vector<Batch> batches = batches_of({&a, &b, &c}, item);
    if (!batches.empty() && stack_rows(left, made, batches.front())) batches.erase(batches.begin());

    Gemm gemm;
    gemm.is_swapped = made.is_by_rows();
    const GemmMatrix left_form = operand(left, gemm.is_swapped),
                     right_form = operand(right, gemm.is_swapped);
    gemm.m = gemm.is_swapped ? made.columns : made.rows;
    gemm.n = gemm.is_swapped ? made.rows : made.columns;
    gemm.k = left.columns;
    gemm.first = gemm.is_swapped ? right_form : left_form;
    gemm.second = gemm.is_swapped ? left_form : right_form;
    gemm.result = operand(made, gemm.is_swapped);
    std::array<GemmMatrix*, 3> by_array{&gemm.first, &gemm.second, &gemm.result};
    if (gemm.is_swapped) std::swap(by_array[0], by_array[1]);

    // The longest axis goes to the library, the others are walked here.
    const auto longest =
        std::max_element(batches.begin(), batches.end(),
                         [](const Batch& x, const Batch& y) { return x.count < y.count; });
    if (longest != batches.end()) {
        gemm.count = longest->count;
        for (std::size_t k = 0; k < 3; ++k) by_array[k]->stride = longest->strides[k];
        batches.erase(longest);
    }
    std::vector<Gemm> calls{gemm};
    for (const Batch& batch : batches) {
        const std::vector<Gemm> inner = std::move(calls);
        calls.clear();
        for (std::int64_t index = 0; index < batch.count; ++index)
            for (Gemm each : inner) {
                std::array<GemmMatrix*, 3> matrices{&each.first, &each.second, &each.result};
                if (each.is_swapped) std::swap(matrices[0], matrices[1]);
                for (std::size_t k = 0; k < 3; ++k) matrices[k]->offset += index * batch.strides[k];
                calls.push_back(each);
            }
    }
    return calls;
}

} // namespace lathe::gpu
