// SPDX-License-Identifier: MIT
#include "engine/broadcast/flv.h"

#include "engine/core/error.h"

#include <fmt/format.h>

namespace lathe {

namespace {

constexpr std::size_t kFileHead = 9 + 4; ///< the size of the tag before follows each tag and this
constexpr std::size_t kTagHead = 11, kTagTail = 4;
constexpr int kAudio = 8, kVideo = 9, kScript = 18;
constexpr std::string_view kStartCode{"\0\0\0\1", 4};

[[noreturn]] void refuse_flv(std::string_view why) {
    throw Error{fmt::format("the encoder's output is no FLV file with H.264: {}", why)};
}

/// Reads from the front.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_{bytes} {}
    std::size_t number(std::size_t bytes) {
        std::size_t value = 0;
        for (const char c : next(bytes)) value = value << 8 | static_cast<unsigned char>(c);
        return value;
    }
    std::string_view next(std::size_t bytes) {
        if (bytes > rest_.size()) refuse_flv("a part is too short");
        const std::string_view part = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return part;
    }
    bool empty() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

/// Of an AVCDecoderConfigurationRecord.
std::string parameter_sets_of(Bytes record) {
    record.next(4); // version, profile, compatibility, level
    if ((record.number(1) & 3) != 3) refuse_flv("sizes do not have four bytes");
    std::string sets;
    for (const unsigned mask : {31u, 255u}) // sequences, then pictures
        for (std::size_t left = record.number(1) & mask; left > 0; --left) {
            const std::size_t size = record.number(2);
            sets.append(kStartCode).append(record.next(size));
        }
    return sets;
}

} // namespace

std::optional<AccessUnit> FlvReader::take_tag(int kind, std::string_view body) {
    if (kind != kAudio && kind != kVideo && kind != kScript) refuse_flv("a part is of no kind");
    if (kind != kVideo) return {};
    Bytes bytes{body};
    constexpr std::size_t kAvc = 7;
    const std::size_t what = bytes.number(1);
    if ((what & 15) != kAvc) refuse_flv("a picture is of another kind");
    enum { parameters, picture };
    const std::size_t part = bytes.number(1);
    bytes.next(3); // how much later it is shown: never
    if (part == parameters) parameter_sets_ = parameter_sets_of(bytes);
    if (part != picture) return {};
    AccessUnit unit{.is_key = what >> 4 == 1};
    if (unit.is_key) unit.bytes = parameter_sets_;
    while (!bytes.empty()) {
        const std::size_t size = bytes.number(4);
        unit.bytes.append(kStartCode).append(bytes.next(size));
    }
    return unit;
}

std::optional<AccessUnit> FlvReader::take(std::span<const std::byte> bytes) {
    waiting_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string_view rest{waiting_};
    if (!has_begun_) {
        if (rest.size() < kFileHead) return {};
        if (!rest.starts_with("FLV\1")) refuse_flv("it begins otherwise");
        rest.remove_prefix(kFileHead);
        has_begun_ = true;
    }
    std::optional<AccessUnit> newest;
    while (rest.size() >= kTagHead) {
        Bytes head{rest};
        const int kind = int(head.number(1));
        const std::size_t size = head.number(3);
        if (rest.size() < kTagHead + size + kTagTail) break;
        if (auto unit = take_tag(kind, rest.substr(kTagHead, size))) newest = std::move(unit);
        rest.remove_prefix(kTagHead + size + kTagTail);
    }
    waiting_.erase(0, waiting_.size() - rest.size());
    return newest;
}

} // namespace lathe
