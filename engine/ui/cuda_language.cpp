// SPDX-License-Identifier: MIT
#include "engine/ui/cuda_language.h"

#include <fmt/core.h>

namespace lathe {

namespace {

TextEditor::Language make() {
    TextEditor::Language cuda = *TextEditor::Language::Cpp();
    cuda.name = "CUDA C++";
    for (const char* word :
         {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__",
          "__restrict__", "__forceinline__", "__noinline__", "__launch_bounds__",
          "__grid_constant__", "__align__", "__cluster_dims__"})
        cuda.keywords.insert(word);
    for (const char* element : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                "longlong", "ulonglong", "float", "double"})
        for (int n = 1; n <= 4; ++n) cuda.declarations.insert(fmt::format("{}{}", element, n));
    for (const char* type :
         {"dim3", "size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
          "uint32_t", "uint64_t", "uint", "half", "half2", "__half", "__half2", "__nv_bfloat16",
          "cudaTextureObject_t", "cudaSurfaceObject_t"})
        cuda.declarations.insert(type);
    for (const char* name : {"threadIdx",
                             "blockIdx",
                             "blockDim",
                             "gridDim",
                             "warpSize",
                             "__syncthreads",
                             "__syncthreads_count",
                             "__syncthreads_and",
                             "__syncthreads_or",
                             "__syncwarp",
                             "__threadfence",
                             "__threadfence_block",
                             "__threadfence_system",
                             "__shfl_sync",
                             "__shfl_up_sync",
                             "__shfl_down_sync",
                             "__shfl_xor_sync",
                             "__ballot_sync",
                             "__any_sync",
                             "__all_sync",
                             "__activemask",
                             "__reduce_add_sync",
                             "__popc",
                             "__clz",
                             "__ffs",
                             "__brev",
                             "__ldg",
                             "__fdividef",
                             "__expf",
                             "__logf",
                             "__sinf",
                             "__cosf",
                             "__powf",
                             "__saturatef",
                             "__float_as_int",
                             "__int_as_float",
                             "__float2int_rn",
                             "__trap",
                             "atomicAdd",
                             "atomicSub",
                             "atomicMin",
                             "atomicMax",
                             "atomicExch",
                             "atomicCAS",
                             "atomicAnd",
                             "atomicOr",
                             "atomicXor",
                             "atomicInc",
                             "atomicDec",
                             "tex1D",
                             "tex2D",
                             "tex3D",
                             "surf2Dread",
                             "surf2Dwrite",
                             "clock64",
                             "printf",
                             "assert",
                             "min",
                             "max",
                             "abs",
                             "sqrtf",
                             "rsqrtf",
                             "sinf",
                             "cosf",
                             "tanf",
                             "expf",
                             "exp2f",
                             "logf",
                             "log2f",
                             "powf",
                             "fminf",
                             "fmaxf",
                             "fabsf",
                             "floorf",
                             "ceilf",
                             "roundf",
                             "fmodf",
                             "hypotf",
                             "atan2f",
                             "tanhf",
                             "fmaf",
                             "isnan",
                             "isinf",
                             "sqrt",
                             "sin",
                             "cos",
                             "exp",
                             "log",
                             "pow",
                             "make_float2",
                             "make_float3",
                             "make_float4",
                             "make_int2",
                             "make_int3",
                             "make_int4",
                             "make_uchar4",
                             "make_uint2",
                             "make_double2"})
        cuda.identifiers.insert(name);
    return cuda;
}

} // namespace

const TextEditor::Language* cuda_language() {
    static const TextEditor::Language cuda = make();
    return &cuda;
}

} // namespace lathe
