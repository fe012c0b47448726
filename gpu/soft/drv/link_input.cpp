// SPDX-License-Identifier: MIT
// Archives are ar(1)'s, with GNU's long names. Objects are ELF files of x86-64; nvcc puts their
// device code into a section of fat binaries, one behind the other.
#include "gpu/soft/drv/link_input.h"

#include "gpu/soft/drv/ptx_image.h"
#include "gpu/soft/drv/status.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <elf.h>
#include <optional>

namespace lathe::soft {

namespace {

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::string_view kDeviceRuntime = "cuda_device_runtime.o"; // of libcudadevrt.a
constexpr std::size_t kHeader = 60;
constexpr Elf64_Half kGpu = 190; // EM_CUDA

[[noreturn]] void broken(const std::string& name) {
    fail(CUDA_ERROR_INVALID_IMAGE, fmt::format("{} is damaged", name));
}

template <class T> T at(std::string_view bytes, std::uint64_t offset, const std::string& name) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) broken(name);
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The fat binaries of an object; none where it has no device code.
std::optional<std::string_view> device_code(std::string_view bytes, const std::string& name) {
    const auto header = at<Elf64_Ehdr>(bytes, 0, name);
    const auto section = [&](std::size_t index) {
        return at<Elf64_Shdr>(bytes, header.e_shoff + index * sizeof(Elf64_Shdr), name);
    };
    const auto contents = [&](const Elf64_Shdr& s) {
        if (s.sh_offset > bytes.size() || s.sh_size > bytes.size() - s.sh_offset) broken(name);
        return bytes.substr(s.sh_offset, s.sh_size);
    };
    if (!header.e_shnum) return std::nullopt;
    const std::string_view names = contents(section(header.e_shstrndx));
    for (std::size_t k = 0; k < header.e_shnum; ++k) {
        const Elf64_Shdr one = section(k);
        if (one.sh_name >= names.size()) broken(name);
        const std::string_view rest = names.substr(one.sh_name);
        const std::string_view called = rest.substr(0, rest.find('\0'));
        if ((called == ".nv_fatbin" || called == "__nv_relfatbin") && one.sh_size)
            return contents(one);
    }
    return std::nullopt;
}

void add_fat_binaries(std::string_view bytes, const std::string& name,
                      std::vector<LinkPart>& parts) {
    constexpr std::uint32_t magic = 0xba55ed50;
    for (std::size_t offset = 0; offset + 16 <= bytes.size();) {
        if (at<std::uint32_t>(bytes, offset, name) != magic) { // padding
            offset += 8;
            continue;
        }
        const std::uint64_t size =
            at<std::uint16_t>(bytes, offset + 6, name) + at<std::uint64_t>(bytes, offset + 8, name);
        if (size > bytes.size() - offset) broken(name);
        parts.push_back({name, ptx_of_image(bytes.data() + offset, size)});
        offset += size;
    }
}

void add_object(std::string_view bytes, const std::string& name, std::vector<LinkPart>& parts) {
    if (at<Elf64_Ehdr>(bytes, 0, name).e_machine == kGpu)
        fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
             fmt::format("{} is GPU machine code; the software device takes PTX", name));
    const auto code = device_code(bytes, name);
    if (!code) return;
    try {
        add_fat_binaries(*code, name, parts);
    } catch (const Failure& failure) {
        fail(failure.code, fmt::format("{}: {} (compile it with -gencode arch=compute_75,"
                                       "code=compute_75)",
                                       name, failure.text));
    }
}

/// A member's name without the marks of ar.
std::string member_name(std::string_view field, std::string_view long_names) {
    std::size_t place = 0;
    if (field.size() > 1 && field[0] == '/' &&
        std::from_chars(field.data() + 1, field.data() + field.size(), place).ec == std::errc{} &&
        place < long_names.size())
        field = long_names.substr(place);
    return std::string{field.substr(0, field.find_first_of("/\n"))};
}

void add_archive(std::string_view bytes, const std::string& name, std::vector<LinkPart>& parts) {
    std::string_view long_names;
    for (std::size_t offset = kArchive.size(); offset + kHeader <= bytes.size();) {
        const std::string_view header = bytes.substr(offset, kHeader);
        const std::string_view field = header.substr(0, 16), digits = header.substr(48, 10);
        std::size_t size = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        offset += kHeader;
        if (!header.ends_with("`\n") || read.ec != std::errc{} || size > bytes.size() - offset)
            broken(name);
        const std::string_view member = bytes.substr(offset, size);
        offset += size + size % 2;
        if (field.starts_with("// ")) long_names = member;
        if (!is_elf(member)) continue; // a list of names or symbols
        const std::string called = member_name(field, long_names);
        if (called != kDeviceRuntime)
            add_object(member, fmt::format("{}({})", name, called), parts);
    }
}

} // namespace

std::vector<LinkPart> link_parts(std::string_view bytes, const std::string& name) {
    std::vector<LinkPart> parts;
    if (bytes.starts_with(kArchive)) add_archive(bytes, name, parts);
    else if (is_elf(bytes)) add_object(bytes, name, parts);
    else parts.push_back({name, ptx_of_image(bytes.data(), bytes.size())});
    return parts;
}

} // namespace lathe::soft
