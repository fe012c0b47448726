// SPDX-License-Identifier: MIT
// The structures of DLPack 1.1, the in-memory exchange of arrays (dmlc/dlpack,
// include/dlpack/dlpack.h).
#pragma once

#include <cstdint>

namespace lathe::bind::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : std::uint8_t {
    signed_integer = 0,
    unsigned_integer = 1,
    floating = 2,
    complex = 5,
    boolean = 6
};

struct Device {
    std::int32_t type;
    std::int32_t id;
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

/// Strides count elements; null where the tensor is compact in C order.
struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};

/// In capsules named "dltensor", until version 1.0.
struct Managed {
    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};

struct Version {
    std::uint32_t major;
    std::uint32_t minor;
};

constexpr std::uint64_t kReadOnly = 1, kCopied = 2;

/// In capsules named "dltensor_versioned".
struct ManagedVersioned {
    Version version;
    void* context;
    void (*deleter)(ManagedVersioned*);
    std::uint64_t flags;
    Tensor tensor;
};

} // namespace lathe::bind::dlpack
