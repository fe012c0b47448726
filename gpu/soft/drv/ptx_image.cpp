// SPDX-License-Identifier: MIT
// The layout of fat binaries is that of the files which fatbinary of CUDA 12 and 13 writes: a
// header (magic, version, header bytes, size of all entries), then entries, each with a header
// (kind, header bytes, padded size, size when compressed, architecture, flags, size of the text)
// before its bytes.
#include "gpu/soft/drv/ptx_image.h"

#include "gpu/soft/drv/device.h"
#include "gpu/soft/drv/lz4.h"
#include "gpu/soft/drv/status.h"
#include "gpu/soft/rt/fault.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>
#ifdef LATHE_SOFT_ZSTD
#include <zstd.h>
#endif

namespace lathe::soft {

namespace {

constexpr std::uint32_t kFatMagic = 0xba55ed50, kWrapperMagic = 0x466243b1;
constexpr std::size_t kMostText = std::size_t{1} << 30;

struct Wrapper { // what cudart registers: a pointer to the fat binary
    std::uint32_t magic, version;
    const void* data;
    const void* file;
};
struct FatHeader {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t bytes; ///< behind the header
};
struct FatEntry {
    std::uint16_t kind, version;
    std::uint32_t header_bytes;
    std::uint64_t padded_bytes;
    std::uint32_t compressed_bytes, options;
    std::uint16_t minor, major;
    std::uint32_t architecture, name, name_bytes;
    std::uint64_t flags, reserved, text_bytes;
};
static_assert(sizeof(FatHeader) == 16 && sizeof(FatEntry) == 64);
enum Kind : std::uint16_t { kPtx = 1 };
enum Flags : std::uint64_t { kLz4 = 0x2000, kZstd = 0x8000 };

[[noreturn]] void broken() { fail(CUDA_ERROR_INVALID_IMAGE, "the fat binary is damaged"); }

template <class T> T at(std::string_view bytes, std::size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) broken();
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string expanded(std::string_view payload, const FatEntry& entry) {
    if (!(entry.flags & (kLz4 | kZstd))) return std::string{payload};
    if (entry.compressed_bytes > payload.size() || entry.text_bytes > kMostText) broken();
    payload = payload.substr(0, entry.compressed_bytes);
    std::string text(entry.text_bytes, '\0');
    if (entry.flags & kLz4) {
        if (!lz4_expand(payload, text)) broken();
        return text;
    }
#ifdef LATHE_SOFT_ZSTD
    if (ZSTD_decompress(text.data(), text.size(), payload.data(), payload.size()) != text.size())
        broken();
    return text;
#else
    fail(CUDA_ERROR_NOT_SUPPORTED, "the PTX is compressed with zstd, which was missing when this "
                                   "library was built");
#endif
}

/// The newest PTX that the device is not too old for, else the oldest one.
std::string ptx_of_fat_binary(std::string_view bytes) {
    const auto header = at<FatHeader>(bytes, 0);
    const std::size_t end = header.header_bytes + header.bytes;
    if (header.bytes > bytes.size() || end > bytes.size()) broken();
    const auto own = static_cast<std::uint32_t>(capability().major * 10 + capability().minor);
    FatEntry best{};
    std::string_view best_payload;
    for (std::size_t offset = header.header_bytes; offset < end;) {
        const auto entry = at<FatEntry>(bytes, offset);
        if (entry.header_bytes < sizeof entry || entry.header_bytes > end - offset ||
            entry.padded_bytes > end - offset - entry.header_bytes)
            broken();
        if (entry.kind == kPtx) {
            const bool fits = entry.architecture <= own, best_fits = best.architecture <= own;
            const bool better = fits == best_fits ? (fits ? entry.architecture >= best.architecture
                                                          : entry.architecture < best.architecture)
                                                  : fits;
            if (best_payload.empty() || better) {
                best = entry;
                best_payload = bytes.substr(offset + entry.header_bytes, entry.padded_bytes);
            }
        }
        offset += entry.header_bytes + entry.padded_bytes;
    }
    require(!best_payload.empty(), CUDA_ERROR_NO_BINARY_FOR_GPU,
            "the fat binary holds machine code only; the software device takes PTX");
    std::string text = expanded(best_payload, best);
    text.resize(std::strlen(text.c_str())); // padding
    return text;
}

/// The first four bytes; false where a text ends before, or memory.
bool read_magic(std::uint32_t& magic, const void* image) {
    char bytes[sizeof magic];
    for (std::size_t k = 0; k < sizeof bytes; ++k) {
        if (!guarded_copy(&bytes[k], static_cast<const char*>(image) + k, 1)) return false;
        if (bytes[k] == 0) return false;
    }
    std::memcpy(&magic, bytes, sizeof magic);
    return true;
}

} // namespace

bool is_elf(std::string_view image) { return image.starts_with("\x7f\x45\x4c\x46"); }

std::string ptx_of_image(const void* image, std::size_t size) {
    std::string bytes(size, '\0');
    require(guarded_copy(bytes.data(), image, size), CUDA_ERROR_INVALID_IMAGE,
            "image cannot be read");
    if (size >= sizeof(FatHeader) && at<std::uint32_t>(bytes, 0) == kFatMagic)
        return ptx_of_fat_binary(bytes);
    require(!is_elf(bytes), CUDA_ERROR_NO_BINARY_FOR_GPU,
            "the image is GPU machine code; the software device takes PTX");
    bytes.resize(std::strlen(bytes.c_str()));
    require(!bytes.empty(), CUDA_ERROR_INVALID_IMAGE, "the image is empty");
    return bytes;
}

std::string ptx_of_image(const void* image) {
    std::uint32_t magic = 0;
    const bool long_enough = read_magic(magic, image);
    if (long_enough && magic == kWrapperMagic) {
        Wrapper wrapper{};
        require(guarded_copy(&wrapper, image, sizeof wrapper), CUDA_ERROR_INVALID_IMAGE,
                "image cannot be read");
        image = wrapper.data;
        require(guarded_copy(&magic, image, sizeof magic) && magic == kFatMagic,
                CUDA_ERROR_INVALID_IMAGE, "the wrapper holds no fat binary");
    }
    if (long_enough && magic == kFatMagic) {
        FatHeader header{};
        require(guarded_copy(&header, image, sizeof header), CUDA_ERROR_INVALID_IMAGE,
                "image cannot be read");
        require(header.bytes < kMostText, CUDA_ERROR_INVALID_IMAGE, "the fat binary is damaged");
        return ptx_of_image(image, header.header_bytes + header.bytes);
    }
    struct Probe {
        const char* text;
        std::size_t length;
    } probe{static_cast<const char*>(image), 0};
    const bool readable = run_guarded(
        [](void* p) {
            auto& probed = *static_cast<Probe*>(p);
            probed.length = std::strlen(probed.text);
        },
        &probe);
    require(readable, CUDA_ERROR_INVALID_IMAGE, "image cannot be read");
    return ptx_of_image(image, probe.length);
}

std::string ptx_of_file(const char* path) {
    std::error_code error;
    std::ifstream file;
    if (!std::filesystem::is_directory(path, error)) file.open(path, std::ios::binary);
    require(file.is_open(), CUDA_ERROR_FILE_NOT_FOUND, path);
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    return ptx_of_image(bytes.data(), bytes.size());
}

} // namespace lathe::soft
