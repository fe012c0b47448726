// SPDX-License-Identifier: MIT
// The kernels of tests/soft/kernels with inputs whose results depend on no order. Left out are the
// kernel textures, which reads one texture as every shape, and of the others what only one thread
// of many may write (they run with one thread).
#include "tests/soft/recorded/session.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

namespace lathe::recorded {
namespace {

std::string source_of(const std::string& name) {
    const std::string path = fmt::format("{}/{}.cu", LATHE_TEST_KERNELS, name);
    std::ifstream file{path};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (text.empty()) throw Error{path + " could not be read"};
    return text;
}

CUfunction kernel(Session& session, const std::string& file, const std::string& name) {
    return session.compiled(source_of(file), name);
}

std::vector<float> floats(std::size_t count, unsigned seed, float low, float high) {
    std::mt19937 random{seed};
    std::vector<float> values(count);
    for (float& value : values)
        value = low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0f;
    return values;
}

std::vector<float> whole_floats(std::size_t count, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 200) - 100);
    return values;
}

std::vector<Part> grayscott(Session& session) {
    struct Rates {
        float feed, kill, diffuse_u, diffuse_v;
    };
    constexpr int kWidth = 50, kHeight = 30;
    const Memory now = session.upload(floats(2 * kWidth * kHeight, 1, 0, 1)),
                 next{8 * kWidth * kHeight};
    session.launch(kernel(session, "grayscott", "grayscott"), {{4, 4, 1}, {16, 8, 1}}, kWidth,
                   kHeight, Rates{0.037f, 0.06f, 0.2f, 0.1f}, now.get(), next.get());
    return {part("", Type::f32, next.read<float>(2 * kWidth * kHeight))};
}

std::vector<Part> mandelbrot(Session& session) {
    constexpr int kWidth = 96, kHeight = 64;
    const Memory image{4 * kWidth * kHeight};
    session.launch(kernel(session, "mandelbrot", "mandelbrot"), {{6, 8, 1}, {16, 8, 1}},
                   image.get(), kWidth, kHeight, 0.03, 200);
    return {part("", Type::b32, image.read<std::uint32_t>(kWidth * kHeight))};
}

std::vector<Part> matmul(Session& session) {
    const Memory a = session.upload(floats(64 * 64, 2, -1, 1)),
                 b = session.upload(floats(64 * 64, 3, -1, 1)), c{4 * 64 * 64};
    session.launch(kernel(session, "matmul", "matmul"), {{4, 4, 1}, {16, 16, 1}}, a.get(), b.get(),
                   c.get(), 64);
    return {part("", Type::f32, c.read<float>(64 * 64))};
}

std::vector<Part> nbody(Session& session) {
    const Memory position = session.upload(floats(4 * 200, 4, -1, 1)), force{12 * 200};
    session.launch(kernel(session, "nbody", "nbody"), {{4, 1, 1}, {64, 1, 1}, 64 * 16}, 200, 0.01f,
                   position.get(), force.get());
    // rsqrt.approx has 2^-22.9, three times in a summand; summands reach 1000, 200 of them.
    return {part("", Type::f32, force.read<float>(600), {0.05, 1e-5})};
}

std::vector<Part> reduce(Session& session) {
    const Memory in = session.upload(whole_floats(5000, 5)), out{4};
    session.launch(kernel(session, "reduce", "reduce"), {{7, 1, 1}, {128, 1, 1}}, in.get(),
                   out.get(), 5000);
    return {part("", Type::f32, out.read<float>(1))};
}

/// All threads have the same value: who writes last is no matter.
std::vector<Part> votes(Session& session) {
    std::vector<std::uint32_t> results;
    for (const int value : {0, 1, 5, -7, 123456}) {
        const Memory in = session.upload(std::vector<int>(32, value)), out{24};
        session.launch(kernel(session, "reduce", "votes"), {{1, 1, 1}, {32, 1, 1}}, in.get(),
                       out.get());
        for (const std::uint32_t word : out.read<std::uint32_t>(6)) results.push_back(word);
    }
    return {part("", Type::b32, results)};
}

std::vector<Part> histogram(Session& session) {
    std::vector<unsigned char> in(10000);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<unsigned char>(k * k % 251);
    const Memory bytes = session.upload(in), out{1024};
    session.launch(kernel(session, "histogram", "histogram"), {{5, 1, 1}, {256, 1, 1}}, bytes.get(),
                   out.get(), 10000);
    return {part("", Type::b32, out.read<std::uint32_t>(256))};
}

std::vector<Part> atomics(Session& session) {
    const Memory i = session.upload(std::vector<int>{-5}),
                 u = session.upload(std::vector<unsigned>{9, 7, 0, 7, 8, 9}),
                 l = session.upload(std::vector<std::uint64_t>{1, 0}),
                 f = session.upload(std::vector<float>{1, 2, 3}),
                 d = session.upload(std::vector<double>{0.5});
    session.launch(kernel(session, "histogram", "atomics"), {}, i.get(), u.get(), l.get(), f.get(),
                   d.get());
    return {part("i", Type::b32, i.read<int>(1)), part("u", Type::b32, u.read<unsigned>(6)),
            part("l", Type::b64, l.read<std::uint64_t>(2)), part("f", Type::f32, f.read<float>(3)),
            part("d", Type::f64, d.read<double>(1))};
}

std::vector<Part> scan(Session& session) {
    std::vector<int> in(256);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<int>(k * 7919 % 1000) - 500;
    const Memory data = session.upload(in);
    session.launch(kernel(session, "scan", "scan"), {{1, 1, 1}, {256, 1, 1}, 1024}, data.get());
    return {part("", Type::b32, data.read<int>(256))};
}

std::vector<Part> saxpy(Session& session) {
    const Memory x = session.upload(floats(1000, 6, -10, 10)),
                 y = session.upload(floats(1000, 7, -10, 10));
    session.launch(kernel(session, "saxpy", "saxpy"), {{8, 1, 1}, {128, 1, 1}}, 900, 1.7f, x.get(),
                   y.get());
    return {part("", Type::f32, y.read<float>(1000))};
}

std::vector<Part> groups(Session& session) {
    const Memory data = session.upload(whole_floats(512, 8));
    Grid grid{{1, 1, 1}, {128, 1, 1}};
    grid.cooperative = true;
    session.launch(kernel(session, "groups", "groups"), grid, data.get(), 512);
    return {part("", Type::f32, data.read<float>(512))};
}

std::vector<Part> half_types(Session& session) {
    const auto halves = [](float scale) {
        std::vector<std::uint16_t> list(16);
        for (std::size_t k = 0; k < list.size(); ++k)
            list[k] = static_cast<std::uint16_t>(0x3800 + k * 0x97 * scale);
        return list;
    };
    const Memory h = session.upload(halves(1)), h2 = session.upload(halves(2)),
                 b = session.upload(std::vector<std::uint16_t>{0, 0x3fc1, 0x4012, 0xbf81}),
                 f = session.upload(std::vector<float>{1.37f, -2.5f, 3.25f, 0.1f, 0, 0});
    session.launch(kernel(session, "half", "half_types"), {}, h.get(), h2.get(), b.get(), f.get());
    // hexp is an approximation.
    return {part("h", Type::f16, h.read<std::uint16_t>(8), {0, 0x1p-9}),
            part("h2", Type::f16, h2.read<std::uint16_t>(16)),
            part("b", Type::bf16, b.read<std::uint16_t>(4)),
            part("f", Type::f32, f.read<float>(6))};
}

/// out[0] depends on a predicate that nothing has set.
std::vector<Part> inline_asm(Session& session) {
    const Memory out = session.upload(std::vector<unsigned>{1, 0x12345678, 0x9abcdef0, 0}),
                 in = session.upload(std::vector<unsigned>{0xdeadbeef, 0x0f1e2d3c, 0x4b5a6978, 3});
    session.launch(kernel(session, "inline_asm", "inline_asm"), {}, out.get(), in.get());
    return {part("", Type::b32, out.read<unsigned>(3, 1))};
}

std::vector<Part> control(Session& session) {
    struct Big {
        double values[6];
    };
    std::vector<int> results;
    for (const int choice : {0, 1, 2, 3, 4, 5, 7, 8}) {
        const Memory out = session.upload(std::vector<int>{0, 11, 22, 13, 44, 55, 6, 77, 8});
        session.launch(kernel(session, "control", "control"), {}, out.get(), choice,
                       Big{{1, 2.5, 3, 4, 5.5, 6}});
        results.push_back(out.read<int>(1)[0]);
    }
    return {part("", Type::b32, results)};
}

template <class T> std::vector<T> arguments() {
    std::vector<T> x;
    for (int k = -20; k < 44; ++k) x.push_back(static_cast<T>(k) * static_cast<T>(0.373));
    x[0] = static_cast<T>(123456.7);
    x[1] = static_cast<T>(1e-5);
    return x;
}

// Sums of all of the mathematics library; the guide's bounds for tgamma and the like add up to
// less than 20 units of the last place of the largest part.
std::vector<Part> libm_float(Session& session) {
    const auto x = arguments<float>();
    const Memory values = session.upload(x);
    session.launch(kernel(session, "libm", "libm_float"), {{1, 1, 1}, {64, 1, 1}}, values.get());
    return {part("", Type::f32, values.read<float>(64), {0, 0, 20})};
}
std::vector<Part> libm_double(Session& session) {
    const auto x = arguments<double>();
    const Memory values = session.upload(x);
    session.launch(kernel(session, "libm", "libm_double"), {{1, 1, 1}, {64, 1, 1}}, values.get());
    return {part("", Type::f64, values.read<double>(64), {0, 0, 20})};
}

std::vector<Part> rounding(Session& session) {
    const Memory x = session.upload(
                     std::vector<float>{0, 1.1f, 3.3f, 1.7f, 0, 2.25f, -7.9f, 1e-3f}),
                 d = session.upload(std::vector<double>{0, 1.1, 2.7, -3.3, 7, -9.99}),
                 i = session.upload(std::vector<int>{0, 123456789, 987654321});
    session.launch(kernel(session, "libm", "rounding"), {}, x.get(), d.get(), i.get());
    return {part("x", Type::f32, x.read<float>(1), {0, 0, 4}), // __fdividef
            part("d", Type::f64, d.read<double>(1)), part("i", Type::b32, i.read<int>(1))};
}

std::vector<Part> signatures(Session& session) {
    struct Settings {
        float feed, kill;
        int counts[3];
        struct {
            short a;
            const double* p;
        } inner;
        alignas(16) float color[4];
        int mode;
    };
    Settings settings{};
    settings.feed = 1.5f, settings.kill = 0.25f, settings.mode = 5;
    const Memory in = session.upload(floats(64, 9, -1, 1)), out{256},
                 points = session.upload(floats(192, 10, -1, 1)),
                 many = session.upload(&settings, sizeof settings);
    session.launch(kernel(session, "signatures", "step"), {{1, 1, 1}, {64, 1, 1}}, in.get(),
                   out.get(), settings, 5, true, static_cast<unsigned char>(200), 1LL << 20, 0.75,
                   60, points.get(), static_cast<unsigned char>(200), CUdeviceptr{0}, many.get(),
                   2.5f, 1.25f);
    return {part("", Type::f32, out.read<float>(64))};
}

std::vector<Part> int128(Session& session) {
    constexpr unsigned kCount = 512;
    std::mt19937_64 random{128};
    std::vector<std::uint64_t> words(4 * kCount); // two operands of two words
    for (std::size_t k = 0; k < words.size(); k += 2) {
        const std::uint64_t kind = random() % 4;
        words[k] = random();
        words[k + 1] = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : random() >> random() % 64;
    }
    const Memory operands = session.upload(words), results{256 * kCount}, reals{32 * kCount};
    session.launch(kernel(session, "int128", "int128"), {{4, 1, 1}, {128, 1, 1}}, operands.get(),
                   results.get(), reals.get());
    return {part("integers", Type::b64, results.read<std::uint64_t>(32 * kCount)),
            part("reals", Type::f64, reals.read<double>(4 * kCount))};
}

std::vector<Part> spaces(Session& session) {
    struct Values {
        float v[4];
    };
    const Memory sums{512}, flags{256};
    session.launch(kernel(session, "spaces", "spaces"), {{1, 1, 1}, {64, 1, 1}, 256}, sums.get(),
                   flags.get(), Values{{7, 8, 9, 10}});
    return {part("sums", Type::f32, sums.read<float>(128)),
            part("flags", Type::b32, flags.read<std::uint32_t>(64))};
}

std::vector<Part> random_numbers(Session& session, const char* name, std::size_t each) {
    const Memory out{4 * 64 * each};
    // The seed is an unsigned long long, which launch() takes for an address.
    constexpr unsigned long long kSeed = 20261121;
    session.note_value(kSeed);
    session.launch(kernel(session, "curand", name), {{1, 1, 1}, {64, 1, 1}}, out.get(), kSeed);
    // Normal numbers are roots of at most 6.8 times sin.approx and cos.approx, whose bound is
    // 2^-20.5.
    return {part("", Type::f32, out.read<float>(64 * each), {2 * 6.8 * std::exp2(-20.5), 1e-6})};
}

} // namespace

void add_kernel_cases(std::vector<Case>& cases) {
    const auto add = [&](const char* name, std::function<std::vector<Part>(Session&)> run) {
        cases.push_back({fmt::format("kernels/{}", name), std::move(run)});
    };
    add("grayscott", grayscott);
    add("mandelbrot", mandelbrot);
    add("matmul", matmul);
    add("nbody", nbody);
    add("reduce", reduce);
    add("votes", votes);
    add("histogram", histogram);
    add("atomics", atomics);
    add("scan", scan);
    add("saxpy", saxpy);
    add("groups", groups);
    add("half", half_types);
    add("inline_asm", inline_asm);
    add("control", control);
    add("libm_float", libm_float);
    add("libm_double", libm_double);
    add("rounding", rounding);
    add("signatures", signatures);
    add("int128", int128);
    add("spaces", spaces);
    add("curand_xorwow", [](Session& s) { return random_numbers(s, "curand_xorwow", 1); });
    add("curand_philox", [](Session& s) { return random_numbers(s, "curand_philox", 4); });
}

} // namespace lathe::recorded
