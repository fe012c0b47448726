// SPDX-License-Identifier: MIT
#include "gpu/ptx/verify_scope.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lathe::ptx {
namespace {

struct Special {
    std::string_view name;
    Type type;
};

constexpr std::array kSpecial{
    Special{"%tid", Type::u32},
    Special{"%ntid", Type::u32},
    Special{"%ctaid", Type::u32},
    Special{"%nctaid", Type::u32},
    Special{"%laneid", Type::u32},
    Special{"%warpid", Type::u32},
    Special{"%nwarpid", Type::u32},
    Special{"%smid", Type::u32},
    Special{"%nsmid", Type::u32},
    Special{"%gridid", Type::u64},
    Special{"%lanemask_eq", Type::u32},
    Special{"%lanemask_le", Type::u32},
    Special{"%lanemask_lt", Type::u32},
    Special{"%lanemask_ge", Type::u32},
    Special{"%lanemask_gt", Type::u32},
    Special{"%clock", Type::u32},
    Special{"%clock_hi", Type::u32},
    Special{"%clock64", Type::u64},
    Special{"%globaltimer", Type::u64},
    Special{"%globaltimer_lo", Type::u32},
    Special{"%globaltimer_hi", Type::u32},
    Special{"%clusterid", Type::u32},
    Special{"%nclusterid", Type::u32},
    Special{"%cluster_ctaid", Type::u32},
    Special{"%cluster_nctaid", Type::u32},
    Special{"%cluster_ctarank", Type::u32},
    Special{"%cluster_nctarank", Type::u32},
    Special{"%is_explicit_cluster", Type::pred},
    Special{"%total_smem_size", Type::u32},
    Special{"%dynamic_smem_size", Type::u32},
    Special{"%aggr_smem_size", Type::u32},
    Special{"%current_graph_exec", Type::u64},
    Special{"%reserved_smem_offset_begin", Type::u32},
    Special{"%reserved_smem_offset_end", Type::u32},
    Special{"%reserved_smem_offset_cap", Type::u32},
};

/// Numbered special registers: %envreg0 to %envreg31 and the like.
struct SpecialGroup {
    std::string_view prefix, suffix;
    Type type;
    unsigned count;
};

constexpr std::array kSpecialGroups{
    SpecialGroup{"%envreg", "", Type::b32, 32},
    SpecialGroup{"%pm", "", Type::u32, 8},
    SpecialGroup{"%pm", "_64", Type::u64, 8},
    SpecialGroup{"%reserved_smem_offset_", "", Type::u32, 2},
};

/// The number that all of `digits` writes without leading zeros.
std::optional<std::uint32_t> index_of(std::string_view digits) {
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
    std::uint32_t index = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc{} || last != digits.data() + digits.size()) return std::nullopt;
    return index;
}

std::optional<Type> special_register(std::string_view name) {
    for (const Special& special : kSpecial)
        if (special.name == name) return special.type;
    for (const SpecialGroup& group : kSpecialGroups) {
        if (!name.starts_with(group.prefix) || !name.ends_with(group.suffix)) continue;
        const std::size_t around = group.prefix.size() + group.suffix.size();
        if (name.size() <= around) continue;
        const auto index = index_of(name.substr(group.prefix.size(), name.size() - around));
        if (index && *index < group.count) return group.type;
    }
    return std::nullopt;
}

std::string_view without_component(std::string_view name) {
    const std::size_t dot = name.find('.');
    return dot == std::string_view::npos ? name : name.substr(0, dot);
}

} // namespace

bool Scopes::add_register(std::string_view name, Type type, std::uint32_t count) {
    return scopes_.back().registers.try_emplace(name, Group{type, count}).second;
}

bool Scopes::add_symbol(std::string_view name) {
    return scopes_.back().symbols.insert(name).second;
}

std::optional<Type> Scopes::find_register(std::string_view name) const {
    name = without_component(name);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto exact = scope->registers.find(name);
        if (exact != scope->registers.end() && exact->second.count == 0) return exact->second.type;
        // "%a12" is number 12 of "%a" or number 2 of "%a1".
        for (std::size_t cut = name.size(); cut > 1 && name[cut - 1] >= '0' && name[cut - 1] <= '9';
             --cut) {
            const auto group = scope->registers.find(name.substr(0, cut - 1));
            if (group == scope->registers.end() || group->second.count == 0) continue;
            const auto index = index_of(name.substr(cut - 1));
            if (index && *index < group->second.count) return group->second.type;
        }
    }
    return special_register(name);
}

bool Scopes::has_symbol(std::string_view name) const {
    return std::any_of(scopes_.rbegin(), scopes_.rend(),
                       [name](const Scope& scope) { return scope.symbols.contains(name); });
}

} // namespace lathe::ptx
