// SPDX-License-Identifier: MIT
// Our declarations of cuFFT's functions beside those of its header, where there is one: the same
// number of parameters, each passed alike, and the same values of enumerations.
#include "gpu/libraries/cufft_abi.h"

#include <gtest/gtest.h>

#if __has_include(<cufft.h>)
#include <cufft.h>

#include <type_traits>

namespace lathe::gpu::cufft_abi {
namespace {

/// Pointers are passed alike whatever they point to, enumerations as int.
template <class Ours, class Theirs> constexpr bool is_passed_alike() {
    if constexpr (std::is_pointer_v<Ours>) return std::is_pointer_v<Theirs>;
    else if constexpr (std::is_enum_v<Theirs>)
        return std::is_same_v<Ours, int> && sizeof(Theirs) == sizeof(int);
    else return std::is_same_v<Ours, Theirs>;
}

template <class Ours, class Theirs> struct Same;
template <class R, class... A, class S, class... B> struct Same<R(A...), S(B...)> {
    static constexpr bool value = [] {
        if constexpr (sizeof...(A) != sizeof...(B)) return false;
        else return is_passed_alike<R, S>() && (is_passed_alike<A, B>() && ...);
    }();
};

static_assert(Same<Create, decltype(cufftCreate)>::value);
static_assert(Same<Destroy, decltype(cufftDestroy)>::value);
static_assert(Same<SetAutoAllocation, decltype(cufftSetAutoAllocation)>::value);
static_assert(Same<MakePlanMany64, decltype(cufftMakePlanMany64)>::value);
static_assert(Same<SetWorkArea, decltype(cufftSetWorkArea)>::value);
static_assert(Same<SetStream, decltype(cufftSetStream)>::value);
static_assert(Same<ExecuteComplex, decltype(cufftExecC2C)>::value);
static_assert(Same<ExecuteComplex, decltype(cufftExecZ2Z)>::value);
static_assert(Same<ExecuteReal, decltype(cufftExecR2C)>::value);
static_assert(Same<ExecuteReal, decltype(cufftExecC2R)>::value);
static_assert(Same<ExecuteReal, decltype(cufftExecD2Z)>::value);
static_assert(Same<ExecuteReal, decltype(cufftExecZ2D)>::value);
static_assert(!Same<ExecuteReal, decltype(cufftExecC2C)>::value);
static_assert(!Same<SetWorkArea, decltype(cufftSetAutoAllocation)>::value);
static_assert(kR2C == CUFFT_R2C && kC2R == CUFFT_C2R && kC2C == CUFFT_C2C);
static_assert(kD2Z == CUFFT_D2Z && kZ2D == CUFFT_Z2D && kZ2Z == CUFFT_Z2Z);
static_assert(kForward == CUFFT_FORWARD && kInverse == CUFFT_INVERSE);
static_assert(CUFFT_SUCCESS == 0);

TEST(CufftAbi, OurDeclarationsAreTheHeaders) { SUCCEED() << "checked when this was compiled"; }

} // namespace
} // namespace lathe::gpu::cufft_abi
#else
TEST(CufftAbi, OurDeclarationsAreTheHeaders) { GTEST_SKIP() << "there is no cufft.h"; }
#endif
