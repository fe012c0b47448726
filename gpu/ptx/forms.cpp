// SPDX-License-Identifier: MIT
#include "gpu/ptx/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

namespace lathe::ptx {
namespace {

using Words = std::vector<std::string_view>;

struct Slot {
    Words words;
    bool optional = false;
    bool many = false; ///< any of the words, each once
};

struct TypeSlot {
    std::uint64_t types = 0; ///< one bit a Type
    bool optional = false;
    bool has(Type type) const { return types >> static_cast<unsigned>(type) & 1; }
};

struct Form {
    std::vector<Slot> slots;
    std::vector<TypeSlot> types;
};

bool holds(const Words& words, std::string_view word) {
    return std::any_of(words.begin(), words.end(), [word](std::string_view each) {
        if (!each.ends_with('*')) return each == word;
        return word.starts_with(each.substr(0, each.size() - 1));
    });
}

Words split(std::string_view text, char at) {
    Words parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(at), text.size());
        if (end) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

/// "[a|b]": optional; "{a|b}": any of them; "a|b": one of them.
Slot slot(std::string_view text) {
    Slot made;
    made.optional = text.front() == '[' || text.front() == '{';
    made.many = text.front() == '{';
    if (made.optional) text = text.substr(1, text.size() - 2);
    made.words = split(text, '|');
    return made;
}

Form form(std::string_view text) {
    const std::size_t colon = text.find(" : ");
    Form made;
    for (const std::string_view each : split(text.substr(0, colon), ' '))
        made.slots.push_back(slot(each));
    if (colon == std::string_view::npos) return made;
    for (const std::string_view each : split(text.substr(colon + 3), ' ')) {
        const Slot words = slot(each);
        TypeSlot types{0, words.optional};
        for (const std::string_view word : words.words) {
            const auto type = type_from_name(word);
            assert(type && "the table names a type that does not exist");
            if (type) types.types |= std::uint64_t{1} << static_cast<unsigned>(*type);
        }
        made.types.push_back(types);
    }
    return made;
}

struct Row {
    Opcode opcode;
    std::string_view text;
};

constexpr Row kRows[] = {
#define LATHE_PTX_FORM(opcode, text) {Opcode::opcode, text},
#include "gpu/ptx/forms.inc"
#undef LATHE_PTX_FORM
};

const std::vector<Form>& forms_of(Opcode opcode) {
    static const auto table = [] {
        std::vector<std::vector<Form>> made;
        for (const Row& row : kRows) {
            const auto at = static_cast<std::size_t>(row.opcode);
            if (made.size() <= at) made.resize(at + 1);
            made[at].push_back(form(row.text));
        }
        return made;
    }();
    static const std::vector<Form> none;
    const auto at = static_cast<std::size_t>(opcode);
    return at < table.size() ? table[at] : none;
}

/// Words and types that fill a form's slots, in any order of the former.
class Fit {
public:
    Fit(const Form& form, std::span<const std::string_view> words) : form_{form} {
        for (const std::string_view word : words) {
            if (const auto type = type_from_name(word)) types_.push_back(*type);
            else modifiers_.push_back(word);
        }
        filled_.resize(form.slots.size());
    }

    /// Whether more words could complete them.
    bool begins() { return place(0, false) && types_from(0, 0, false); }
    bool complete() { return place(0, true) && types_from(0, 0, true); }

private:
    /// Finds a slot for each modifier from the index on.
    bool place(std::size_t index, bool all) {
        if (index == modifiers_.size()) return !all || required_are_filled();
        const std::string_view word = modifiers_[index];
        for (std::size_t k = 0; k < form_.slots.size(); ++k) {
            const Slot& each = form_.slots[k];
            if (!holds(each.words, word)) continue;
            if (each.many) {
                const auto earlier = modifiers_.begin() + static_cast<std::ptrdiff_t>(index);
                if (std::find(modifiers_.begin(), earlier, word) == earlier &&
                    place(index + 1, all))
                    return true;
            } else if (!filled_[k]) {
                filled_[k] = true;
                const bool placed = place(index + 1, all);
                filled_[k] = false;
                if (placed) return true;
            }
        }
        return false;
    }

    bool required_are_filled() const {
        for (std::size_t k = 0; k < form_.slots.size(); ++k)
            if (!form_.slots[k].optional && !filled_[k]) return false;
        return true;
    }

    bool types_from(std::size_t type, std::size_t slot_index, bool all) const {
        if (type == types_.size() && !all) return true;
        if (slot_index == form_.types.size()) return type == types_.size();
        const TypeSlot& each = form_.types[slot_index];
        if (type < types_.size() && each.has(types_[type]) &&
            types_from(type + 1, slot_index + 1, all))
            return true;
        return each.optional && types_from(type, slot_index + 1, all);
    }

    const Form& form_;
    std::vector<Type> types_;
    Words modifiers_;
    std::vector<bool> filled_;
};

bool is_known(const std::vector<Form>& forms, std::string_view word) {
    const auto type = type_from_name(word);
    for (const Form& each : forms) {
        if (type && std::any_of(each.types.begin(), each.types.end(),
                                [&](const TypeSlot& types) { return types.has(*type); }))
            return true;
        for (const Slot& slot_of : each.slots)
            if (holds(slot_of.words, word)) return true;
    }
    return false;
}

std::string spelled(Opcode opcode, std::span<const std::string_view> words) {
    std::string text{name_of(opcode)};
    for (const std::string_view word : words) text.append(".").append(word);
    return text;
}

} // namespace

std::optional<FormFault> form_fault(Opcode opcode, std::span<const std::string_view> words) {
    const std::vector<Form>& forms = forms_of(opcode);
    const auto any = [&](std::size_t count, bool complete) {
        return std::any_of(forms.begin(), forms.end(), [&](const Form& each) {
            Fit fit{each, words.first(count)};
            return complete ? fit.complete() : fit.begins();
        });
    };
    if (any(words.size(), true)) return std::nullopt;
    for (std::size_t k = 0; k < words.size(); ++k)
        if (!is_known(forms, words[k]))
            return FormFault{k, fmt::format("'.{}' is no {} of '{}'", words[k],
                                            type_from_name(words[k]) ? "type" : "modifier",
                                            name_of(opcode))};
    for (std::size_t k = 0; k < words.size(); ++k)
        if (!any(k + 1, false))
            return FormFault{k, fmt::format("'.{}' does not go with '{}'", words[k],
                                            spelled(opcode, words.first(k)))};
    return FormFault{words.size(),
                     fmt::format("'{}' lacks a modifier or a type", spelled(opcode, words))};
}

} // namespace lathe::ptx
