// SPDX-License-Identifier: MIT
// Descriptions of products, carried out on the host as BLAS's documentation defines them, against
// sums over the arrays' elements. No device, no library.
#include "gpu/libraries/gemm.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr std::size_t kItem = 8;

/// Memory with a margin, and a layout of it in bytes from `begin` on.
struct HostArray {
    std::vector<double> memory;
    std::int64_t begin = 0;
    Layout layout;

    double& at(const Extents& index) {
        std::int64_t place = begin;
        for (std::size_t k = 0; k < index.size(); ++k)
            place += index[k] * layout.strides[k] / static_cast<std::int64_t>(kItem);
        return memory[static_cast<std::size_t>(place)];
    }
};

HostArray host_array(const Layout& layout, double first) {
    const Reach reach = reach_of(layout, kItem);
    HostArray made;
    made.memory.resize(static_cast<std::size_t>((reach.end - reach.begin) / 8));
    made.begin = -reach.begin / 8;
    made.layout = layout;
    for (std::size_t k = 0; k < made.memory.size(); ++k)
        made.memory[k] = first + static_cast<double>(k * k % 17);
    return made;
}

void each_index(const Extents& shape, const std::function<void(const Extents&)>& visit) {
    Extents index(shape.size(), 0);
    for (std::int64_t n = count_of(shape); n-- > 0;) {
        visit(index);
        for (std::size_t k = shape.size(); k-- > 0;) {
            if (++index[k] < shape[k]) break;
            index[k] = 0;
        }
    }
}

/// dgemm, batched by strides: C = op(A) op(B), all by columns.
void reference_gemm(const Gemm& gemm, const double* first, const double* second, double* result) {
    for (std::int64_t batch = 0; batch < gemm.count; ++batch) {
        const double* a = first + gemm.first.offset + batch * gemm.first.stride;
        const double* b = second + gemm.second.offset + batch * gemm.second.stride;
        double* c = result + gemm.result.offset + batch * gemm.result.stride;
        const std::int64_t lda = gemm.first.leading, ldb = gemm.second.leading;
        for (std::int64_t i = 0; i < gemm.m; ++i)
            for (std::int64_t j = 0; j < gemm.n; ++j) {
                double sum = 0;
                for (std::int64_t k = 0; k < gemm.k; ++k)
                    sum += (gemm.first.transposed ? a[k + i * lda] : a[i + k * lda]) *
                           (gemm.second.transposed ? b[j + k * ldb] : b[k + j * ldb]);
                c[i + j * gemm.result.leading] = sum;
            }
    }
}

/// What BLAS refuses.
void expect_sound(const Gemm& gemm) {
    EXPECT_GE(gemm.first.leading,
              std::max<std::int64_t>(1, gemm.first.transposed ? gemm.k : gemm.m));
    EXPECT_GE(gemm.second.leading,
              std::max<std::int64_t>(1, gemm.second.transposed ? gemm.n : gemm.k));
    EXPECT_GE(gemm.result.leading, std::max<std::int64_t>(1, gemm.m));
    EXPECT_FALSE(gemm.result.transposed);
    EXPECT_GE(gemm.count, 1);
}

/// Plans, carries out, compares. The number of calls.
std::size_t check(const Layout& a, const Layout& b, const Layout& c) {
    HostArray left = host_array(a, 1), right = host_array(b, 2), made = host_array(c, 3);
    const auto calls = plan_gemm(a, b, c, kItem);
    EXPECT_TRUE(calls.has_value());
    if (!calls) return 0;
    for (const Gemm& gemm : *calls) {
        expect_sound(gemm);
        const HostArray &first = gemm.is_swapped ? right : left,
                        &second = gemm.is_swapped ? left : right;
        reference_gemm(gemm, first.memory.data() + first.begin, second.memory.data() + second.begin,
                       made.memory.data() + made.begin);
    }
    const std::size_t axes = c.shape.size();
    each_index(c.shape, [&](const Extents& index) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.shape.back(); ++k) {
            Extents in_a = index, in_b = index;
            in_a[axes - 1] = k;
            in_b[axes - 2] = k;
            sum += left.at(in_a) * right.at(in_b);
        }
        EXPECT_EQ(made.at(index), sum);
    });
    return calls->size();
}

Layout by_columns(const Extents& shape) { // the last two axes
    Layout layout = compact(shape, kItem);
    const std::size_t axes = shape.size();
    layout.strides[axes - 2] = kItem;
    layout.strides[axes - 1] = shape[axes - 2] * static_cast<std::int64_t>(kItem);
    return layout;
}

TEST(GemmPlan, RowsAndColumnsInAnyCombination) {
    for (const auto& make_a : {+[](const Extents& s) { return compact(s, kItem); }, +by_columns})
        for (const auto& make_b :
             {+[](const Extents& s) { return compact(s, kItem); }, +by_columns})
            for (const auto& make_c :
                 {+[](const Extents& s) { return compact(s, kItem); }, +by_columns})
                for (const std::int64_t m : {1, 3})
                    for (const std::int64_t n : {1, 4})
                        for (const std::int64_t k : {1, 5}) {
                            EXPECT_EQ(check(make_a({m, k}), make_b({k, n}), make_c({m, n})), 1u);
                            EXPECT_EQ(
                                check(make_a({2, m, k}), make_b({2, k, n}), make_c({2, m, n})), 1u);
                        }
}

TEST(GemmPlan, PartsOfLargerMatricesKeepTheirLeadingDimension) {
    Layout a = compact({3, 8}, kItem), b = compact({8, 4}, kItem);
    a.shape[1] = 5;
    b.shape[0] = 5;
    check(a, b, compact({3, 4}, kItem));
    const auto calls = plan_gemm(a, b, compact({3, 4}, kItem), kItem);
    ASSERT_EQ(calls->size(), 1u);
    EXPECT_EQ((*calls)[0].second.leading, 8);
    Layout c = compact({3, 9}, kItem);
    c.shape[1] = 4;
    EXPECT_EQ(check(a, b, c), 1u);
}

TEST(GemmPlan, AMatrixForAllOfABatchMakesOneLargeProduct) {
    const Layout b = broadcast_to(compact({5, 4}, kItem), {6, 5, 4});
    const auto calls = plan_gemm(compact({6, 3, 5}, kItem), b, compact({6, 3, 4}, kItem), kItem);
    ASSERT_EQ(calls->size(), 1u);
    EXPECT_EQ((*calls)[0].count, 1);
    EXPECT_EQ((*calls)[0].n, 18);
    check(compact({6, 3, 5}, kItem), b, compact({6, 3, 4}, kItem));
    // Not where the rows do not follow each other.
    Layout apart = compact({6, 4, 5}, kItem);
    apart.shape[1] = 3;
    check(apart, b, compact({6, 3, 4}, kItem));
    // A row each, the rows of a strided vector of them, and columns.
    check(compact({6, 1, 5}, kItem), b, compact({6, 1, 4}, kItem));
    check(by_columns({6, 3, 5}), b, compact({6, 3, 4}, kItem));
}

TEST(GemmPlan, BatchesThatDoNotJoinTakeACallEach) {
    const Layout a = broadcast_to(compact({5, 1, 3, 2}, kItem), {5, 4, 3, 2});
    const Layout b = broadcast_to(compact({1, 4, 2, 6}, kItem), {5, 4, 2, 6});
    EXPECT_EQ(check(a, b, compact({5, 4, 3, 6}, kItem)), 4u);
    const Layout both = compact({5, 4, 2, 6}, kItem);
    EXPECT_EQ(check(compact({5, 4, 3, 2}, kItem), both, compact({5, 4, 3, 6}, kItem)), 1u);
}

TEST(GemmPlan, LayoutsThatBlasCannotReadHaveNone) {
    Layout strided = compact({3, 8}, kItem); // each other column
    strided.shape[1] = 4;
    strided.strides[1] = 16;
    Layout backwards = compact({3, 4}, kItem);
    backwards.strides[0] = -32;
    Layout odd = compact({3, 4}, kItem);
    odd.strides[0] = 36;
    const Layout repeated = broadcast_to(compact({1, 4}, kItem), {3, 4});
    for (const Layout& each : {strided, backwards, odd, repeated}) {
        EXPECT_FALSE(is_gemm_operand(each, kItem)) << to_string(each.strides);
        EXPECT_FALSE(plan_gemm(each, compact({4, 2}, kItem), compact({3, 2}, kItem), kItem));
    }
    EXPECT_TRUE(is_gemm_operand(compact({3, 4}, kItem), kItem));
}

TEST(GemmPlan, RandomShapesAndOrders) {
    std::mt19937 random{7};
    const auto number = [&](int from, int to) {
        return std::int64_t{std::uniform_int_distribution{from, to}(random)};
    };
    for (int round = 0; round < 300; ++round) {
        const std::int64_t m = number(1, 4), n = number(1, 4), k = number(1, 4);
        Extents batch;
        for (std::int64_t axes = number(0, 3); axes-- > 0;) batch.push_back(number(1, 3));
        const auto operand = [&](std::int64_t rows, std::int64_t columns, bool is_result) {
            Extents wanted = batch, own;
            for (const std::int64_t size : batch)
                own.push_back(!is_result && number(0, 2) == 0 ? 1 : size);
            for (Extents* each : {&wanted, &own}) {
                each->push_back(rows);
                each->push_back(columns);
            }
            Extents room = own;
            const std::size_t axes = own.size();
            room[axes - 1] += number(0, 2);
            room[axes - 2] += number(0, 2);
            Layout layout = number(0, 1) ? compact(room, kItem) : by_columns(room);
            layout.shape = own;
            return broadcast_to(layout, wanted);
        };
        SCOPED_TRACE("round " + std::to_string(round));
        check(operand(m, k, false), operand(k, n, false), operand(m, n, true));
    }
}

} // namespace
} // namespace lathe::gpu
