// SPDX-License-Identifier: MIT
#include "gpu/device_headers.h"

#include "gpu/compile_cache.h"
#include "gpu/system_types.h"

namespace lathe::gpu {
namespace {

// The types are those that libcu++ declares for NVRTC, so that both may be included.
constexpr const char* kStdint = R"(#pragma once
typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t;
typedef long long int64_t; typedef unsigned long long uint64_t;
typedef int8_t int_least8_t, int_fast8_t; typedef uint8_t uint_least8_t, uint_fast8_t;
typedef int16_t int_least16_t; typedef uint16_t uint_least16_t;
typedef int32_t int_least32_t; typedef uint32_t uint_least32_t;
typedef int64_t int_least64_t, int_fast64_t; typedef uint64_t uint_least64_t, uint_fast64_t;
typedef int64_t intptr_t, intmax_t; typedef uint64_t uintptr_t, uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX UINT64_MAX
)";

constexpr const char* kCstdint = R"(#pragma once
#include <stdint.h>
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
)";

constexpr const char* kStddef = R"(#pragma once
typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
)";

constexpr const char* kCstddef = R"(#pragma once
#include <stddef.h>
namespace std {
using ::size_t; using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
)";

constexpr const char* kLimits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

constexpr const char* kFloat = R"(#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_EPSILON 1.1920928955078125e-07f
#define FLT_MIN 1.17549435082228751e-38f
#define FLT_MAX 3.40282346638528860e+38f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
)";

constexpr const char* kMath = R"(#pragma once
#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
)";

constexpr const char* kNothing = "#pragma once\n"; // NVRTC has the contents built in

} // namespace

std::span<const CompileHeader> device_headers() {
    static const std::vector<CompileHeader> headers{
        {"stdio.h", kNothing},
        {"cstdio", kNothing},
        {"stdlib.h", kStddef},
        {"cstdlib", kCstddef},
        {"string.h", kStddef},
        {"cstring", kCstddef},
        {"assert.h", kNothing},
        {"cassert", kNothing},
        {"math.h", kMath},
        {"cmath", "#pragma once\n#include <math.h>\n"},
        {"stdint.h", kStdint},
        {"cstdint", kCstdint},
        {"stddef.h", kStddef},
        {"cstddef", kCstddef},
        {"limits.h", kLimits},
        {"climits", kLimits},
        {"float.h", kFloat},
        {"cfloat", kFloat},
        {"sys/types.h", system_types_header()},
#include "kernels/headers.inc"
    };
    return headers;
}

std::string_view device_headers_key() {
    static const std::string hex = [] {
        CacheKey key;
        for (const CompileHeader& header : device_headers()) key.add(header.name).add(header.text);
        return key.hex();
    }();
    return hex;
}

} // namespace lathe::gpu
