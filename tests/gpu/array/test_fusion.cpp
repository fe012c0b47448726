// SPDX-License-Identifier: MIT
// Expressions as one kernel, from C++ alone: values against plain loops and against one kernel
// after the other, and how many kernels there are.
#include "gpu/array/fusion.h"

#include "gpu/driver/api.h"
#include "tests/gpu/array/array_test.h"

#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

namespace lathe::gpu {
namespace {

std::atomic<int> launches{0};
decltype(DriverApi::cuLaunchKernel) real_launch = nullptr;

CUresult CUDAAPI counting_launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 CUstream stream, void** arguments, void** extra) {
    ++launches;
    return real_launch(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}

/// While it lives the driver's table counts launches.
class CountedLaunches {
public:
    CountedLaunches() : real_{&driver()}, table_{*real_} {
        real_launch = real_->cuLaunchKernel;
        table_.cuLaunchKernel = &counting_launch;
        launches = 0;
        detail::open_driver = &table_;
    }
    ~CountedLaunches() { detail::open_driver = real_; }
    int count() const { return launches; }

private:
    const DriverApi* real_;
    DriverApi table_;
};

/// An expression with its arrays, by operations' names.
struct Recorded {
    Expression expression;
    std::vector<Array> results; ///< of each value, without memory

    Expression::Term value(Expression::Value of) const { return {.value = of}; }
    Expression::Term number(DType dtype, double of) const {
        return {.number = make_scalar(dtype, of)};
    }
    static Expression::Term array(const Array& of) { return {.array = &of}; }

    Expression::Value add(std::string_view name, const std::vector<Expression::Term>& terms) {
        std::vector<InputType> types;
        std::vector<Input> inputs;
        for (const Expression::Term& each : terms) {
            if (each.value) inputs.emplace_back(results[*each.value]);
            else if (each.array) inputs.emplace_back(*each.array);
            else inputs.emplace_back(each.number);
            const Array* const array = inputs.back().array;
            types.push_back(
                {array ? *array->type().dtype : each.number.dtype, !array, PythonNumber::floating});
        }
        const Loop loop = resolve(operation(name), types);
        const Allocate later = [](ElementType type, const Layout& layout) {
            return Array::over(0, type, layout, nullptr, Context::ensure_current());
        };
        auto made = make_outputs(loop, inputs, &later);
        const std::size_t count = loop.operation->outputs;
        const auto first = expression.add(loop, terms, std::span{made}.first(count));
        for (std::size_t k = 0; k < count; ++k) results.push_back(made[k]);
        return first;
    }
    Array memory_for(Expression::Value of) const {
        return Array::empty(results[of].type(), results[of].layout());
    }
};

class Fusion : public ArrayTest {};

TEST_F(Fusion, IsOneLaunchThatRoundsEachOperation) {
    constexpr int count = 4099; // groups and a rest
    std::vector<float> x(count), y(count);
    for (int k = 0; k < count; ++k) {
        x[static_cast<std::size_t>(k)] = 1.f + static_cast<float>(k) * 0.37f;
        y[static_cast<std::size_t>(k)] = 2.f - static_cast<float>(k) * 0.011f;
    }
    const Array a = array_of<float>(DType::float32, {count}, x);
    const Array b = array_of<float>(DType::float32, {count}, y);
    Recorded of;
    const auto left = of.add("multiply", {of.number(DType::float32, 2.1), of.array(a)});
    const auto right = of.add("multiply", {of.number(DType::float32, 3.3), of.array(b)});
    const auto sum = of.add("add", {of.value(left), of.value(right)});
    const Array result = of.memory_for(sum), product = of.memory_for(left);
    {
        const CountedLaunches counted;
        of.expression.write(std::vector<Expression::Write>{{sum, &result}, {left, &product}});
        EXPECT_EQ(counted.count(), 1);
    }
    const auto sums = values_of<float>(result), products = values_of<float>(product);
    for (std::size_t k = 0; k < x.size(); ++k) {
        // Volatile: this compiler must not fuse either.
        volatile const float first = 2.1f * x[k], second = 3.3f * y[k];
        ASSERT_EQ(products[k], first) << k;
        ASSERT_EQ(sums[k], first + second) << k;
    }
}

TEST_F(Fusion, TypesAreThoseOfMemory) {
    const Array bytes = array_of<std::int8_t>(DType::int8, {3}, {100, -100, 7});
    Recorded of;
    const auto sum = of.add("add", {of.array(bytes), of.array(bytes)}); // wraps around
    const auto wide = of.add("divide", {of.value(sum), of.array(bytes)});
    const Array result = of.memory_for(wide);
    of.expression.write(std::vector<Expression::Write>{{wide, &result}});
    EXPECT_EQ(values_of<double>(result), (std::vector<double>{-56. / 100, 56. / -100, 2}));
}

TEST_F(Fusion, ShapesAreKernelsOfTheirOwn) {
    const Array row = array_of<int>(DType::int32, {3}, {1, 2, 3});
    const Array column = array_of<int>(DType::int32, {2, 1}, {10, 20});
    Recorded of;
    const auto square = of.add("multiply", {of.array(row), of.array(row)});
    const auto table = of.add("add", {of.value(square), of.array(column)});
    const Array squares = of.memory_for(square), sums = of.memory_for(table);
    {
        const CountedLaunches counted;
        of.expression.write(std::vector<Expression::Write>{{square, &squares}, {table, &sums}});
        EXPECT_EQ(counted.count(), 2);
        of.expression.write(std::vector<Expression::Write>{{table, &sums}});
        EXPECT_EQ(counted.count(), 3); // what is not wanted needs none
    }
    EXPECT_EQ(values_of<int>(squares), (std::vector<int>{1, 4, 9}));
    EXPECT_EQ(values_of<int>(sums), (std::vector<int>{11, 14, 19, 21, 24, 29}));
}

TEST_F(Fusion, WritesWhereItReads) {
    const Array a = array_of<int>(DType::int32, {5}, {1, 2, 3, 4, 5});
    Recorded of;
    const auto twice = of.add("add", {of.array(a), of.array(a)});
    const auto more = of.add("multiply", {of.value(twice), of.array(a)});
    const Array result = of.memory_for(more);
    of.expression.write(std::vector<Expression::Write>{{more, &result}, {twice, &a}});
    EXPECT_EQ(values_of<int>(a), (std::vector<int>{2, 4, 6, 8, 10}));
    EXPECT_EQ(values_of<int>(result), (std::vector<int>{2, 8, 18, 32, 50}));
}

TEST_F(Fusion, ReducesWhatIsNowhere) {
    std::vector<double> host(100003);
    std::iota(host.begin(), host.end(), 0.);
    const Array a = array_of<double>(DType::float64, {100003}, host);
    Recorded of;
    const auto root = of.add("sqrt", {of.array(a)});
    const auto scaled = of.add("multiply", {of.number(DType::float64, 0.1), of.value(root)});
    const Array memory = of.memory_for(scaled);
    of.expression.write(std::vector<Expression::Write>{{scaled, &memory}});
    const Array eager = reduce(Reduction::sum, memory);
    Array sum = Array::empty(DType::float64, Extents{});
    {
        const CountedLaunches counted;
        reduce(Reduction::sum, of.expression.map(scaled, of.results[scaled]), {.out = &sum});
        EXPECT_EQ(counted.count(), 1);
    }
    const Array roots = of.memory_for(root);
    const std::vector<Expression::Write> along{{root, &roots}};
    Array again = Array::empty(DType::float64, Extents{});
    {
        const CountedLaunches counted;
        reduce(Reduction::sum, of.expression.map(scaled, of.results[scaled], along),
               {.out = &again});
        EXPECT_EQ(counted.count(), 1);
    }
    EXPECT_EQ(values_of<double>(again), values_of<double>(sum));
    const auto rooted = values_of<double>(roots);
    for (std::size_t k = 0; k < host.size(); ++k) ASSERT_EQ(rooted[k], std::sqrt(host[k])) << k;
    double exact = 0, rest = 0; // Neumaier's sum
    for (const double each : host) {
        const double value = 0.1 * std::sqrt(each), next = exact + value;
        rest +=
            std::abs(exact) >= std::abs(value) ? (exact - next) + value : (value - next) + exact;
        exact = next;
    }
    EXPECT_EQ(values_of<double>(sum), values_of<double>(eager));
    EXPECT_NEAR(values_of<double>(sum)[0], exact + rest, 1e-15 * exact);
}

/// Bytes of the array in C order.
std::vector<std::uint8_t> bytes_of(const Array& array) {
    const Array compact = copy(array, Order::c);
    std::vector<std::uint8_t> bytes(array.bytes());
    Context::current().synchronize();
    copy_to_host(std::span{bytes}, DeviceSpan<const std::uint8_t>{compact.address(), bytes.size()});
    return bytes;
}

/// Loads by groups on a GPU, arrays that are not flat beside values that would be, all types.
TEST_F(Fusion, ReductionsAreThoseOfMemory) {
    const Extents shape{37, 130};
    std::vector<int> numbers(37 * 130 * 2);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = static_cast<int>(k * 2654435761u >> 22) % 100 - 30;
    const Array all = array_of<int>(DType::int32, {37 * 130 * 2}, numbers);
    const std::vector<Extents> axes{{0}, {1}, {0, 1}};
    for (const DType dtype :
         {DType::int8, DType::float16, DType::float32, DType::float64, DType::complex64}) {
        const Array table = copy(all.view(DType::int32, {shape, {130 * 4, 4}}), dtype);
        const Array sparse = copy(all, dtype);
        const auto bytes = static_cast<std::int64_t>(item_bytes(dtype));
        const Array stepped = sparse.view(dtype, {shape, {260 * bytes, 2 * bytes}});
        const Array row = sparse.view(dtype, {{130}, {bytes}}, bytes);
        const Array column = sparse.view(dtype, {{37, 1}, {bytes, bytes}});
        for (const Array* const second : {&table, &stepped, &row, &column}) {
            Recorded of;
            const auto product = of.add("multiply", {of.array(table), of.array(*second)});
            const auto sum = of.add("add", {of.value(product), of.number(dtype, 3)});
            const Array products = of.memory_for(product), sums = of.memory_for(sum);
            of.expression.write(std::vector<Expression::Write>{{product, &products}, {sum, &sums}});
            for (const Extents& each : axes) {
                const Array eager = reduce(Reduction::sum, sums, {.axes = &each});
                const Array along = of.memory_for(product);
                Array found = Array::empty(eager.type(), eager.shape());
                const std::vector<Expression::Write> writes{{product, &along}};
                reduce(Reduction::sum, of.expression.map(sum, of.results[sum], writes),
                       {.axes = &each, .out = &found});
                ASSERT_EQ(bytes_of(found), bytes_of(eager)) << name_of(dtype);
                ASSERT_EQ(bytes_of(along), bytes_of(products)) << name_of(dtype);
            }
        }
    }
}

TEST_F(Fusion, HasRoomForSomeStatements) {
    const Array a = array_of<int>(DType::int32, {1}, {1});
    Recorded of;
    auto last = of.add("add", {of.array(a), of.array(a)});
    std::size_t count = 1;
    while (of.expression.has_room()) {
        last = of.add("add", {of.value(last), of.array(a)});
        ++count;
    }
    EXPECT_EQ(count, Expression::kMostStatements);
    const Array result = of.memory_for(last);
    of.expression.write(std::vector<Expression::Write>{{last, &result}});
    EXPECT_EQ(values_of<int>(result), std::vector<int>{static_cast<int>(count) + 1});
    of.expression.clear();
    EXPECT_TRUE(of.expression.empty());
}

} // namespace
} // namespace lathe::gpu
