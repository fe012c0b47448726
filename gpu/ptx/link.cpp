// SPDX-License-Identifier: MIT
#include "gpu/ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>

namespace lathe::ptx {
namespace {

using Names = std::unordered_map<std::string, std::string>; // own name in a module → new name

enum class Binding { internal, weak, strong, declared };

Binding binding_of(const Variable& v) {
    if (v.is_extern) return Binding::declared;
    if (v.is_weak || v.is_common) return Binding::weak;
    return v.is_visible ? Binding::strong : Binding::internal;
}

/// A forward declaration is what its definition is.
Binding binding_of(const Module& module, const Function& declared) {
    const Function* found = module.find_function(declared.name);
    const Function& f = found ? *found : declared;
    if (!f.has_body) return Binding::declared;
    if (f.is_weak) return Binding::weak;
    return f.is_visible || f.is_entry ? Binding::strong : Binding::internal;
}

bool is_shared(const Variable& v) { return v.space == Space::shared; }

bool same_shape(const std::vector<Variable>& a, const std::vector<Variable>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.size_bytes() == y.size_bytes();
    });
}

int architecture(const std::string& target) {
    const std::size_t digits = target.find_first_of("0123456789");
    return digits == std::string::npos ? 0 : std::atoi(target.c_str() + digits);
}

// --- new names and numbers in a module's tree
// -----------------------------------------------------

/// Gives symbols their new names and locations their new numbers, in one function.
class Rewriter {
public:
    Rewriter(const Names& names, LocationId first_location)
        : names_{names}, first_location_{first_location} {}

    void run(Function& f) {
        for (const auto* list : {&f.returns, &f.params})
            for (const Variable& v : *list) own_.insert(v.name);
        for (const Prototype& p : f.prototypes) own_.insert(p.name);
        collect(f.body);
        rewrite(f.body);
    }

    void rewrite(Variable& v) {
        for (auto& relocation : v.relocations) rewrite(relocation.target);
    }

private:
    void collect(const Block& block) { // the function's own names, which hide those outside
        for (const Statement& statement : block.statements) {
            if (const auto* v = std::get_if<Variable>(&statement)) own_.insert(v->name);
            if (const auto* l = std::get_if<Label>(&statement)) own_.insert(l->name);
            if (const auto* t = std::get_if<TargetList>(&statement)) own_.insert(t->name);
            if (const auto* b = std::get_if<Block>(&statement)) collect(*b);
        }
    }

    void rewrite(Block& block) {
        for (Statement& statement : block.statements) {
            if (auto* i = std::get_if<Instruction>(&statement)) {
                if (i->location) i->location += first_location_;
                for (Operand& operand : i->operands) rewrite(operand);
            } else if (auto* v = std::get_if<Variable>(&statement)) {
                rewrite(*v);
            } else if (auto* t = std::get_if<TargetList>(&statement); t && t->is_call) {
                for (std::string& target : t->targets) rename(target);
            } else if (auto* b = std::get_if<Block>(&statement)) {
                rewrite(*b);
            }
        }
    }

    void rewrite(Operand& operand) {
        if (auto* symbol = std::get_if<Symbol>(&operand.value)) rewrite(*symbol);
        if (auto* address = std::get_if<Address>(&operand.value))
            if (auto* base = std::get_if<Symbol>(&address->base)) rewrite(*base);
        if (auto* vector = std::get_if<Vector>(&operand.value))
            for (Operand& item : vector->items) rewrite(item);
    }
    void rewrite(Symbol& symbol) { rename(symbol.name); }

    void rename(std::string& name) {
        if (own_.count(name)) return;
        if (auto it = names_.find(name); it != names_.end()) name = it->second;
    }

    const Names& names_;
    LocationId first_location_;
    std::set<std::string> own_;
};

// --- the link
// -------------------------------------------------------------------------------------

class Linker {
public:
    explicit Linker(std::span<const LinkInput> inputs) : inputs_{inputs} {}

    LinkResult run() {
        for (const LinkInput& input : inputs_) add_header(input.module);
        for (std::size_t i = 0; i < inputs_.size(); ++i) names_.push_back(new_names(i));
        for (const LinkInput& input : inputs_) find_definitions(input);
        for (std::size_t i = 0; i < inputs_.size(); ++i) add(i);
        for (auto& [name, v] : open_variables_) {
            if (!is_shared(v)) result_.undefined_variables.push_back(name);
            out().variables.push_back(std::move(v));
        }
        for (auto& [name, f] : open_functions_) {
            result_.undefined_functions.push_back(name);
            out().functions.insert(out().functions.begin(), std::move(f)); // before its callers
        }
        return std::move(result_);
    }

private:
    struct Definition {
        const LinkInput* input = nullptr;
        Binding binding = Binding::declared;
        const Function* function = nullptr;
        const Variable* variable = nullptr;
    };

    Module& out() { return result_.module; }

    template <class... Args> void error(fmt::format_string<Args...> format, Args&&... args) {
        result_.errors.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    void add_header(const Module& m) {
        Module& o = out();
        if (std::pair{m.version_major, m.version_minor} >
            std::pair{o.version_major, o.version_minor}) {
            o.version_major = m.version_major;
            o.version_minor = m.version_minor;
        }
        if (architecture(m.target) > architecture(o.target)) o.target = m.target;
        if (m.address_size != o.address_size)
            error("addresses of {} bits are not supported", m.address_size);
    }

    /// New names for a module's internal symbols that others have, too.
    Names new_names(std::size_t index) {
        const Module& m = inputs_[index].module;
        Names names;
        auto consider = [&](const std::string& name, Binding binding) {
            if (binding != Binding::internal || names.count(name)) return;
            const bool first = seen_.insert(name).second;
            bool clash = !first;
            for (std::size_t k = 0; k < inputs_.size() && !clash; ++k)
                clash = k != index && has_external(inputs_[k].module, name);
            if (!clash) return;
            std::string made;
            for (unsigned n = 1; made.empty() || !seen_.insert(made).second; ++n)
                made = fmt::format("{}__m{}_{}", name, index, n);
            names.emplace(name, made);
        };
        for (const Variable& v : m.variables) consider(v.name, binding_of(v));
        for (const Function& f : m.functions) consider(f.name, binding_of(m, f));
        return names;
    }

    static bool has_external(const Module& m, const std::string& name) {
        if (const Variable* v = m.find_variable(name)) return binding_of(*v) != Binding::internal;
        if (const Function* f = m.find_function(name))
            return binding_of(m, *f) != Binding::internal;
        return false;
    }

    void define(const std::string& name, const Definition& made) {
        Definition& known = definitions_[name];
        if (known.binding == Binding::strong && made.binding == Binding::strong) {
            error("{} is defined by {} and by {}", name, known.input->name, made.input->name);
        } else if (known.binding == Binding::declared || made.binding == Binding::strong) {
            known = made;
        }
    }

    void find_definitions(const LinkInput& input) {
        for (const Variable& v : input.module.variables) {
            const Binding binding = binding_of(v);
            if (binding == Binding::weak || binding == Binding::strong)
                define(v.name, {&input, binding, nullptr, &v});
        }
        for (const Function& f : input.module.functions) {
            const Binding binding = binding_of(input.module, f);
            if (f.has_body && (binding == Binding::weak || binding == Binding::strong))
                define(f.name, {&input, binding, &f, nullptr});
        }
    }

    /// True where this declaration or definition is not the one that stays.
    template <class T>
    bool is_elsewhere(const T& symbol, const T* Definition::* member, const LinkInput& input) {
        auto it = definitions_.find(symbol.name);
        if (it == definitions_.end()) return false;
        const T* chosen = it->second.*member;
        if (!chosen) {
            error("{} is a function in one module and a variable in another", symbol.name);
            return true;
        }
        check_shape(symbol, *chosen, input, *it->second.input);
        return chosen != &symbol;
    }

    void check_shape(const Function& a, const Function& b, const LinkInput& in_a,
                     const LinkInput& in_b) {
        if (!same_shape(a.params, b.params) || !same_shape(a.returns, b.returns))
            error("{} has other parameters in {} than in {}", a.name, in_a.name, in_b.name);
    }
    void check_shape(const Variable& a, const Variable& b, const LinkInput& in_a,
                     const LinkInput& in_b) {
        if (a.size_bytes() && a.size_bytes() != b.size_bytes())
            error("{} has {} bytes in {} and {} in {}", a.name, a.size_bytes(), in_a.name,
                  b.size_bytes(), in_b.name);
    }

    void add(std::size_t index) {
        const LinkInput& input = inputs_[index];
        const Module& m = input.module;
        const LocationId first = add_locations(m);
        auto renamed = [&](const std::string& name) {
            auto it = names_[index].find(name);
            return it == names_[index].end() ? name : it->second;
        };
        for (const Variable& v : m.variables) {
            const Binding binding = binding_of(v);
            if (binding != Binding::internal && is_elsewhere(v, &Definition::variable, input))
                continue;
            Variable copy = v;
            copy.name = renamed(v.name);
            Rewriter{names_[index], first}.rewrite(copy);
            if (binding == Binding::declared) open_variables_.emplace(copy.name, std::move(copy));
            else out().variables.push_back(std::move(copy));
        }
        for (const Function& f : m.functions) {
            const Binding binding = binding_of(m, f);
            const bool forward = !f.has_body && m.find_function(f.name)->has_body;
            if (forward ||
                (binding != Binding::internal && is_elsewhere(f, &Definition::function, input)))
                continue;
            Function copy = f;
            copy.name = renamed(f.name);
            Rewriter{names_[index], first}.run(copy);
            if (binding == Binding::declared) open_functions_.emplace(copy.name, std::move(copy));
            else out().functions.push_back(std::move(copy));
        }
        for (const auto& [alias, target] : m.aliases)
            out().aliases.emplace_back(renamed(alias), renamed(target));
    }

    /// Appends files and locations; returns what is to be added to the module's location numbers.
    LocationId add_locations(const Module& m) {
        std::unordered_map<std::uint32_t, std::uint32_t> files;
        for (const auto& [number, path] : m.files) {
            const auto fresh = static_cast<std::uint32_t>(out().files.size() + 1);
            files.emplace(number, fresh);
            out().files.emplace_back(fresh, path);
        }
        const auto first = static_cast<LocationId>(out().locations.size());
        for (Location location : m.locations) {
            const auto file = files.find(location.file);
            location.file = file == files.end() ? 0 : file->second;
            if (location.inlined_at) location.inlined_at += first;
            location.function.clear(); // its text was in a section
            out().locations.push_back(std::move(location));
        }
        return first;
    }

    std::span<const LinkInput> inputs_;
    LinkResult result_;
    std::vector<Names> names_;
    std::set<std::string> seen_; ///< internal names given away
    std::map<std::string, Definition> definitions_;
    std::map<std::string, Variable> open_variables_;
    std::map<std::string, Function> open_functions_;
};

} // namespace

LinkResult link(std::span<const LinkInput> inputs) { return Linker{inputs}.run(); }

} // namespace lathe::ptx
