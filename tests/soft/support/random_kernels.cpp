// SPDX-License-Identifier: MIT
#include "tests/soft/support/random_kernels.h"

#include <fmt/format.h>

#include <random>
#include <utility>
#include <vector>

namespace lathe::test {

namespace {

/// fmt::format whose arguments are worked out from left to right with every compiler: they draw
/// random numbers, and a recording of a GPU's results needs the same kernels everywhere.
struct Text {
    template <class... Arguments>
    explicit Text(fmt::format_string<Arguments...> format, Arguments&&... arguments)
        : text{fmt::format(format, std::forward<Arguments>(arguments)...)} {}
    std::string text;
};

class Generator {
public:
    Generator(std::uint32_t seed, Operations operations)
        : random_{seed}, defined_{operations == Operations::defined} {}

    std::string kernel(const std::string& name) {
        const bool meets = pick(2);
        std::string body;
        const int statements = 2 + pick(4);
        for (int k = 0; k < statements; ++k) body += statement(0, false, meets);
        return Text{R"(
extern "C" __global__ void {}(const unsigned* in, unsigned* out, unsigned* sums) {{
    __shared__ unsigned locks[2], guarded[2];
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
        locks[0] = locks[1] = guarded[0] = guarded[1] = 0;
    __syncthreads();
    __shared__ unsigned shared[1024];
    const unsigned lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned id = blockIdx.x * threads + lane;
    unsigned a = in[id & 255], b = threadIdx.x, c = id * 7 + 3, d = blockIdx.x + 5, e = 1;
    float x = a * 0.25f, y = 1.5f + lane;
    unsigned local[4] = {{a, b, c, d}};
    out += 8 * id;
    shared[lane] = a;
{}    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e;
    out[5] = __float_as_uint(x); out[6] = __float_as_uint(y); out[7] = local[a & 3] + shared[lane];
    __syncthreads();
    out[7] += guarded[0] + 3 * guarded[1];
}}
)",
                    name, body}
            .text;
    }

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    bool one_in(int n) { return pick(n) == 0; }

    std::string variable() { return std::string(1, "abcde"[pick(5)]); }

    std::string constant() {
        static constexpr unsigned kValues[] = {0,  1,  2,   3,   5,           7,
                                               31, 32, 100, 255, 0x80000000u, 0xffffffffu};
        return Text{"{}u", kValues[pick(12)]}.text;
    }

    std::string value(int depth) {
        switch (pick(depth > 2 ? 4 : 17)) {
        case 0: return constant();
        case 1: return variable();
        case 2: return "lane";
        case 3: return variable();
        case 4: return Text{"({} + {})", value(depth + 1), value(depth + 1)}.text;
        case 5: return Text{"({} - {})", value(depth + 1), value(depth + 1)}.text;
        case 6: return Text{"({} * {})", value(depth + 1), value(depth + 1)}.text;
        case 7: return Text{"({} & {})", value(depth + 1), value(depth + 1)}.text;
        case 8: return Text{"({} ^ {})", value(depth + 1), value(depth + 1)}.text;
        case 9: return Text{"({} << ({} & 31))", value(depth + 1), value(depth + 1)}.text;
        case 10: return Text{"({} >> ({} & 31))", value(depth + 1), value(depth + 1)}.text;
        case 11: return Text{"({} / ({} | 1u))", value(depth + 1), value(depth + 1)}.text;
        case 12:
            return Text{"((unsigned)((int){} % (int)(({} & 15) + 1)))", value(depth + 1),
                        value(depth + 1)}
                .text;
        case 13:
            return Text{"({} ? {} : {})", condition(), value(depth + 1), value(depth + 1)}.text;
        case 14: return Text{"in[{} & 255]", value(depth + 1)}.text;
        case 15: return Text{"local[{} & 3]", value(depth + 1)}.text;
        default: return Text{"in[(lane + {}u) & 255]", pick(4) - 1}.text;
        }
    }

    std::string condition() {
        static constexpr const char* kCompare[] = {"<", ">", "==", "!=", "<=", ">="};
        switch (pick(5)) {
        case 0: return Text{"(({} & 3) {} {}u)", value(1), kCompare[pick(6)], pick(4)}.text;
        case 1: return Text{"((int){} {} (int){})", value(2), kCompare[pick(6)], value(2)}.text;
        case 2: return Text{"(x {} y)", kCompare[pick(6)]}.text;
        case 3: return Text{"(lane % {} == {})", pick(7) + 1, pick(3)}.text;
        default: return Text{"({} {} {})", value(2), kCompare[pick(6)], value(2)}.text;
        }
    }

    /// The same for all threads of the block.
    std::string uniform_condition() {
        return Text{"((blockIdx.x + {}) % {} == 0)", pick(3), pick(3) + 1}.text;
    }

    std::string block(int depth, bool divergent, bool meets) {
        std::string text = "{\n";
        const int statements = 1 + pick(3);
        for (int k = 0; k < statements; ++k) text += statement(depth + 1, divergent, meets);
        return text + "}\n";
    }

    std::string loop(int depth, bool divergent, bool meets) {
        const int n = counters_++;
        const bool uniform = !divergent && one_in(3);
        const std::string most =
            uniform ? Text{"{}u", 1 + pick(5)}.text : Text{"({} & 7)", value(1)}.text;
        ++loops_;
        const bool outer = std::exchange(uniform_loop_, uniform && !divergent);
        const std::string body = block(depth, divergent || !uniform, meets);
        uniform_loop_ = outer;
        --loops_;
        switch (pick(3)) {
        case 0: return Text{"for (unsigned i{0} = 0; i{0} < {1}; ++i{0}) {2}", n, most, body}.text;
        case 1:
            return Text{"{{ unsigned i{0} = {1}; while (i{0}-- > 0) {2} }}\n", n, most, body}.text;
        default:
            return Text{"{{ unsigned i{0} = {1}; do {2} while (i{0}-- > 0); }}\n", n, most, body}
                .text;
        }
    }

    /// Vectors and structures that lie side by side from thread to thread, and in other places.
    std::string record() {
        static constexpr const char* kPlaces[] = {"lane", "(lane + 1)", "(id & 31)",
                                                  "((lane ^ 1) + 2)", "(a & 31)"};
        const int n = counters_++;
        const std::string place = kPlaces[pick(5)];
        switch (pick(4)) {
        case 0:
            return Text{"{{ const uint4 q{0} = ((const uint4*)in)[{1} & 63]; {2} += q{0}.x; "
                        "{3} ^= q{0}.y + q{0}.{4}; }}\n",
                        n,
                        place,
                        variable(),
                        variable(),
                        "zw"[pick(2)]}
                .text;
        case 1:
            return Text{"{{ const uint2 q{0} = ((const uint2*)in)[{1} & 127]; {2} += q{0}.x; "
                        "{3} -= q{0}.y; }}\n",
                        n, place, variable(), variable()}
                .text;
        case 2:
            return Text{"{{ const unsigned k{0} = 3 * ({1} & 63); {2} += in[k{0} + {3}] ^ "
                        "in[k{0} + 2]; }}\n",
                        n, place, variable(), pick(2)}
                .text;
        default:
            if (one_in(2))
                return Text{"*(uint2*)(out + {0}) = make_uint2({1}, {2}); {3} += out[{0}];\n",
                            2 * pick(4), value(1), value(1), variable()}
                    .text;
            return Text{"*(uint4*)(out + {0}) = make_uint4({1}, {2}, a, {1}); {3} ^= out[{0} + "
                        "1];\n",
                        4 * pick(2), value(1), value(1), variable()}
                .text;
        }
    }

    std::string statement(int depth, bool divergent, bool meets) {
        const bool nests = depth < 3;
        if (!defined_ && one_in(8)) return record();
        switch (pick(20)) {
        case 19: {
            static constexpr const char* kFunctions[] = {"__sinf", "__cosf", "__expf", "__log2f",
                                                         "tanhf",  "rsqrtf", "sqrtf",  "__frcp_rn"};
            static constexpr const char* kExact[] = {"floorf",     "fabsf",    "rintf",
                                                     "truncf",     "ceilf",    "__fsqrt_rd",
                                                     "__fsqrt_rn", "__frcp_rn"};
            return Text{"{} = {}({});\n", one_in(2) ? "x" : "y",
                        (defined_ ? kExact : kFunctions)[pick(8)], one_in(2) ? "x" : "y"}
                .text;
        }
        case 16: { // a lock of the block or of the grid
            if (loops_ > 1) break;
            const std::string k = one_in(2) ? "0" : "1";
            return one_in(2) ? locked("&locks[" + k + "]", "guarded[" + k + "]", divergent)
                             : locked("&sums[16]", "sums[17]", divergent);
        }
        case 17: // the barriers of a block at two places
            if (divergent || !meets || !nests) break;
            return branches();
        case 18: // lanes of a warp that meet at other places than the rest of it
            if (divergent || !meets || !nests) break;
            return apart();
        case 0:
        case 1:
            if (!nests) break;
            return Text{"if ({}) {}", condition(), block(depth, true, meets)}.text;
        case 2:
            if (!nests) break;
            return Text{"if ({}) {}else {}", condition(), block(depth, true, meets),
                        block(depth, true, meets)}
                .text;
        case 3:
            if (!nests) break;
            return Text{"if ({}) {}", uniform_condition(), block(depth, divergent, meets)}.text;
        case 4:
        case 5:
            if (!nests) break;
            return loop(depth, divergent, meets);
        case 6: {
            if (!nests) break;
            const int in_switch = loops_;
            loops_ = 0; // break would mean the switch
            std::string text = Text{"switch ({} & 3) {{\n", value(1)}.text;
            for (int k = 0; k < 3; ++k) {
                text += Text{"case {}: {}", k, block(depth, true, meets)}.text;
                if (!one_in(4)) text += "break;\n";
            }
            loops_ = in_switch;
            return text + Text{"default: {} }}\n", block(depth, true, meets)}.text;
        }
        case 7:
            // Uniform loops stay uniform: their barriers and shuffles count on all threads.
            if (!loops_ || uniform_loop_ || !divergent) break;
            return Text{"if ({}) {};\n", condition(), one_in(2) ? "break" : "continue"}.text;
        case 8:
            if (!divergent || meets || !one_in(2)) break;
            return Text{"if ({}) {{ out[0] = {}; out[3] = 77; return; }}\n", condition(), value(1)}
                .text;
        case 9:
            if (divergent || !meets) break;
            if (one_in(2)) {
                return Text{"__syncthreads(); shared[lane] = {}; __syncthreads(); {} += "
                            "shared[({}) % threads]; __syncthreads();\n",
                            value(1), variable(), value(1)}
                    .text;
            }
            return Text{"{} = __syncthreads_count({});\n", variable(), condition()}.text;
        case 10:
            if (divergent || !meets) break;
            return shuffle();
        case 11: return Text{"local[{} & 3] = {};\n", value(1), value(1)}.text;
        case 12: return Text{"atomicAdd(&sums[{} & 15], {});\n", value(1), value(1)}.text;
        case 13:
            return Text{"{} = {}({}, {});\n", variable(), one_in(2) ? "mixed" : "recursive",
                        value(2), value(2)}
                .text;
        case 14:
            return Text{"{} = {} {} {} * {}.5f;\n",
                        one_in(2) ? "x" : "y",
                        "x",
                        one_in(2) ? "+" : "-",
                        "y",
                        pick(3)}
                .text;
        default: break;
        }
        return Text{"{} {} {};\n", variable(), one_in(3) ? "=" : "+=", value(0)}.text;
    }

    /// Adds to `sum` without an atomic update.
    std::string locked(const std::string& lock, const std::string& sum, bool divergent) {
        const std::string update =
            Text{"*(volatile unsigned*)&{} += {};\n__threadfence();\natomicExch({}, 0u);\n", sum,
                 value(1), lock}
                .text;
        if (divergent || one_in(2))
            return Text{"while (atomicCAS({}, 0u, 1u) != 0u) {{}}\n{}", lock, update}.text;
        const int n = counters_++;
        return Text{"for (bool done{0} = false; !done{0};) if (atomicExch({1}, 1u) == 0u) {{\n"
                    "{2}done{0} = true; }}\n",
                    n, lock, update}
            .text;
    }

    std::string exchange() {
        return Text{"shared[lane] = {};\n__syncthreads();\n{} += shared[({}) % threads];\n"
                    "__syncthreads();\n",
                    value(1), variable(), value(1)}
            .text;
    }

    /// Two branches whose barriers are the same in number.
    std::string branches() {
        // bar.sync, which NVRTC writes, wants all lanes of a warp at one place.
        if (defined_)
            return Text{"if ({}) {} = {};\n{}", condition(), variable(), value(1), exchange()}.text;
        return Text{"if ({}) {{\n{} = {};\n{}}} else {{\n{} ^= {};\n{}}}\n",
                    condition(),
                    variable(),
                    value(1),
                    exchange(),
                    variable(),
                    value(1),
                    exchange()}
            .text;
    }

    /// Warp operations of the lanes that a vote found, and of the others.
    std::string apart() {
        const int n = counters_++;
        const std::string v = variable(), w = variable();
        if (defined_) return apart_with_sources(n, v, w);
        return Text{
            "{{ const unsigned all{0} = __ballot_sync(~0u, 1), in{0} = __ballot_sync(all{0}, "
            "{1});\n"
            "if (in{0} >> (lane & 31) & 1) {{ {2} += __shfl_xor_sync(in{0}, {2}, {3}) + "
            "__popc(__ballot_sync(in{0}, {4})); }}\n"
            "else {{ {5} += __any_sync(all{0} & ~in{0}, {4}); {2} ^= "
            "__shfl_sync(all{0} & ~in{0}, {2}, __ffs(all{0} & ~in{0}) - 1); }}\n"
            "__syncwarp(all{0}); }}\n",
            n,
            condition(),
            v,
            1 << pick(5),
            condition(),
            w}
            .text;
    }

    /// The same, without values of lanes that take no part.
    std::string apart_with_sources(int n, const std::string& v, const std::string& w) {
        return Text{
            "{{ const unsigned all{0} = __ballot_sync(~0u, 1), in{0} = __ballot_sync(all{0}, "
            "{1});\n"
            "if (in{0} >> (lane & 31) & 1) {{ const unsigned got{0} = __shfl_xor_sync(in{0}, {2}, "
            "{3});\n"
            "{2} += (in{0} >> ((lane ^ {3}u) & 31) & 1 ? got{0} : 1u) + "
            "__popc(__ballot_sync(in{0}, "
            "{4})); }}\n"
            "else {{ {5} += __any_sync(all{0} & ~in{0}, {4}); {2} ^= "
            "__shfl_sync(all{0} & ~in{0}, {2}, __ffs(all{0} & ~in{0}) - 1); }}\n"
            "__syncwarp(all{0}); }}\n",
            n,
            condition(),
            v,
            1 << pick(5),
            condition(),
            w}
            .text;
    }

    std::string shuffle() {
        static constexpr const char* kKind[] = {"__shfl_up_sync", "__shfl_down_sync",
                                                "__shfl_xor_sync", "__shfl_sync"};
        switch (pick(5)) {
        case 0: return Text{"{} = __ballot_sync(~0u, {});\n", variable(), condition()}.text;
        case 1: return Text{"{} = __match_any_sync(~0u, {} & 3);\n", variable(), value(1)}.text;
        case 2:
            return Text{"{} += __shfl_sync(~0u, {}, {});\n", variable(), value(1), value(1)}.text;
        case 3:
            return Text{"{} += __any_sync(~0u, {}) + 2 * __all_sync(~0u, {});\n", variable(),
                        condition(), condition()}
                .text;
        default:
            return Text{"{} += {}(~0u, {}, {}, {});\n",
                        variable(),
                        kKind[pick(4)],
                        variable(),
                        pick(32),
                        1 << (2 + pick(4))}
                .text;
        }
    }

    std::mt19937 random_;
    const bool defined_;
    int counters_ = 0, loops_ = 0;
    bool uniform_loop_ = false; ///< the innermost loop
};

} // namespace

std::string random_kernel(const std::string& name, std::uint32_t seed, Operations operations) {
    return Generator{seed, operations}.kernel(name);
}

std::string random_kernel_prelude() {
    return R"(
__device__ __noinline__ unsigned mixed(unsigned x, unsigned y) {
    unsigned r = x;
    for (unsigned i = 0; i < (y & 5); ++i) {
        if ((r & 3) == 1) continue;
        r = r * 3 + i;
        if (r > 1000000u) break;
    }
    return r;
}
__device__ __noinline__ unsigned recursive(unsigned x, unsigned y) {
    if ((x & 3) == 0) return y;
    return recursive(x - 1, y * 5 + 1) + (x & 1);
}
)";
}

} // namespace lathe::test
