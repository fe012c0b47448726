// SPDX-License-Identifier: MIT
#include "engine/live/parameter_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

namespace lathe {

namespace {

using Type = ptx::ParameterType;
using Kind = ptx::ParameterType::Kind;

constexpr std::size_t kMostMembers = 64;
constexpr std::uint32_t kLargestGap = 15; // bytes; more is somebody's base

bool is_integer(const Type& t) {
    return t.kind == Kind::signed_integer || t.kind == Kind::unsigned_integer;
}

std::string_view without_qualifiers(std::string_view type_name) {
    for (const std::string_view word : {"const ", "volatile "})
        if (type_name.starts_with(word)) return without_qualifiers(type_name.substr(word.size()));
    return type_name.substr(0, type_name.find('<')); // of a template
}

/// Members x, y, z, w of one kind of number.
bool is_vector(const Type& t) {
    constexpr std::string_view names = "xyzw";
    if (t.kind != Kind::structure || t.members.size() < 2 || t.members.size() > names.size())
        return false;
    for (std::size_t i = 0; i < t.members.size(); ++i) {
        const Type& m = t.members[i];
        if (m.name != names.substr(i, 1) || m.kind != t.members[0].kind ||
            m.bytes != t.members[0].bytes || m.offset != i * m.bytes)
            return false;
    }
    const Type& first = t.members[0];
    return is_integer(first) || (first.kind == Kind::floating && first.bytes >= 4);
}

/// The members lie one after another, each with a name: no union, no bit field, no base.
bool is_plain(const Type& t) {
    std::uint32_t end = 0;
    for (const Type& m : t.members) {
        if (m.name.empty() || m.name.starts_with("__") || m.bytes == 0 || m.offset < end ||
            m.offset - end > kLargestGap || (end == 0 && m.offset != 0))
            return false;
        end = m.offset + m.bytes;
    }
    return !t.members.empty() && t.bytes - end <= kLargestGap;
}

bool is_texture(const Type& t) {
    return t.type_name.find("cudaTextureObject_t") != std::string::npos ||
           t.type_name.find("cudaSurfaceObject_t") != std::string::npos;
}

/// A number that the type cannot hold would be refused at the launch.
void limit(Parameter& p, const Type& number) {
    const bool is_unsigned = number.kind == Kind::unsigned_integer;
    if (!is_integer(number)) return;
    const double most = std::ldexp(1, int(number.bytes) * 8 - !is_unsigned);
    if (!p.min && (is_unsigned || number.bytes < 4)) p.min = is_unsigned ? 0 : -most;
    if (!p.max && number.bytes < 4) p.max = most - 1;
    if (const auto fitting = convert(p, p.initial)) p.initial = p.value = *fitting;
}

/// "color", "lamp.base_color": a colour without a word of the source.
bool is_name_of_color(std::string_view name) {
    return name.ends_with("color") || name.ends_with("colour") || name.ends_with("Color");
}

Parameter choice_of(const std::string& name, const Type& t, Directive named) {
    named.choices.clear();
    for (const auto& e : t.enumerators) named.choices.push_back(e.name);
    Parameter p = make_parameter(name, ParameterKind::choice, 1, named);
    for (const auto& e : t.enumerators) p.choice_values.push_back(e.value);
    if (named.initial.empty() && !p.choice_values.empty())
        p.initial = p.value = p.choice_values.front();
    return p;
}

class Unfolding {
public:
    explicit Unfolding(const SourceDirectives& directives) : directives_{directives} {}

    /// False where sliders cannot make such a value.
    bool add(const std::string& name, const Type& t, const Directive* given) {
        const Directive directive = given ? *given : Directive{};
        switch (t.kind) {
        case Kind::boolean:
            return put(make_parameter(name, ParameterKind::boolean, 1, directive), t, given);
        case Kind::floating:
            if (t.bytes < 4) return false; // __half and its like are structures
            return put(make_parameter(name, ParameterKind::real, 1, directive), t, given);
        case Kind::signed_integer:
        case Kind::unsigned_integer:
            if (is_texture(t)) return false;
            return put(make_parameter(name, ParameterKind::integer, 1, directive), t, given);
        case Kind::enumeration: return put(choice_of(name, t, directive), t, given);
        case Kind::structure: return add_structure(name, t, given);
        case Kind::array: return add_array(name, t, given);
        case Kind::unknown:
        case Kind::pointer: break;
        }
        return false;
    }
    std::vector<Parameter> made;

private:
    bool put(Parameter p, const Type& t, const Directive* given) {
        p.implied = !given;
        p.type_name = t.type_name;
        if (p.kind == ParameterKind::integer) limit(p, t);
        made.push_back(std::move(p));
        return made.size() <= kMostMembers;
    }

    bool add_structure(const std::string& name, const Type& t, const Directive* given) {
        const std::string_view structure = without_qualifiers(t.type_name);
        const auto of_member = [&](const Type& member) {
            return directives_.find_member(structure, member.name);
        };
        if (is_vector(t) && std::none_of(t.members.begin(), t.members.end(), of_member)) {
            Parameter p = make_parameter(name, ParameterKind::vector, int(t.members.size()),
                                         given ? *given : Directive{});
            p.whole = is_integer(t.members[0]);
            if (!given && !p.whole && p.components >= 3 && is_name_of_color(name))
                p.widget = ParameterWidget::color;
            limit(p, t.members[0]);
            return put(std::move(p), t, given);
        }
        const bool is_hidden = given && given->hidden;
        const std::size_t first = made.size();
        for (const Type& member : t.members) {
            if (!is_plain(t) || !add(name + "." + member.name, member, of_member(member)))
                return false;
            for (Parameter& p : made)
                if (p.declared_in.list.empty())
                    p.declared_in = {std::string{structure}, member.name, true};
        }
        for (std::size_t i = first; is_hidden && i < made.size(); ++i)
            made[i].widget = ParameterWidget::hidden;
        return made.size() > first;
    }

    /// A directive counts for each element.
    bool add_array(const std::string& name, const Type& t, const Directive* given) {
        if (t.members.size() != 1 || t.count == 0 || t.count > kMostMembers) return false;
        for (std::uint64_t i = 0; i < t.count; ++i)
            if (!add(fmt::format("{}[{}]", name, i), t.members[0], given)) return false;
        return true;
    }

    const SourceDirectives& directives_;
};

} // namespace

std::vector<Parameter> parameters_of_type(const Type& type, const Directive* given,
                                          const SourceDirectives& directives) {
    const bool is_of_integers =
        is_integer(type) || (is_vector(type) && is_integer(type.members[0]));
    if (is_of_integers && !given) return {};
    Unfolding unfolding{directives};
    if (!unfolding.add(type.name, type, given)) return {};
    return std::move(unfolding.made);
}

} // namespace lathe
