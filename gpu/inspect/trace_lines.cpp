// SPDX-License-Identifier: MIT
#include "gpu/inspect/trace_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

using TypeKind = ptx::ParameterType::Kind;
using TracedBytes = std::span<const std::byte>;

template <class T> T scalar(TracedBytes from) {
    T value{};
    std::memcpy(&value, from.data(), std::min(sizeof value, from.size()));
    return value;
}

std::int64_t signed_number(TracedBytes from, std::uint32_t bytes) {
    const unsigned shift = bytes < 8 ? 64 - 8 * bytes : 0;
    return static_cast<std::int64_t>(scalar<std::uint64_t>(from.first(std::min(bytes, 8u)))
                                     << shift) >>
           shift;
}

std::string text_of(const ptx::ParameterType& type, TracedBytes from);

/// "a, b": of the parts that the bytes hold.
std::string text_of_parts(const ptx::ParameterType& type, TracedBytes from) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (type.kind == TypeKind::structure) {
        for (const auto& member : type.members)
            if (member.offset < from.size())
                add(member.name + ": " + text_of(member, from.subspan(member.offset)));
    } else {
        const auto& element = type.members.front();
        for (std::size_t at = 0; at + element.bytes <= from.size(); at += element.bytes)
            add(text_of(element, from.subspan(at)));
    }
    return text;
}

std::string text_of(const ptx::ParameterType& type, TracedBytes from) {
    switch (type.kind) {
    case TypeKind::structure: return '{' + text_of_parts(type, from) + '}';
    case TypeKind::array:
        if (type.members.empty() || type.members.front().bytes == 0) return "?";
        return '[' + text_of_parts(type, from) + ']';
    default: break;
    }
    if (type.bytes == 0 || type.bytes > from.size()) return "?";
    from = from.first(type.bytes);
    switch (type.kind) {
    case TypeKind::boolean: return scalar<std::uint8_t>(from) ? "true" : "false";
    case TypeKind::signed_integer: return fmt::to_string(signed_number(from, type.bytes));
    case TypeKind::unsigned_integer: return fmt::to_string(scalar<std::uint64_t>(from));
    case TypeKind::pointer: return fmt::format("{:#x}", scalar<std::uint64_t>(from));
    case TypeKind::floating:
        if (type.bytes == 4) return fmt::to_string(scalar<float>(from));
        return type.bytes == 8 ? fmt::to_string(scalar<double>(from)) : "?";
    case TypeKind::enumeration: {
        const std::int64_t number = signed_number(from, type.bytes);
        const auto known =
            std::ranges::find(type.enumerators, number, &ptx::ParameterType::Enumerator::value);
        return known != type.enumerators.end() ? known->name : fmt::to_string(number);
    }
    default: return "?";
    }
}

const TracedValue* value_named(const std::vector<TracedValue>& values, std::string_view name) {
    const auto inner = std::ranges::find_if(
        values.rbegin(), values.rend(), [&](const TracedValue& v) { return v.type->name == name; });
    return inner == values.rend() ? nullptr : &*inner;
}

/// What lies between the members of a structure does not count.
bool is_same(const TracedValue& a, const TracedValue& b) {
    return a.bytes == b.bytes || to_text(a) == to_text(b);
}

void add_changes(TraceLine& line, const std::vector<TracedValue>& after) {
    for (const TracedValue& value : after) {
        if (value_named(after, value.type->name) != &value) continue; // hidden
        const TracedValue* const before = line.value(value.type->name);
        if (!before || !is_same(*before, value)) line.changes.push_back(value);
    }
}

bool goes_on(const TraceLine& before, const TraceLine& line) {
    return line.changes.empty() && before.line == line.line && before.depth == line.depth &&
           before.file == line.file && before.function == line.function;
}

} // namespace

const TracedValue* TraceLine::value(std::string_view name) const {
    return value_named(values, name);
}

std::string to_text(const TracedValue& value) { return text_of(*value.type, value.bytes); }

std::vector<TraceLine> lines_of(ThreadTrace trace) {
    std::vector<TraceLine> lines;
    std::map<int, std::size_t> open; // by depth: the line that runs there
    for (TraceStep& step : trace.steps) {
        if (const auto before = open.find(step.depth); before != open.end())
            add_changes(lines[before->second], step.values);
        open.erase(open.upper_bound(step.depth), open.end()); // functions that have ended
        if (step.is_end) {
            open.erase(step.depth);
            continue;
        }
        open[step.depth] = lines.size();
        lines.push_back({std::move(step.function),
                         std::move(step.file),
                         step.line,
                         step.depth,
                         std::move(step.values),
                         {}});
    }
    std::vector<TraceLine> kept;
    for (TraceLine& line : lines)
        if (kept.empty() || !goes_on(kept.back(), line)) kept.push_back(std::move(line));
    return kept;
}

} // namespace lathe::gpu
