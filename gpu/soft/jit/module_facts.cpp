// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/module_facts.h"

#include "gpu/soft/jit/lowering.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace lathe::soft::jit {

namespace {

using Visitor = std::function<void(const ptx::Statement&)>;

void visit(const ptx::Block& block, const Visitor& visitor) {
    for (const ptx::Statement& statement : block.statements) {
        visitor(statement);
        if (const auto* inner = std::get_if<ptx::Block>(&statement)) visit(*inner, visitor);
    }
}

void collect_symbols(const Operand& operand, std::set<std::string>& symbols) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) symbols.insert(symbol->name);
    if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
        if (const auto* base = std::get_if<ptx::Symbol>(&address->base)) symbols.insert(base->name);
    }
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
        for (const Operand& item : vector->items) collect_symbols(item, symbols);
    }
}

bool is_warp_operation(const Instruction& i) {
    switch (i.opcode) {
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
    case Opcode::mma:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::wmma:
    case Opcode::mbarrier: return true;
    default: return false;
    }
}

bool reads_register(const Instruction& i, std::string_view name) {
    for (const Operand& operand : i.operands) {
        const auto* r = std::get_if<ptx::Register>(&operand.value);
        if (r && r->name == name) return true;
    }
    return false;
}

/// Reads %laneid or the like: then a warp must be one of 32 lanes.
bool names_lanes(const Instruction& i) {
    for (const Operand& operand : i.operands) {
        const auto* r = std::get_if<ptx::Register>(&operand.value);
        if (r && (r->name == "%laneid" || r->name.starts_with("%lanemask"))) return true;
    }
    return false;
}

bool swaps_what_it_read(const Instruction& i) {
    return i.opcode == Opcode::atom && i.has("cas") && i.operands.size() > 2 &&
           std::holds_alternative<ptx::Register>(i.operands[2].value);
}

bool reads_what_others_write(const Instruction& i) {
    if (i.opcode == Opcode::atom) return true;
    return i.opcode == Opcode::ld &&
           (i.has("volatile") || i.has("acquire") || i.has("relaxed") || i.has("mmio"));
}

void collect_registers(const Operand& operand, std::vector<std::string>& names) {
    if (const auto* r = std::get_if<ptx::Register>(&operand.value)) names.push_back(r->name);
    if (const auto* v = std::get_if<ptx::Vector>(&operand.value)) {
        for (const Operand& item : v->items) collect_registers(item, names);
    }
    if (!operand.second.empty()) names.push_back(operand.second);
}

std::string shared_key(const ptx::Function* function, const std::string& variable) {
    return (function ? function->name : std::string{}) + "/" + variable;
}

std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

/// Lays out the shared variables that `wanted(function or null, variable)` accepts.
template <class Wanted> SharedLayout lay_out(const ptx::Module& module, Wanted wanted) {
    SharedLayout layout;
    std::uint32_t dynamic_alignment = 16;
    std::vector<std::string> dynamic;
    auto place = [&](const ptx::Function* function, const ptx::Variable& variable) {
        if (variable.space != Space::shared || !wanted(function, variable)) return;
        const std::string key = shared_key(function, variable.name);
        const std::uint32_t alignment = std::max(1u, variable.alignment());
        if (variable.size_bytes() == 0) {
            dynamic.push_back(key);
            dynamic_alignment = std::max(dynamic_alignment, alignment);
            return;
        }
        layout.static_bytes = align_up(layout.static_bytes, alignment);
        layout.offsets[key] = layout.static_bytes;
        layout.static_bytes += static_cast<std::uint32_t>(variable.size_bytes());
    };
    for (const ptx::Variable& variable : module.variables) place(nullptr, variable);
    for (const ptx::Function& function : module.functions) {
        visit(function.body, [&](const ptx::Statement& statement) {
            if (const auto* v = std::get_if<ptx::Variable>(&statement)) place(&function, *v);
        });
    }
    layout.dynamic_offset = align_up(layout.static_bytes, dynamic_alignment);
    layout.has_dynamic = !dynamic.empty();
    for (const std::string& key : dynamic) layout.offsets[key] = layout.dynamic_offset;
    return layout;
}

/// What emit_control.cpp makes calls of the run time.
bool is_system_call(std::string_view name) {
    return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free";
}

FunctionFacts facts_of(const ptx::Function& function) {
    FunctionFacts facts;
    visit(function.body, [&](const ptx::Statement& statement) {
        if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
            if (variable->space == Space::local) {
                facts.local_bytes =
                    align_up(facts.local_bytes, std::max(1u, variable->alignment()));
                facts.local_bytes += static_cast<std::uint32_t>(variable->size_bytes());
            }
            return;
        }
        const auto* i = std::get_if<Instruction>(&statement);
        if (!i) return;
        ++facts.instructions;
        facts.reads |= reads_what_others_write(*i);
        facts.subnormals = both(facts.subnormals, subnormals_of(*i));
        if (is_warp_operation(*i)) {
            facts.waits = true;
            const bool barrier =
                (i->opcode == Opcode::bar || i->opcode == Opcode::barrier) && !i->has("warp");
            (barrier ? facts.uses_barriers : facts.uses_warp_operations) = true;
        }
        if (reads_register(*i, "%tid.y") || reads_register(*i, "%ntid.y")) facts.has_rows = true;
        if (names_lanes(*i)) facts.uses_warp_operations = true;
        if (i->has("v2") || i->has("v4")) facts.accesses_vectors = true;
        for (std::size_t k = 0; k < i->operands.size(); ++k) {
            collect_symbols(i->operands[k], facts.symbols);
        }
        if (i->opcode == Opcode::call) {
            const std::size_t target =
                !i->operands.empty() && std::holds_alternative<ptx::Vector>(i->operands[0].value);
            if (target < i->operands.size() &&
                std::holds_alternative<ptx::Register>(i->operands[target].value)) {
                facts.calls_indirectly = true;
            } else if (target < i->operands.size()) {
                collect_symbols(i->operands[target], facts.callees);
            }
        }
    });
    return facts;
}

} // namespace

std::map<std::string, std::uint32_t> spinning_labels(const ptx::Function& function,
                                                     const std::set<std::string>& readers) {
    // Of the lanes that compare and swap what they read before, one succeeds each time: 32 come to
    // an end by themselves. Others wait for something that another thread has to do.
    constexpr std::uint32_t kIterations = 4, kIterationsOfUpdate = 40;
    std::vector<const Instruction*> code;
    std::map<std::string, std::size_t> places;
    visit(function.body, [&](const ptx::Statement& statement) {
        if (const auto* label = std::get_if<ptx::Label>(&statement)) {
            places[label->name] = code.size();
        }
        if (const auto* i = std::get_if<Instruction>(&statement)) code.push_back(i);
    });
    std::map<std::string, std::uint32_t> spinning;
    for (std::size_t end = 0; end < code.size(); ++end) {
        if (code[end]->opcode != Opcode::bra || code[end]->operands.empty()) continue;
        const auto* target = std::get_if<ptx::Symbol>(&code[end]->operands[0].value);
        const auto place = target ? places.find(target->name) : places.end();
        if (place == places.end() || place->second > end) continue;
        const std::size_t begin = place->second;
        std::set<std::string> tainted;
        bool calls_reader = false;
        for (std::size_t k = begin; k <= end && !readers.empty(); ++k) {
            std::set<std::string> symbols;
            if (code[k]->opcode != Opcode::call) continue;
            for (const Operand& operand : code[k]->operands) collect_symbols(operand, symbols);
            for (const std::string& symbol : symbols) calls_reader |= readers.count(symbol) > 0;
        }
        const bool updates =
            std::any_of(code.begin() + static_cast<std::ptrdiff_t>(begin),
                        code.begin() + static_cast<std::ptrdiff_t>(end),
                        [](const Instruction* i) { return swaps_what_it_read(*i); });
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t k = begin; k <= end; ++k) {
                const Instruction& i = *code[k];
                bool taints = reads_what_others_write(i) ||
                              (calls_reader && i.opcode == Opcode::ld && i.has("param"));
                for (std::size_t o = 1; o < i.operands.size() && !taints; ++o) {
                    std::vector<std::string> names;
                    collect_registers(i.operands[o], names);
                    taints = std::any_of(names.begin(), names.end(),
                                         [&](const auto& n) { return tainted.count(n) > 0; });
                }
                if (!taints || i.operands.empty()) continue;
                std::vector<std::string> names;
                collect_registers(i.operands[0], names);
                tainted.insert(names.begin(), names.end());
            }
        }
        for (std::size_t k = begin; k <= end; ++k) {
            const Instruction& i = *code[k];
            if (i.opcode != Opcode::bra || !i.guard || !tainted.count(i.guard->predicate)) continue;
            const auto* exit = std::get_if<ptx::Symbol>(&i.operands[0].value);
            const auto exit_place = exit ? places.find(exit->name) : places.end();
            const bool leaves = exit_place != places.end() &&
                                (exit_place->second < begin || exit_place->second > end);
            if (k == end || leaves)
                spinning[target->name] = updates ? kIterationsOfUpdate : kIterations;
        }
    }
    return spinning;
}

std::set<std::string> ModuleFacts::reachable(const std::string& name) const {
    std::set<std::string> seen;
    std::vector<std::string> pending{name};
    while (!pending.empty()) {
        const std::string next = pending.back();
        pending.pop_back();
        const auto found = functions.find(next);
        if (found == functions.end() || !seen.insert(next).second) continue;
        for (const std::string& symbol : found->second.symbols) {
            if (functions.count(symbol)) pending.push_back(symbol);
        }
        if (found->second.calls_indirectly) {
            for (const auto& [other, facts] : functions) {
                if (facts.address_taken) pending.push_back(other);
            }
        }
    }
    return seen;
}

const KernelFacts* ModuleFacts::kernel(std::string_view name) const {
    for (const KernelFacts& kernel : kernels) {
        if (kernel.info.name == name) return &kernel;
    }
    return nullptr;
}

ParamLayout layout_of(const std::vector<ptx::Variable>& params) {
    ParamLayout layout;
    for (const ptx::Variable& param : params) {
        const std::uint32_t alignment = std::max(1u, param.alignment());
        const std::uint32_t bytes =
            param.type == ptx::Type::pred ? 4 : static_cast<std::uint32_t>(param.size_bytes());
        layout.bytes = align_up(layout.bytes, alignment);
        layout.params.push_back({layout.bytes, bytes, alignment});
        layout.bytes += bytes;
    }
    return layout;
}

namespace {

/// Where an operand names a parameter: its offset among all of them, or nothing.
std::optional<std::uint32_t> parameter_offset(const ptx::Function& kernel,
                                              const ParamLayout& layout, const Operand& operand) {
    const auto* address = std::get_if<ptx::Address>(&operand.value);
    const auto* symbol = address ? std::get_if<ptx::Symbol>(&address->base)
                                 : std::get_if<ptx::Symbol>(&operand.value);
    if (!symbol) return std::nullopt;
    for (std::size_t k = 0; k < kernel.params.size(); ++k) {
        if (kernel.params[k].name != symbol->name) continue;
        return layout.params[k].offset +
               static_cast<std::uint32_t>(symbol->offset + (address ? address->offset : 0));
    }
    return std::nullopt;
}

/// Eight bytes that the kernel loads from its parameters; what goes through cvta.to, or comes with
/// .ptr, is a pointer.
std::vector<PointerSlot> find_pointers(const ptx::Function& kernel, const ParamLayout& layout) {
    constexpr std::size_t kMost = 512;
    std::map<std::uint32_t, bool> slots;
    std::map<std::string, std::uint32_t> registers;
    visit(kernel.body, [&](const ptx::Statement& statement) {
        const auto* i = std::get_if<Instruction>(&statement);
        if (!i || i->operands.size() < 2) return;
        if (i->opcode == Opcode::ld && i->types.size() == 1 && ptx::bytes_of(i->types[0]) == 8) {
            const auto offset = parameter_offset(kernel, layout, i->operands[1]);
            if (!offset) return;
            for (int k = 0; k < i->vector_width(); ++k)
                slots.try_emplace(*offset + 8 * static_cast<std::uint32_t>(k), false);
            const auto* to = std::get_if<ptx::Register>(&i->operands[0].value);
            if (to) registers[to->name] = *offset;
        } else if (i->opcode == Opcode::cvta && i->has("to")) {
            const auto* from = std::get_if<ptx::Register>(&i->operands[1].value);
            const auto known = from ? registers.find(from->name) : registers.end();
            if (known != registers.end()) slots[known->second] = true;
        } else if (i->opcode == Opcode::mov) { // a structure, read through its address
            const auto offset = parameter_offset(kernel, layout, i->operands[1]);
            for (std::size_t k = 0; offset && k < layout.params.size(); ++k) {
                const ParamInfo& whole = layout.params[k];
                if (*offset < whole.offset || *offset >= whole.offset + whole.bytes) continue;
                for (std::uint32_t at = 0; at + 8 <= whole.bytes; at += 8)
                    slots.try_emplace(whole.offset + at, false);
            }
        }
    });
    std::vector<PointerSlot> list;
    for (const auto& [offset, is_pointer] : slots) {
        if (offset + 8 > layout.bytes || list.size() == kMost) continue;
        bool marked = is_pointer;
        for (std::size_t k = 0; k < layout.params.size(); ++k)
            marked |= layout.params[k].offset == offset && kernel.params[k].is_pointer;
        list.push_back({offset, marked});
    }
    return list;
}

} // namespace

ModuleFacts find_facts(const ptx::Module& module) {
    ModuleFacts facts;
    for (const ptx::Variable& variable : module.variables) {
        facts.variables.emplace(variable.name, &variable);
    }
    for (const ptx::Function& function : module.functions) {
        if (function.has_body) facts.functions[function.name] = facts_of(function);
    }
    // A function whose address is taken: named in an initialiser, or by other than a direct call.
    for (const ptx::Variable& variable : module.variables) {
        for (const auto& relocation : variable.relocations) {
            const auto found = facts.functions.find(relocation.target.name);
            if (found == facts.functions.end()) continue;
            found->second.address_taken = facts.functions_in_variables = true;
        }
    }
    for (const ptx::Function& function : module.functions) {
        visit(function.body, [&](const ptx::Statement& statement) {
            const auto* i = std::get_if<Instruction>(&statement);
            if (!i || i->opcode == Opcode::call) return;
            std::set<std::string> symbols;
            for (const Operand& operand : i->operands) collect_symbols(operand, symbols);
            for (const std::string& symbol : symbols) {
                const auto found = facts.functions.find(symbol);
                if (found != facts.functions.end()) found->second.address_taken = true;
            }
        });
    }
    for (const auto& [name, unused] : facts.functions) {
        for (const std::string& callee : facts.reachable(name)) {
            if (facts.functions[callee].reads) facts.readers.insert(name);
        }
    }
    for (const ptx::Function& function : module.functions) {
        if (!function.has_body) continue;
        FunctionFacts& found = facts.functions[function.name];
        found.spins = !spinning_labels(function, facts.readers).empty();
        found.waits |= found.spins;
    }
    for (auto& [name, function] : facts.functions) {
        for (const std::string& callee : function.symbols) {
            if (facts.functions.count(callee) && facts.reachable(callee).count(name)) {
                function.recursive = true;
            }
        }
        function.recursive |= function.calls_indirectly && function.address_taken;
    }
    facts.all_shared = lay_out(module, [](auto, auto&) { return true; });
    for (const ptx::Function& function : module.functions) {
        if (!function.is_entry || !function.has_body) continue;
        KernelFacts kernel;
        kernel.function = &function;
        KernelInfo& info = kernel.info;
        info.name = function.name;
        const ParamLayout layout = layout_of(function.params);
        info.params = layout.params;
        info.param_bytes = layout.bytes;
        info.pointers = find_pointers(function, layout);
        const auto reachable = facts.reachable(function.name);
        std::set<std::string> used;
        Subnormals subnormals = Subnormals::indifferent;
        for (const std::string& name : reachable) {
            const FunctionFacts& f = facts.functions[name];
            used.insert(f.symbols.begin(), f.symbols.end());
            info.local_bytes += f.local_bytes;
            info.needs_fibers |= f.waits;
            info.has_rows |= f.has_rows;
            kernel.uses_barriers |= f.uses_barriers;
            kernel.uses_warp_operations |= f.uses_warp_operations;
            kernel.spins |= f.spins;
            kernel.accesses_vectors |= f.accesses_vectors;
            kernel.instructions += f.instructions;
            info.uses_printf |= f.symbols.count("vprintf") > 0;
            subnormals = both(subnormals, f.subnormals);
            // Functions of other modules, and those called by address, know of no mode.
            if (f.calls_indirectly) subnormals = Subnormals::kept;
            for (const std::string& callee : f.callees)
                if (!facts.functions.count(callee) && !is_system_call(callee))
                    subnormals = Subnormals::kept;
        }
        info.flushes = subnormals == Subnormals::flushed && can_flush();
        kernel.shared =
            facts.functions_in_variables
                ? facts.all_shared
                : lay_out(module, [&](const ptx::Function* owner, const auto& variable) {
                      return (owner == nullptr || reachable.count(owner->name) > 0) &&
                             used.count(variable.name) > 0;
                  });
        info.static_shared_bytes = kernel.shared.static_bytes;
        info.dynamic_shared_offset = kernel.shared.dynamic_offset;
        std::copy_n(function.required_threads, 3, info.required_threads);
        const std::uint32_t* limit =
            function.required_threads[0] ? function.required_threads : function.max_threads;
        if (limit[0]) {
            info.max_threads =
                std::min(1024u, limit[0] * std::max(1u, limit[1]) * std::max(1u, limit[2]));
        }
        facts.kernels.push_back(std::move(kernel));
    }
    return facts;
}

} // namespace lathe::soft::jit
