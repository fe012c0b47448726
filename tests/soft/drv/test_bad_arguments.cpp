// SPDX-License-Identifier: MIT
// Every function of the driver library with arguments that mean nothing: each answers, none ends
// the process, and the device works afterwards.
#include "tests/soft/rt/driver_test.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <string_view>

namespace lathe::test {
namespace {

constexpr const char* kSymbols[] = {
#define LATHE_CU_PROC(name, version, per_thread, symbol) #symbol,
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
};

// Those that call what they are given, or that wait for ever for a value: not for guessing.
bool is_left_out(std::string_view symbol) {
    return symbol.starts_with("cuLaunchHostFunc") || symbol.starts_with("cuStreamAddCallback") ||
           symbol.starts_with("cuStreamWaitValue") || symbol.starts_with("cuStreamBatchMemOp");
}

class BadArguments : public DriverTest {
protected:
    using Function = CUresult (*)(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t,
                                  std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t,
                                  std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t);
    using Arguments = std::array<std::uintptr_t, 12>;

    static CUresult call(const char* symbol, const Arguments& a) {
        auto f = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
        EXPECT_NE(f, nullptr) << symbol;
        if (!f) return CUDA_ERROR_NOT_FOUND;
        return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    }

    // Calls all in a context of their own; `make` fills the arguments before each call.
    template <class Make> void call_all(Make&& make) {
        for (const char* symbol : kSymbols) {
            if (is_left_out(symbol)) continue;
            SCOPED_TRACE(symbol);
            CUcontext own = nullptr;
            CHECK_CU(cuCtxCreate(&own, nullptr, 0, 0));
            Arguments arguments = make();
            const CUresult result = call(symbol, arguments);
            const char* name = nullptr;
            EXPECT_EQ(cuGetErrorName(result, &name), CUDA_SUCCESS) << "answers " << result;
            cuCtxDestroy(own); // what it made goes, too
            CUcontext popped = nullptr;
            while (cuCtxPopCurrent(&popped) == CUDA_SUCCESS && popped) {}
            // A test function may have made or released the primary context.
            CUcontext primary = nullptr;
            CHECK_CU(cuDevicePrimaryCtxRetain(&primary, 0));
            context_ = primary;
            CHECK_CU(cuCtxPushCurrent(context_));
        }
    }

    void expect_works() {
        CUfunction f = kernel("extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += 1; }");
        Buffer<int> x{std::vector<int>{1, 2}};
        CHECK_CU(launch(f, shape(1, 2), x.get()));
        EXPECT_EQ(x.read(), (std::vector<int>{2, 3}));
    }
};

TEST_F(BadArguments, AllZero) {
    call_all([] { return Arguments{}; });
    expect_works();
}

// Memory without meaning: as handles unknown, as results writable, as structures all zero.
TEST_F(BadArguments, MemoryOfZeros) {
    alignas(64) static std::array<std::array<char, 16384>, 12> memory;
    call_all([&] {
        memory = {};
        Arguments a;
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = reinterpret_cast<std::uintptr_t>(memory[i].data());
        return a;
    });
    expect_works();
}

TEST_F(BadArguments, OneZeroAmongMemory) {
    alignas(64) static std::array<std::array<char, 16384>, 12> memory;
    for (std::size_t zero = 0; zero < 6; ++zero) {
        call_all([&] {
            memory = {};
            Arguments a;
            for (std::size_t i = 0; i < a.size(); ++i)
                a[i] = i == zero ? 0 : reinterpret_cast<std::uintptr_t>(memory[i].data());
            return a;
        });
    }
    expect_works();
}

// The one argument that every call needs, then small numbers: sizes, counts, flags.
TEST_F(BadArguments, SmallNumbersBehindMemory) {
    alignas(64) static std::array<char, 16384> memory;
    for (std::uintptr_t number : {1u, 2u, 7u, 255u}) {
        call_all([&] {
            memory = {};
            Arguments a;
            a.fill(number);
            a[0] = reinterpret_cast<std::uintptr_t>(memory.data());
            return a;
        });
    }
    expect_works();
}

} // namespace
} // namespace lathe::test
