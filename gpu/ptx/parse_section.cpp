// SPDX-License-Identifier: MIT
// Debug information: .file, .loc with its inline stack, and the raw bytes of .section.
#include "gpu/ptx/parser_state.h"

namespace lathe::ptx {
namespace {

std::string place_key(std::uint32_t file, std::uint32_t line, std::uint32_t column) {
    return std::to_string(file) + ':' + std::to_string(line) + ':' + std::to_string(column);
}

} // namespace

/// `.file 1 "path", timestamp, size`
void Parser::file() {
    const std::uint32_t number = u32("a file number");
    result_.module.files.emplace_back(number, quoted());
    while (accept(',')) u32("a time stamp or a size");
}

/// `.loc file line column, function_name label+n, inlined_at file line column`. The place it was
/// inlined at is the latest .loc with the same numbers, which carries the rest of the stack.
void Parser::loc() {
    std::vector<Location>& locations = result_.module.locations;
    Location read;
    const auto place = [this](std::uint32_t& f, std::uint32_t& l, std::uint32_t& c) {
        f = u32("a file number");
        l = u32("a line");
        c = u32("a column");
    };
    place(read.file, read.line, read.column);
    std::optional<Symbol> function_name;
    while (accept(',')) {
        const std::string attribute = name("function_name or inlined_at");
        if (attribute == "function_name") {
            function_name = section_symbol();
        } else if (attribute == "inlined_at") {
            Location site;
            place(site.file, site.line, site.column);
            auto [known, added] =
                location_of_place_.try_emplace(place_key(site.file, site.line, site.column), 0);
            if (added) {
                locations.push_back(std::move(site));
                known->second = static_cast<LocationId>(locations.size());
            }
            read.inlined_at = known->second;
        } else {
            fail(token_, "unknown attribute '" + attribute + "' of .loc");
        }
    }
    const std::string key = place_key(read.file, read.line, read.column);
    locations.push_back(std::move(read));
    location_ = static_cast<LocationId>(locations.size());
    location_of_place_[key] = location_;
    if (function_name) inlined_names_.emplace_back(location_, std::move(*function_name));
}

/// `.section .debug_info { .b8 1, 2  .b32 label  label: ... }`
void Parser::section() {
    Section read;
    read.name = dotted_or_word("a section name");
    expect('{');
    while (!accept('}')) {
        if (token_.is(Token::Kind::word) && ahead_.is(':')) {
            read.items.push_back({0, std::uint64_t{0}, std::string{take().text}, {}});
            take();
            continue;
        }
        const Token at = token_;
        const std::uint32_t bytes = bytes_of(type_word());
        if (bytes == 0 || bytes > 8) fail(at, "expected .b8, .b16, .b32 or .b64");
        do section_value(read, static_cast<std::uint8_t>(bytes));
        while (accept(','));
    }
    result_.module.sections.push_back(std::move(read));
}

void Parser::section_value(Section& section, std::uint8_t bytes) {
    if (token_.is(Token::Kind::number) || token_.is('-') || token_.is('(')) {
        auto value = static_cast<std::uint64_t>(integer_expression("a section value"));
        if (bytes < 8) value &= (std::uint64_t{1} << 8 * bytes) - 1;
        section.items.push_back({bytes, value, {}, {}});
        return;
    }
    Symbol symbol{dotted_or_word("a number or a symbol"), 0};
    std::string minus;
    if (token_.is('-') && (ahead_.is(Token::Kind::word) || ahead_.is(Token::Kind::dotted))) {
        take();
        minus = dotted_or_word("a label");
    }
    if (token_.is('+') || token_.is('-')) symbol.offset = integer_expression("an offset");
    section.items.push_back({bytes, std::move(symbol), {}, std::move(minus)});
}

/// "$L__info_string0", ".debug_str+12"
Symbol Parser::section_symbol() {
    Symbol read{dotted_or_word("a label"), 0};
    if (token_.is('+') || token_.is('-')) read.offset = integer_expression("an offset");
    return read;
}

/// The names of inlined functions are labels into .debug_str, which stands at the end of the text.
void Parser::resolve_inlined_names() {
    if (inlined_names_.empty()) return;
    std::string bytes;
    std::unordered_map<std::string_view, std::size_t> offset_of{{".debug_str", 0}};
    for (const Section& section : result_.module.sections) {
        if (section.name != ".debug_str") continue;
        for (const Section::Item& item : section.items) {
            if (item.bytes == 0) offset_of.emplace(item.label, bytes.size());
            else if (item.bytes == 1)
                if (const auto* byte = std::get_if<std::uint64_t>(&item.value))
                    bytes += static_cast<char>(*byte);
        }
    }
    for (const auto& [id, symbol] : inlined_names_) {
        const auto found = offset_of.find(symbol.name);
        if (found == offset_of.end()) continue;
        const std::size_t first = found->second + static_cast<std::size_t>(symbol.offset);
        if (first < bytes.size())
            result_.module.locations[id - 1].function =
                bytes.substr(first, bytes.find('\0', first) - first);
    }
}

} // namespace lathe::ptx
