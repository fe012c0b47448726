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
using ValueBytes = std::span<const std::byte>;

template <class T> T scalar(ValueBytes from) {
    T value{};
    std::memcpy(&value, from.data(), std::min(sizeof value, from.size()));
    return value;
}

std::int64_t signed_number(ValueBytes from, std::uint32_t bytes) {
    const unsigned shift = bytes < 8 ? 64 - 8 * bytes : 0;
    return static_cast<std::int64_t>(scalar<std::uint64_t>(from.first(std::min(bytes, 8u)))
                                     << shift) >>
           shift;
}

std::string text_of(const ptx::ParameterType& type, ValueBytes from);

/// "a, b": of the parts that the bytes hold.
std::string text_of_parts(const ptx::ParameterType& type, ValueBytes from) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (type.kind == TypeKind::structure) {
        for (const auto& member : type.members)
            if (member.offset < from.size())
                add(member.name + ": " + text_of(member, from.subspan(member.offset)));
    } else {
        const auto& element = type.members.front();
        const std::size_t most = std::max(ptx::kMostTracedBytes, element.bytes);
        for (std::size_t at = 0; at + element.bytes <= std::min(from.size(), most);
             at += element.bytes)
            add(text_of(element, from.subspan(at)));
        if (from.size() > most) add("…");
    }
    return text;
}

std::string text_of(const ptx::ParameterType& type, ValueBytes from) {
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
    return a.bytes == b.bytes || (!a.is_shared && to_text(a) == to_text(b));
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

void add_touched(TraceLine& line, const std::vector<TracedTouch>& more) {
    for (const TracedTouch& touch : more)
        if (std::ranges::find(line.touched, touch) == line.touched.end())
            line.touched.push_back(touch);
}

/// "[2][0]"
std::string index_text(const ptx::ParameterType& array, std::size_t number) {
    std::string text;
    for (auto size = array.shape.rbegin(); size != array.shape.rend(); ++size) {
        if (*size == 0) return fmt::format("[{}]", number);
        text.insert(0, fmt::format("[{}]", number % *size));
        number /= *size;
    }
    return text;
}

bool is_array(const TracedValue& value) {
    return value.type->kind == TypeKind::array && !value.type->members.empty() &&
           value.type->members.front().bytes > 0;
}

/// Those that differ, the touched ones first.
std::vector<std::size_t> changed_elements(const TraceLine& line, const TracedValue& before,
                                          const TracedValue& after) {
    std::vector<std::size_t> changed;
    const auto add = [&](std::size_t number) {
        if (element_of(before, number).bytes == element_of(after, number).bytes) return;
        if (std::ranges::find(changed, number) == changed.end()) changed.push_back(number);
    };
    for (const std::size_t number : touched_elements(line, after.type->name)) add(number);
    const std::size_t own = changed.size(), bytes = after.type->members.front().bytes;
    for (std::size_t k = 0; k < elements_of(after); ++k)
        if (!std::equal(before.bytes.data() + k * bytes, before.bytes.data() + (k + 1) * bytes,
                        after.bytes.data() + k * bytes) &&
            std::find(changed.begin(), changed.begin() + std::ptrdiff_t(own), k) ==
                changed.begin() + std::ptrdiff_t(own))
            changed.push_back(k);
    return changed;
}

} // namespace

const TracedValue* TraceLine::value(std::string_view name) const {
    return value_named(values, name);
}

const TracedValue* TraceLine::value_after(std::string_view name) const {
    const TracedValue* const changed = value_named(changes, name);
    return changed ? changed : value(name);
}

std::string to_text(const TracedValue& value) { return text_of(*value.type, value.bytes); }

std::size_t elements_of(const TracedValue& value) {
    return is_array(value) ? value.bytes.size() / value.type->members.front().bytes : 1;
}

TracedValue element_of(const TracedValue& value, std::size_t number) {
    if (!is_array(value)) return value;
    ptx::ParameterType type = value.type->members.front();
    const std::byte* const from = value.bytes.data() + number * type.bytes;
    TracedBytes bytes{{from, from + type.bytes}};
    type.name = value.type->name + index_text(*value.type, number);
    return {std::make_shared<const ptx::ParameterType>(std::move(type)), std::move(bytes),
            value.is_shared};
}

std::vector<std::size_t> touched_elements(const TraceLine& line, std::string_view name) {
    std::vector<std::size_t> all;
    for (const TracedTouch& touch : line.touched) {
        if (touch.type->name != name) continue;
        std::size_t bytes = touch.type->bytes;
        if (touch.type->kind == TypeKind::array && !touch.type->members.empty())
            bytes = touch.type->members.front().bytes;
        if (bytes == 0) continue;
        for (std::size_t k = touch.offset / bytes; k * bytes < touch.offset + touch.bytes; ++k)
            if (std::ranges::find(all, k) == all.end()) all.push_back(k);
    }
    return all;
}

std::vector<std::size_t> elements_at(const TraceLine& line, std::string_view name,
                                     std::size_t most) {
    std::vector<std::size_t> found = touched_elements(line, name);
    const TracedValue *const before = line.value(name), *const after = line.value_after(name);
    if (before && after != before && is_array(*after) &&
        before->bytes.size() == after->bytes.size())
        for (const std::size_t number : changed_elements(line, *before, *after))
            if (std::ranges::find(found, number) == found.end()) found.push_back(number);
    if (found.size() > most) found.resize(most);
    return found;
}

std::string changes_in_words(const TraceLine& line, std::size_t most) {
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    for (const TracedValue& change : line.changes) {
        const TracedValue* const before = line.value(change.type->name);
        if (!change.is_shared || !is_array(change) || !before ||
            before->bytes.size() != change.bytes.size()) {
            add(fmt::format("{} = {}", change.type->name, to_text(change)));
            continue;
        }
        const auto changed = changed_elements(line, *before, change);
        for (std::size_t k = 0; k < std::min(changed.size(), most); ++k) {
            const TracedValue element = element_of(change, changed[k]);
            add(fmt::format("{} = {}", element.type->name, to_text(element)));
        }
        if (changed.size() > most)
            add(fmt::format("{} more of {}", changed.size() - most, change.type->name));
    }
    return text;
}

std::optional<TraceLine> LaneLines::at(unsigned lane, const TraceLine& line) const {
    const auto step = warp_ ? warp_->step_of(lane, line.step) : std::nullopt;
    if (!step) return {};
    if (lane == warp_->place().leader) return line;
    auto found = lanes_.find(lane);
    if (found == lanes_.end()) found = lanes_.emplace(lane, lines_of(warp_->steps(lane))).first;
    const auto& lines = found->second;
    const auto behind = std::ranges::upper_bound(lines, *step, {}, &TraceLine::step);
    if (behind == lines.begin()) return {};
    TraceLine there = *(behind - 1);
    for (const TracedValue& value : line.values)
        if (value.is_shared) there.values.push_back(value);
    for (const TracedValue& value : line.changes)
        if (value.is_shared) there.changes.push_back(value);
    return there;
}

std::vector<TraceLine> lines_of(std::vector<TraceStep> steps) {
    std::vector<TraceLine> lines;
    std::map<int, std::size_t> open; // by depth: the line that runs there
    for (std::size_t number = 0; number < steps.size(); ++number) {
        TraceStep& step = steps[number];
        if (const auto before = open.find(step.depth); before != open.end())
            add_changes(lines[before->second], step.values);
        open.erase(open.upper_bound(step.depth), open.end()); // functions that have ended
        if (step.is_end) {                                    // `line` goes on until here
            if (const auto last = open.find(step.depth); last != open.end())
                add_touched(lines[last->second], step.touched);
            open.erase(step.depth);
            continue;
        }
        open[step.depth] = lines.size();
        lines.push_back({std::move(step.function),
                         std::move(step.file),
                         step.line,
                         step.depth,
                         std::move(step.values),
                         {},
                         std::move(step.touched),
                         number});
    }
    std::vector<TraceLine> kept;
    for (TraceLine& line : lines) {
        if (kept.empty() || !goes_on(kept.back(), line)) kept.push_back(std::move(line));
        else add_touched(kept.back(), line.touched);
    }
    return kept;
}

} // namespace lathe::gpu
