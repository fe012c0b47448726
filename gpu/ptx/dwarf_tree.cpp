// SPDX-License-Identifier: MIT
#include "gpu/ptx/dwarf_tree.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace lathe::ptx::dwarf {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Bytes of all sections, symbols replaced by the offset they stand for (others by 0).
class SectionBytes {
public:
    explicit SectionBytes(const Module& module) {
        Labels labels;
        for (const Section& s : module.sections) {
            std::uint64_t at = 0;
            for (const Section::Item& item : s.items) {
                if (!item.label.empty()) labels[item.label] = at;
                at += item.bytes;
            }
        }
        for (const Section& s : module.sections) {
            Bytes& out = bytes_[s.name];
            for (const Section::Item& item : s.items) {
                if (const auto* symbol = std::get_if<Symbol>(&item.value))
                    symbols_[s.name][out.size()] = symbol->name;
                append(out, item, labels);
            }
        }
    }

    /// The symbol that stands at an offset; empty where there is a number.
    const std::string& symbol(const std::string& section, std::uint64_t at) const {
        static const std::string none;
        const auto found = symbols_.find(section);
        if (found == symbols_.end()) return none;
        const auto name = found->second.find(at);
        return name == found->second.end() ? none : name->second;
    }

    const Bytes& operator[](const std::string& section) const {
        static const Bytes none;
        const auto found = bytes_.find(section);
        return found == bytes_.end() ? none : found->second;
    }

private:
    using Labels = std::unordered_map<std::string, std::uint64_t>;

    /// Code labels and the sections' own names stand for 0.
    static std::uint64_t offset_of(const std::string& label, const Labels& labels) {
        const auto found = labels.find(label);
        return found == labels.end() ? 0 : found->second;
    }

    static void append(Bytes& out, const Section::Item& item, const Labels& labels) {
        std::uint64_t value = 0;
        if (const auto* number = std::get_if<std::uint64_t>(&item.value)) {
            value = *number;
        } else {
            const Symbol& symbol = std::get<Symbol>(item.value);
            value = offset_of(symbol.name, labels) - offset_of(item.minus, labels) +
                    static_cast<std::uint64_t>(symbol.offset);
        }
        for (int i = 0; i < item.bytes; ++i)
            out.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
    }

    std::unordered_map<std::string, Bytes> bytes_;
    std::unordered_map<std::string, std::unordered_map<std::uint64_t, std::string>> symbols_;
};

/// Reads little-endian data; past the end it gives zeros and `failed` stays set.
class Cursor {
public:
    Cursor(const Bytes& bytes, std::uint64_t at) : bytes_{bytes}, at_{at} {}

    std::uint64_t unsigned_int(int width) {
        std::uint64_t value = 0;
        for (int i = 0; i < width; ++i) {
            const std::uint64_t b = byte();
            if (i < 8) value |= b << (8 * i);
        }
        return value;
    }
    std::uint64_t uleb() {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const std::uint8_t b = byte();
            if (shift < 64) value |= std::uint64_t{b & 0x7fu} << shift;
            if (!(b & 0x80)) return value;
        }
    }
    std::int64_t sleb() {
        std::uint64_t value = 0;
        for (int shift = 0;;) {
            const std::uint8_t b = byte();
            if (shift < 64) value |= std::uint64_t{b & 0x7fu} << shift;
            shift += 7;
            if (b & 0x80) continue;
            if (shift < 64 && (b & 0x40)) value |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(value);
        }
    }
    std::string text() {
        std::string s;
        while (const std::uint8_t b = byte()) s += static_cast<char>(b);
        return s;
    }
    void skip(std::uint64_t count) {
        if (count > bytes_.size() - std::min<std::uint64_t>(at_, bytes_.size())) failed = true;
        else at_ += count;
    }
    std::uint64_t at() const { return at_; }

    bool failed = false;

private:
    std::uint8_t byte() {
        if (at_ < bytes_.size()) return bytes_[at_++];
        failed = true;
        return 0;
    }

    const Bytes& bytes_;
    std::uint64_t at_;
};

// clang-format off
enum Form : std::uint16_t {
    kAddr = 0x01, kBlock2 = 0x03, kBlock4 = 0x04, kData2 = 0x05, kData4 = 0x06, kData8 = 0x07,
    kString = 0x08, kBlock = 0x09, kBlock1 = 0x0a, kData1 = 0x0b, kFlag = 0x0c, kSdata = 0x0d,
    kStrp = 0x0e, kUdata = 0x0f, kRefAddr = 0x10, kRef1 = 0x11, kRef2 = 0x12, kRef4 = 0x13,
    kRef8 = 0x14, kRefUdata = 0x15, kSecOffset = 0x17, kExprloc = 0x18, kFlagPresent = 0x19,
    kData16 = 0x1e, kLineStrp = 0x1f, kImplicitConst = 0x21,
};

enum Attribute : std::uint16_t {
    kLocation = 0x02, kName = 0x03, kByteSize = 0x0b, kLowPc = 0x11, kHighPc = 0x12,
    kConstValue = 0x1c, kUpperBound = 0x2f, kAbstractOrigin = 0x31, kCount = 0x37,
    kMemberLocation = 0x38, kDeclLine = 0x3b, kEncoding = 0x3e, kSpecification = 0x47,
    kTypeRef = 0x49,
    kLinkageName = 0x6e, kMipsLinkageName = 0x2007,
};
// clang-format on

struct AttributeSpec {
    std::uint64_t attribute, form;
    std::int64_t implicit;
};
struct Abbreviation {
    std::uint64_t tag = 0;
    bool has_children = false;
    std::vector<AttributeSpec> attributes;
};
using Abbreviations = std::unordered_map<std::uint64_t, Abbreviation>;

Abbreviations read_abbreviations(const Bytes& section, std::uint64_t at) {
    Abbreviations result;
    Cursor in{section, at};
    while (const std::uint64_t code = in.uleb()) {
        Abbreviation a;
        a.tag = in.uleb();
        a.has_children = in.unsigned_int(1) != 0;
        while (!in.failed) {
            AttributeSpec spec{in.uleb(), in.uleb(), 0};
            if (spec.form == kImplicitConst) spec.implicit = in.sleb();
            if (spec.attribute == 0 && spec.form == 0) break;
            a.attributes.push_back(spec);
        }
        result.emplace(code, std::move(a));
    }
    return result;
}

struct Value {
    std::uint64_t number = 0;
    std::string text;             ///< or the label that an address is
    std::optional<Place> place{}; ///< that an expression is
    Bytes bytes{};                ///< of a block
    bool is_list = false;         ///< `number` is an offset in .debug_loc
};

/// A register's name, as NVIDIA's compilers write it: its characters are a number's bytes.
std::string register_name(std::uint64_t number) {
    std::string name;
    for (; number; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xff));
    return name;
}

/// DW_OP_regx, or DW_OP_addr with DW_OP_plus_uconst behind it; nothing for another expression.
std::optional<Place> place_from_expression(const SectionBytes& sections, const std::string& section,
                                           std::uint64_t at, std::uint64_t bytes) {
    constexpr std::uint64_t kOpAddr = 0x03, kOpPlus = 0x23, kOpRegister = 0x90;
    const std::uint64_t end = at + bytes;
    Cursor in{sections[section], at};
    const std::uint64_t op = in.unsigned_int(1);
    Place place;
    if (op == kOpRegister) {
        place.is_register = true;
        place.name = register_name(in.uleb());
    } else if (op == kOpAddr) {
        place.name = sections.symbol(section, in.at());
        place.offset = in.unsigned_int(8);
        if (in.at() < end && in.unsigned_int(1) == kOpPlus) place.offset += in.uleb();
    }
    if (in.failed || in.at() != end || place.name.empty()) return {};
    return place;
}

/// The list of .debug_loc at an offset (DWARF 2 to 4, section 2.6.2).
std::vector<Place> read_places(const SectionBytes& sections, std::uint64_t at) {
    const std::string section = ".debug_loc";
    std::vector<Place> all;
    Cursor in{sections[section], at};
    while (!in.failed) {
        const std::string& begin = sections.symbol(section, in.at());
        in.skip(8);
        const std::string& end = sections.symbol(section, in.at());
        in.skip(8);
        if (begin.empty() || end.empty()) break; // two zeros
        const std::uint64_t bytes = in.unsigned_int(2);
        if (auto place = place_from_expression(sections, section, in.at(), bytes)) {
            place->begin = begin;
            place->end = end;
            all.push_back(std::move(*place));
        }
        in.skip(bytes);
    }
    return all;
}

/// DW_OP_plus_uconst n or DW_OP_constu n: how DWARF 2 writes a member's offset.
std::uint64_t offset_from_expression(const Bytes& info, std::uint64_t at) {
    Cursor in{info, at};
    const std::uint64_t op = in.unsigned_int(1);
    return op == 0x23 || op == 0x10 ? in.uleb() : 0;
}

class UnitReader {
public:
    UnitReader(const SectionBytes& sections, Tree& tree)
        : sections_{sections}, info_{sections[".debug_info"]}, tree_{tree} {}

    void read_all() {
        for (std::uint64_t at = 0; at + 11 < info_.size();) {
            Cursor in{info_, at};
            const std::uint64_t length = in.unsigned_int(4);
            const std::uint64_t end = std::min<std::uint64_t>(in.at() + length, info_.size());
            unit_ = at;
            read_unit(in, end);
            at = end > at + 4 ? end : info_.size();
        }
    }

private:
    void read_unit(Cursor& in, std::uint64_t end) {
        version_ = static_cast<int>(in.unsigned_int(2));
        if (version_ < 2 || version_ > 5) return;
        std::uint64_t abbreviations_at = 0;
        if (version_ >= 5) {
            in.skip(1); // unit type
            address_bytes_ = static_cast<int>(in.unsigned_int(1));
            abbreviations_at = in.unsigned_int(4);
        } else {
            abbreviations_at = in.unsigned_int(4);
            address_bytes_ = static_cast<int>(in.unsigned_int(1));
        }
        abbreviations_ = read_abbreviations(sections_[".debug_abbrev"], abbreviations_at);
        std::vector<std::uint64_t> parents;
        while (in.at() < end && !in.failed) {
            const std::uint64_t offset = in.at();
            const std::uint64_t code = in.uleb();
            if (code == 0) {
                if (!parents.empty()) parents.pop_back();
                if (parents.empty()) return;
                continue;
            }
            const auto found = abbreviations_.find(code);
            if (found == abbreviations_.end()) return;
            Entry entry;
            entry.tag = static_cast<std::uint16_t>(found->second.tag);
            for (const AttributeSpec& spec : found->second.attributes) {
                const std::optional<Value> value = read_value(in, spec);
                if (!value) return;
                store(entry, spec.attribute, *value);
            }
            if (!parents.empty()) tree_[parents.back()].children.push_back(offset);
            tree_[offset] = std::move(entry);
            if (found->second.has_children) parents.push_back(offset);
            else if (parents.empty()) return;
        }
    }

    std::optional<Value> read_value(Cursor& in, const AttributeSpec& spec) {
        switch (spec.form) {
        case kAddr: {
            Value label{0, sections_.symbol(".debug_info", in.at())};
            label.number = in.unsigned_int(address_bytes_);
            return label;
        }
        case kData1:
        case kFlag: return Value{in.unsigned_int(1), {}};
        case kData2: return Value{in.unsigned_int(2), {}};
        case kData4:
        case kSecOffset: {
            Value value{in.unsigned_int(4), {}};
            value.is_list = spec.attribute == kLocation;
            return value;
        }
        case kData8: return Value{in.unsigned_int(8), {}};
        case kData16: in.skip(16); return Value{};
        case kRef1: return Value{unit_ + in.unsigned_int(1), {}};
        case kRef2: return Value{unit_ + in.unsigned_int(2), {}};
        case kRef4: return Value{unit_ + in.unsigned_int(4), {}};
        case kRef8: return Value{unit_ + in.unsigned_int(8), {}};
        case kRefUdata: return Value{unit_ + in.uleb(), {}};
        case kRefAddr: return Value{in.unsigned_int(version_ == 2 ? address_bytes_ : 4), {}};
        case kUdata: return Value{in.uleb(), {}};
        case kSdata: return Value{static_cast<std::uint64_t>(in.sleb()), {}};
        case kImplicitConst: return Value{static_cast<std::uint64_t>(spec.implicit), {}};
        case kFlagPresent: return Value{1, {}};
        case kString: return Value{0, in.text()};
        case kStrp: return Value{0, text_at(".debug_str", in.unsigned_int(4))};
        case kLineStrp: return Value{0, text_at(".debug_line_str", in.unsigned_int(4))};
        case kBlock1: return block(in, in.unsigned_int(1));
        case kBlock2: return block(in, in.unsigned_int(2));
        case kBlock4: return block(in, in.unsigned_int(4));
        case kBlock:
        case kExprloc: return block(in, in.uleb());
        default: return std::nullopt;
        }
    }

    Value block(Cursor& in, std::uint64_t bytes) {
        Value value{offset_from_expression(info_, in.at()), {}};
        value.place = place_from_expression(sections_, ".debug_info", in.at(), bytes);
        const std::uint64_t begin = std::min<std::uint64_t>(in.at(), info_.size());
        const std::uint64_t end = std::min<std::uint64_t>(begin + bytes, info_.size());
        value.bytes.assign(info_.begin() + std::ptrdiff_t(begin),
                           info_.begin() + std::ptrdiff_t(end));
        in.skip(bytes);
        return value;
    }

    std::string text_at(const char* section, std::uint64_t at) {
        return Cursor{sections_[section], at}.text();
    }

    void store(Entry& entry, std::uint64_t attribute, const Value& value) const {
        switch (attribute) {
        case kLocation:
            if (value.is_list) entry.places = read_places(sections_, value.number);
            else if (value.place) entry.places = {*value.place};
            break;
        case kLowPc: entry.low_pc = value.text; break;
        case kHighPc: entry.high_pc = value.text; break;
        case kDeclLine: entry.line = value.number; break;
        case kName: entry.name = value.text; break;
        case kLinkageName:
        case kMipsLinkageName: entry.linkage_name = value.text; break;
        case kTypeRef: entry.type = value.number; break;
        case kByteSize: entry.bytes = value.number; break;
        case kMemberLocation: entry.member_offset = value.number; break;
        case kEncoding: entry.encoding = value.number; break;
        case kConstValue:
            entry.constant = static_cast<std::int64_t>(value.number);
            entry.constant_bytes = value.bytes;
            for (int i = 0; value.bytes.empty() && i < 8; ++i)
                entry.constant_bytes.push_back(static_cast<std::uint8_t>(value.number >> (8 * i)));
            break;
        case kUpperBound: entry.upper_bound = static_cast<std::int64_t>(value.number); break;
        case kCount: entry.upper_bound = static_cast<std::int64_t>(value.number - 1); break;
        case kSpecification:
        case kAbstractOrigin: entry.origin = value.number; break;
        default: break;
        }
    }

    const SectionBytes& sections_;
    const Bytes& info_;
    Tree& tree_;
    Abbreviations abbreviations_;
    std::uint64_t unit_ = 0;
    int version_ = 0;
    int address_bytes_ = 8;
};

} // namespace

Tree read_tree(const Module& module) {
    Tree tree;
    const SectionBytes sections{module};
    UnitReader{sections, tree}.read_all();
    return tree;
}

const Entry* entry_at(const Tree& tree, std::uint64_t offset) {
    const auto found = tree.find(offset);
    return found == tree.end() ? nullptr : &found->second;
}

bool is_function(const Tree& tree, const Entry& entry, const std::string& ptx_name) {
    if (entry.tag != kSubprogram) return false;
    if (entry.linkage_name == ptx_name || entry.name == ptx_name) return true;
    const Entry* const origin = entry_at(tree, entry.origin);
    return origin && (origin->linkage_name == ptx_name || origin->name == ptx_name);
}

} // namespace lathe::ptx::dwarf
