# SPDX-License-Identifier: MIT
"""Constants of the CUDA driver under PyCUDA's names.

Each class is an int with names: ``ctx_flags.SCHED_SPIN`` prints as ``SCHED_SPIN``, `names` and
`values` find a constant by name and by number, ``a | b`` is an int. Names of one number are one
constant. Numbers are those of cuda.h.
"""

from lathe.cuda.device_attributes import device_attribute as device_attribute
from lathe.cuda.flags import Flags


class ctx_flags(Flags):
    """How a context waits; for `Device.make_context`."""

    SCHED_AUTO = 0
    SCHED_SPIN = 1
    SCHED_YIELD = 2
    SCHED_BLOCKING_SYNC = 4
    BLOCKING_SYNC = 4
    SCHED_MASK = 7
    MAP_HOST = 8
    LMEM_RESIZE_TO_MAX = 16
    FLAGS_MASK = 255


class event_flags(Flags):
    """For `Event`."""

    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class stream_flags(Flags):
    """For `Stream`."""

    DEFAULT = 0
    NON_BLOCKING = 1


class graph_node_type(Flags):
    """What a node of a `Graph` does."""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    HOST = 3
    GRAPH = 4
    EMPTY = 5
    WAIT_EVENT = 6
    EVENT_RECORD = 7
    MEM_ALLOC = 10
    MEM_FREE = 11


class pointer_attribute(Flags):
    """For `pointer_get_attribute`."""

    CONTEXT = 1
    MEMORY_TYPE = 2
    DEVICE_POINTER = 3
    HOST_POINTER = 4
    SYNC_MEMOPS = 6
    BUFFER_ID = 7
    IS_MANAGED = 8
    DEVICE_ORDINAL = 9
    IS_LEGACY_CUDA_IPC_CAPABLE = 10
    RANGE_START_ADDR = 11
    RANGE_SIZE = 12
    MAPPED = 13
    ALLOWED_HANDLE_TYPES = 14
    IS_GPU_DIRECT_RDMA_CAPABLE = 15
    ACCESS_FLAGS = 16
    MEMPOOL_HANDLE = 17
    MAPPING_SIZE = 18
    MAPPING_BASE_ADDR = 19
    MEMORY_BLOCK_ID = 20


class profiler_output_mode(Flags):
    """Of profilers that CUDA no longer has."""

    KEY_VALUE_PAIR = 0
    CSV = 1


class function_attribute(Flags):
    """For `Function.get_attribute`; `function.num_regs` reads NUM_REGS."""

    MAX_THREADS_PER_BLOCK = 0
    SHARED_SIZE_BYTES = 1
    CONST_SIZE_BYTES = 2
    LOCAL_SIZE_BYTES = 3
    NUM_REGS = 4
    PTX_VERSION = 5
    BINARY_VERSION = 6
    CACHE_MODE_CA = 7
    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    PREFERRED_SHARED_MEMORY_CARVEOUT = 9
    CLUSTER_SIZE_MUST_BE_SET = 10
    REQUIRED_CLUSTER_WIDTH = 11
    REQUIRED_CLUSTER_HEIGHT = 12
    REQUIRED_CLUSTER_DEPTH = 13
    NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
    CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15
    MAX = 16


class func_cache(Flags):
    """Whether a kernel rather has shared memory or cache."""

    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class shared_config(Flags):
    """Width of a bank of shared memory; without effect since compute capability 7."""

    DEFAULT_BANK_SIZE = 0
    FOUR_BYTE_BANK_SIZE = 1
    EIGHT_BYTE_BANK_SIZE = 2


class array_format(Flags):
    """Kind of number in a CUDA array."""

    UNSIGNED_INT8 = 1
    UNSIGNED_INT16 = 2
    UNSIGNED_INT32 = 3
    SIGNED_INT8 = 8
    SIGNED_INT16 = 9
    SIGNED_INT32 = 10
    HALF = 16
    FLOAT = 32


class array3d_flags(Flags):
    """Kinds of CUDA arrays."""

    ARRAY3D_2DARRAY = 1
    ARRAY3D_LAYERED = 1
    LAYERED = 1
    SURFACE_LDST = 2
    CUBEMAP = 4
    TEXTURE_GATHER = 8


class address_mode(Flags):
    """What a texture gives beyond its edges."""

    WRAP = 0
    CLAMP = 1
    MIRROR = 2
    BORDER = 3


class filter_mode(Flags):
    """Whether a texture interpolates."""

    POINT = 0
    LINEAR = 1


class read_mode(Flags):
    """What a `TextureObject` makes of integers of 8 and 16 bits."""

    ELEMENT_TYPE = 0
    NORMALIZED_FLOAT = 1


class memory_type(Flags):
    """Sides of a copy."""

    HOST = 1
    DEVICE = 2
    ARRAY = 3
    UNIFIED = 4


class compute_mode(Flags):
    """Whom a device lets compute."""

    DEFAULT = 0
    PROHIBITED = 2
    EXCLUSIVE_PROCESS = 3


class jit_option(Flags):
    """For `module_from_buffer` and linkers."""

    MAX_REGISTERS = 0
    THREADS_PER_BLOCK = 1
    WALL_TIME = 2
    INFO_LOG_BUFFER = 3
    INFO_LOG_BUFFER_SIZE_BYTES = 4
    ERROR_LOG_BUFFER = 5
    ERROR_LOG_BUFFER_SIZE_BYTES = 6
    OPTIMIZATION_LEVEL = 7
    TARGET_FROM_CUCONTEXT = 8
    TARGET = 9
    FALLBACK_STRATEGY = 10
    GENERATE_DEBUG_INFO = 11
    LOG_VERBOSE = 12
    GENERATE_LINE_INFO = 13
    CACHE_MODE = 14
    FAST_COMPILE = 16
    LTO = 20
    FTZ = 21
    PREC_DIV = 22
    PREC_SQRT = 23
    FMA = 24
    OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29
    POSITION_INDEPENDENT_CODE = 30
    MIN_CTA_PER_SM = 31
    MAX_THREADS_PER_BLOCK = 32
    OVERRIDE_DIRECTIVE_VALUES = 33
    SPLIT_COMPILE = 34


class jit_target(Flags):
    """Targets of a linker, by compute capability; A: of this one alone, F: of its family."""

    COMPUTE_10 = 10
    COMPUTE_11 = 11
    COMPUTE_12 = 12
    COMPUTE_13 = 13
    COMPUTE_20 = 20
    COMPUTE_21 = 21
    COMPUTE_30 = 30
    COMPUTE_32 = 32
    COMPUTE_35 = 35
    COMPUTE_37 = 37
    COMPUTE_50 = 50
    COMPUTE_52 = 52
    COMPUTE_53 = 53
    COMPUTE_60 = 60
    COMPUTE_61 = 61
    COMPUTE_62 = 62
    COMPUTE_70 = 70
    COMPUTE_72 = 72
    COMPUTE_75 = 75
    COMPUTE_80 = 80
    COMPUTE_86 = 86
    COMPUTE_87 = 87
    COMPUTE_89 = 89
    COMPUTE_90 = 90
    COMPUTE_100 = 100
    COMPUTE_103 = 103
    COMPUTE_110 = 110
    COMPUTE_120 = 120
    COMPUTE_121 = 121
    COMPUTE_90A = 65626
    COMPUTE_100A = 65636
    COMPUTE_103A = 65639
    COMPUTE_110A = 65646
    COMPUTE_120A = 65656
    COMPUTE_121A = 65657
    COMPUTE_100F = 131172
    COMPUTE_103F = 131175
    COMPUTE_110F = 131182
    COMPUTE_120F = 131192
    COMPUTE_121F = 131193


class jit_fallback(Flags):
    """What to take where no code fits."""

    PREFER_PTX = 0
    PREFER_BINARY = 1


class jit_input_type(Flags):
    """Kinds of a linker's inputs."""

    CUBIN = 0
    PTX = 1
    FATBINARY = 2
    OBJECT = 3
    LIBRARY = 4
    NVVM = 5


class host_alloc_flags(Flags):
    """For page-locked memory."""

    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_attach_flags(Flags):
    """Who may use managed memory."""

    GLOBAL = 1
    HOST = 2
    SINGLE = 4


class mem_advise(Flags):
    """How managed memory will be used; for `ManagedAllocation.advise`."""

    SET_READ_MOSTLY = 1
    UNSET_READ_MOSTLY = 2
    SET_PREFERRED_LOCATION = 3
    UNSET_PREFERRED_LOCATION = 4
    SET_ACCESSED_BY = 5
    UNSET_ACCESSED_BY = 6


class mem_host_register_flags(Flags):
    """For `register_host_memory`."""

    PORTABLE = 1
    DEVICEMAP = 2
    READ_ONLY = 8


class limit(Flags):
    """For `Context.set_limit`."""

    STACK_SIZE = 0
    PRINTF_FIFO_SIZE = 1
    MALLOC_HEAP_SIZE = 2
    DEV_RUNTIME_SYNC_DEPTH = 3
    DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4


class access_property(Flags):
    """What the L2 cache does with a range; for `access_policy_window=` of a call."""

    NORMAL = 0
    STREAMING = 1
    PERSISTING = 2


class module_loading_mode(Flags):
    """When a module's kernels are loaded: with it, or each before its first launch."""

    EAGER = 1
    LAZY = 2


class ipc_mem_flags(Flags):
    """For memory of another process."""

    LAZY_ENABLE_PEER_ACCESS = 1


class graphics_register_flags(Flags):
    """What CUDA does with a GL object."""

    NONE = 0
    READ_ONLY = 1
    WRITE_DISCARD = 2
    SURFACE_LDST = 4
    TEXTURE_GATHER = 8


class array_cubemap_face(Flags):
    """Faces of a cubemap."""

    POSITIVE_X = 0
    NEGATIVE_X = 1
    POSITIVE_Y = 2
    NEGATIVE_Y = 3
    POSITIVE_Z = 4
    NEGATIVE_Z = 5


# Flags of texture references.
TRSA_OVERRIDE_FORMAT = 1
TRSF_READ_AS_INTEGER = 1
TRSF_NORMALIZED_COORDINATES = 2
TR_DEFAULT = -1

setattr(array3d_flags, "2DARRAY", array3d_flags.ARRAY3D_2DARRAY)
