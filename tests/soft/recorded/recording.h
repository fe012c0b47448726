// SPDX-License-Identifier: MIT
// Results of cases on a device, and their file.
//
// The file: lines "key: value" (device, driver, toolkit, date, …) after the line "Lathe recording
// 1", an empty line, then one record a case, numbers with the low byte first:
//   u16 length, name           u64 definition, u64 ptx     i32 code     u16 length, problem
//   u16 parts, and for each:   u8 length, label   u8 type   u32 count   u32 kept
//                              (the type plus 128: approximate, all values are kept)
//                              kept values of the type's size, the first ones
//                              u32 hashes, one for each 64 values where some are not kept
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::recorded {

/// Pairs of halves are compared half by half.
enum class Type : std::uint8_t { b8, b16, b32, b64, f16, bf16, f32, f64, f16x2, bf16x2 };
unsigned bytes_of(Type type);
bool is_real(Type type);
/// NaN, too.
double value_of(Type type, std::uint64_t bits);
bool is_nan(Type type, std::uint64_t bits);
/// The bits, or all ones for a NaN (for each half of a pair).
std::uint64_t with_one_nan(Type type, std::uint64_t bits);

/// How far apart two devices' values may be: one of the three is enough, all zero mean bit for bit.
/// NaNs are equal whatever their bits.
struct Tolerance {
    double absolute = 0, relative = 0;
    double ulps = 0;
    bool exact() const { return absolute == 0 && relative == 0 && ulps == 0; }
};

/// Values that belong together, such as one kernel's output.
struct Part {
    std::string label;
    Type type = Type::b32;
    std::vector<std::uint64_t> values; ///< from a file: the first ones only
    Tolerance tolerance{};             ///< not in the file, but whether there is one
    std::uint32_t count = 0;           ///< filled in by `Recording::add`
    std::vector<std::uint32_t> hashes; ///< of each 64 values, NaNs made equal; likewise
    bool approximate = false;          ///< all values are kept; likewise, or from a file
    std::vector<bool> open{}; ///< values that may differ (differences.cpp); not in the file
};

struct Record {
    std::string name;
    std::uint64_t definition = 0; ///< hash of sources, inputs and launches
    std::uint64_t ptx = 0;        ///< hash of the PTX: another NVRTC may write another
    std::int32_t code = 0;        ///< CUresult; -1 where the case failed otherwise
    std::string problem;          ///< its words
    std::vector<Part> parts;
};

std::uint64_t mixed(std::uint64_t hash, const void* data, std::size_t bytes);
std::uint64_t mixed(std::uint64_t hash, std::string_view text);
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;

/// Counts and hashes of a fresh record.
void finish(Record& record);

class Recording {
public:
    std::map<std::string, std::string> header;
    std::vector<Record> records;

    /// Throws lathe::Error where the file is none, damaged or cut off.
    static Recording read(const std::string& path);
    /// Values beyond the first `kept` of an exact part become hashes.
    void write(const std::string& path, std::size_t kept) const;

    const Record* find(const std::string& name) const;
};

/// One record as bytes, and back; `at` moves behind it. For pieces of a recording.
std::string to_bytes(const Record& record, std::size_t kept);
Record from_bytes(std::string_view bytes, std::size_t& at);

} // namespace lathe::recorded
