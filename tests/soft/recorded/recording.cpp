// SPDX-License-Identifier: MIT
#include "tests/soft/recorded/recording.h"

#include "engine/core/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>

namespace lathe::recorded {
namespace {

constexpr std::string_view kFirstLine = "Lathe recording 1";
constexpr std::size_t kChunk = 64;

void put(std::string& bytes, std::uint64_t value, unsigned size) {
    for (unsigned k = 0; k < size; ++k) bytes += static_cast<char>(value >> (8 * k) & 255);
}
void put_text(std::string& bytes, std::string_view text, unsigned length_bytes) {
    text = text.substr(0, (std::size_t{1} << (8 * length_bytes)) - 1);
    put(bytes, text.size(), length_bytes);
    bytes += text;
}

struct Reader {
    std::string_view bytes;
    std::size_t& at;

    std::string_view take(std::size_t count) {
        if (count > bytes.size() - at) throw Error{"the recording is cut off"};
        at += count;
        return bytes.substr(at - count, count);
    }
    std::uint64_t number(unsigned size) {
        const std::string_view part = take(size);
        std::uint64_t value = 0;
        for (unsigned k = 0; k < size; ++k)
            value |= std::uint64_t{static_cast<unsigned char>(part[k])} << (8 * k);
        return value;
    }
    std::string text(unsigned length_bytes) {
        return std::string{take(static_cast<std::size_t>(number(length_bytes)))};
    }
};

std::vector<std::uint32_t> hashes_of(const Part& part) {
    std::vector<std::uint32_t> hashes;
    for (std::size_t first = 0; first < part.values.size(); first += kChunk) {
        std::uint64_t hash = kHashStart;
        const std::size_t end = std::min(first + kChunk, part.values.size());
        for (std::size_t k = first; k < end; ++k) {
            const std::uint64_t bits = with_one_nan(part.type, part.values[k]);
            hash = mixed(hash, &bits, sizeof bits);
        }
        hashes.push_back(static_cast<std::uint32_t>(hash ^ hash >> 32));
    }
    return hashes;
}

} // namespace

unsigned bytes_of(Type type) {
    static constexpr unsigned kBytes[] = {1, 2, 4, 8, 2, 2, 4, 8, 4, 4};
    return kBytes[static_cast<int>(type)];
}

bool is_real(Type type) { return type >= Type::f16 && type <= Type::f64; }

double value_of(Type type, std::uint64_t bits) {
    switch (type) {
    case Type::f64: return std::bit_cast<double>(bits);
    case Type::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Type::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    case Type::f16: {
        const int exponent = static_cast<int>(bits >> 10 & 31);
        const double digits = static_cast<double>(bits & 1023), sign = bits & 0x8000 ? -1 : 1;
        if (exponent == 31) return digits != 0 ? std::nan("") : sign * HUGE_VAL;
        return sign *
               (exponent ? std::ldexp(1024 + digits, exponent - 25) : std::ldexp(digits, -24));
    }
    default: return static_cast<double>(bits);
    }
}

bool is_nan(Type type, std::uint64_t bits) {
    return is_real(type) && std::isnan(value_of(type, bits));
}

std::uint64_t with_one_nan(Type type, std::uint64_t bits) {
    if (type < Type::f16x2) return is_nan(type, bits) ? ~std::uint64_t{0} : bits;
    const Type half = type == Type::f16x2 ? Type::f16 : Type::bf16;
    std::uint64_t pair = 0;
    for (const int shift : {0, 16}) {
        const std::uint64_t part = bits >> shift & 0xffff;
        pair |= (is_nan(half, part) ? 0xffff : part) << shift;
    }
    return pair;
}

std::uint64_t mixed(std::uint64_t hash, const void* data, std::size_t bytes) {
    const auto* const byte = static_cast<const unsigned char*>(data);
    for (std::size_t k = 0; k < bytes; ++k) hash = (hash ^ byte[k]) * 0x100000001b3u;
    return hash;
}
std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    return mixed(hash, text.data(), text.size());
}

void finish(Record& record) {
    for (Part& part : record.parts) {
        part.count = static_cast<std::uint32_t>(part.values.size());
        part.hashes = hashes_of(part);
        part.approximate |= !part.tolerance.exact() || !part.open.empty();
    }
}

std::string to_bytes(const Record& record, std::size_t kept) {
    std::string bytes;
    put_text(bytes, record.name, 2);
    put(bytes, record.definition, 8);
    put(bytes, record.ptx, 8);
    put(bytes, static_cast<std::uint32_t>(record.code), 4);
    put_text(bytes, record.problem, 2);
    put(bytes, record.parts.size(), 2);
    for (const Part& part : record.parts) {
        put_text(bytes, part.label, 1);
        put(bytes, static_cast<unsigned>(part.type) | (part.approximate ? 128u : 0u), 1);
        put(bytes, part.count, 4);
        const std::size_t count =
            part.approximate ? part.values.size() : std::min(kept, part.values.size());
        put(bytes, count, 4);
        for (std::size_t k = 0; k < count; ++k) put(bytes, part.values[k], bytes_of(part.type));
        if (count < part.count)
            for (const std::uint32_t hash : part.hashes) put(bytes, hash, 4);
    }
    return bytes;
}

Record from_bytes(std::string_view bytes, std::size_t& at) {
    Reader reader{bytes, at};
    Record record;
    record.name = reader.text(2);
    record.definition = reader.number(8);
    record.ptx = reader.number(8);
    record.code = static_cast<std::int32_t>(reader.number(4));
    record.problem = reader.text(2);
    record.parts.resize(static_cast<std::size_t>(reader.number(2)));
    for (Part& part : record.parts) {
        part.label = reader.text(1);
        const std::uint64_t type = reader.number(1);
        part.type = static_cast<Type>(type & 127);
        part.approximate = type & 128;
        if (part.type > Type::bf16x2) throw Error{"the recording is damaged"};
        part.count = static_cast<std::uint32_t>(reader.number(4));
        const auto kept = static_cast<std::size_t>(reader.number(4));
        if (kept > part.count || kept * bytes_of(part.type) > bytes.size() - at)
            throw Error{"the recording is damaged"};
        for (std::size_t k = 0; k < kept; ++k)
            part.values.push_back(reader.number(bytes_of(part.type)));
        if (kept == part.count) {
            part.hashes = hashes_of(part);
            continue;
        }
        for (std::size_t k = 0; k < part.count; k += kChunk)
            part.hashes.push_back(static_cast<std::uint32_t>(reader.number(4)));
    }
    return record;
}

Recording Recording::read(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::string line;
    if (!std::getline(file, line) || line != kFirstLine)
        throw Error{path + " is no recording of this version"};
    Recording recording;
    while (std::getline(file, line) && !line.empty()) {
        const std::size_t colon = line.find(": ");
        if (colon != line.npos) recording.header[line.substr(0, colon)] = line.substr(colon + 2);
    }
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    for (std::size_t at = 0; at < bytes.size();) recording.records.push_back(from_bytes(bytes, at));
    return recording;
}

void Recording::write(const std::string& path, std::size_t kept) const {
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << kFirstLine << '\n';
    for (const auto& [key, value] : header) file << key << ": " << value << '\n';
    file << '\n';
    for (const Record& record : records) file << to_bytes(record, kept);
    file.close();
    if (!file) throw Error{path + " could not be written"};
}

const Record* Recording::find(const std::string& name) const {
    const auto at = std::ranges::find(records, name, &Record::name);
    return at == records.end() ? nullptr : &*at;
}

} // namespace lathe::recorded
