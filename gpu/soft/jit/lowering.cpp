// SPDX-License-Identifier: MIT
// Functions, blocks, scopes and statements. Operands are in operands.cpp, instructions in
// emit_*.cpp.
#include "gpu/soft/jit/lowering.h"

#include "engine/core/error.h"
#include "gpu/soft/jit/debug_info.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"

#include <fmt/format.h>
#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit {

namespace {

constexpr std::uint32_t kBackEdgesPerReport = 1024;

} // namespace

FunctionLowering::FunctionLowering(ModuleLowering& module_lowering, const ptx::Function& ptx_source,
                                   llvm::Function* llvm_function)
    : module{module_lowering}, source{ptx_source}, function{llvm_function},
      b{module_lowering.context} {
    context = function->getArg(0);
    spinning_ = spinning_labels(source, module.facts.readers);
}

void FunctionLowering::run() {
    subprogram_ = module.debug->subprogram(*function, source);
    b.SetCurrentDebugLocation(llvm::DILocation::get(module.context, 0, 0, subprogram_));
    auto* entry = block("entry");
    auto* start = block("start");
    b.SetInsertPoint(entry);
    alloca_point_ = b.CreateBr(start);
    b.SetInsertPoint(alloca_point_);
    carry = stack(b.getInt1Ty(), 0, "carry");
    b.CreateStore(b.getFalse(), carry);
    back_edges_ = stack(b.getInt32Ty(), 0, "back_edges");
    b.CreateStore(b.getInt32(kBackEdgesPerReport), back_edges_);
    if (source.is_entry) {
        params_ = function->getArg(5);
        for (int axis = 0; axis < 3; ++axis) tid_[axis] = function->getArg(1 + axis);
        linear_tid_ = function->getArg(4);
    } else {
        params_ = function->getArg(1);
        returns_ = function->getArg(2);
    }
    scopes_.emplace_back();
    count_definitions(source.body);
    declare_parameters();
    b.SetInsertPoint(start);
    lower(source.body);
    end_function();
    // Blocks left open hold only code behind a terminator.
    for (llvm::BasicBlock& each : *function) {
        if (!each.getTerminator()) {
            b.SetInsertPoint(&each);
            b.CreateUnreachable();
        }
    }
}

// --- declarations
// ----------------------------------------------------------------------------------

void FunctionLowering::declare_parameters() {
    const ParamLayout params = layout_of(source.params);
    const ParamLayout returns = layout_of(source.returns);
    for (std::size_t k = 0; k < source.params.size(); ++k) {
        const ptx::Variable& param = source.params[k];
        Value* place = b.CreateConstGEP1_32(b.getInt8Ty(), params_, params.params[k].offset);
        if (param.space == Space::reg) {
            Register& reg = create_register(scopes_.front(), param.name, param.type);
            auto* type = param.type == ptx::Type::pred ? b.getInt32Ty() : llvm_type(param.type);
            b.CreateStore(cast_bits(b.CreateLoad(type, place), llvm_type(param.type)), reg.slot);
        } else {
            scopes_.front().variables[param.name] = place;
        }
    }
    for (std::size_t k = 0; k < source.returns.size(); ++k) {
        const ptx::Variable& result = source.returns[k];
        if (result.space == Space::reg) {
            create_register(scopes_.front(), result.name, result.type);
        } else {
            scopes_.front().variables[result.name] =
                b.CreateConstGEP1_32(b.getInt8Ty(), returns_, returns.params[k].offset);
        }
    }
}

void FunctionLowering::declare(const ptx::Block& body) {
    for (const ptx::Statement& statement : body.statements) {
        std::visit(Overload{[&](const ptx::Label& l) {
                                scopes_.back().labels[l.name] = block(l.name.c_str());
                            },
                            [&](const ptx::RegisterDecl& d) { declare(d); },
                            [&](const ptx::Variable& v) { declare(v); },
                            [&](const ptx::TargetList& t) { scopes_.back().targets[t.name] = &t; },
                            [](const auto&) {}},
                   statement);
    }
}

void FunctionLowering::declare(const ptx::RegisterDecl& decl) {
    if (decl.count > 0) {
        scopes_.back().families[decl.name] = {decl.type, decl.count};
    } else if (decl.vector > 1) {
        for (std::uint32_t k = 0; k < decl.vector; ++k) {
            create_register(scopes_.back(), decl.name + "." + "xyzw"[k % 4], decl.type);
        }
    } else {
        create_register(scopes_.back(), decl.name, decl.type);
    }
}

void FunctionLowering::declare(const ptx::Variable& variable) {
    Value* place = nullptr;
    if (variable.space == Space::reg) {
        create_register(scopes_.back(), variable.name, variable.type);
        return;
    }
    if (variable.space == Space::shared) {
        const auto& offsets = module.shared().offsets;
        const auto found = offsets.find(source.name + "/" + variable.name);
        if (found == offsets.end()) return; // declared and never used
        place = b.CreateConstGEP1_32(b.getInt8Ty(), shared_base(), found->second);
    } else if (variable.space == Space::local || variable.space == Space::param) {
        const std::uint64_t bytes = std::max<std::uint64_t>(1, variable.size_bytes());
        place = stack(llvm::ArrayType::get(b.getInt8Ty(), bytes),
                      std::max(1u, variable.alignment()), variable.name.c_str());
    } else {
        place = symbol_pointer(variable.name); // .global or .const inside a function: static
    }
    scopes_.back().variables[variable.name] = place;
}

void FunctionLowering::count_definitions(const ptx::Block& body) {
    const std::function<void(const Operand&)> count = [&](const Operand& operand) {
        if (const auto* r = std::get_if<ptx::Register>(&operand.value)) ++definitions_[r->name];
        if (const auto* v = std::get_if<ptx::Vector>(&operand.value)) {
            for (const Operand& item : v->items) count(item);
        }
        if (!operand.second.empty()) ++definitions_[operand.second];
    };
    for (const ptx::Statement& statement : body.statements) {
        if (const auto* inner = std::get_if<ptx::Block>(&statement)) count_definitions(*inner);
        const auto* i = std::get_if<Instruction>(&statement);
        if (i && !i->operands.empty()) count(i->operands[0]);
    }
}

// --- statements
// ------------------------------------------------------------------------------------

void FunctionLowering::lower(const ptx::Block& body) {
    scopes_.emplace_back();
    declare(body);
    for (const ptx::Statement& statement : body.statements) {
        if (const auto* i = std::get_if<Instruction>(&statement)) lower(*i);
        if (const auto* inner = std::get_if<ptx::Block>(&statement)) lower(*inner);
        if (const auto* l = std::get_if<ptx::Label>(&statement)) {
            llvm::BasicBlock* next = scopes_.back().labels[l->name];
            b.CreateBr(next);
            next->moveAfter(&function->back());
            b.SetInsertPoint(next);
            emitted_labels_.insert(next);
        }
    }
    scopes_.pop_back();
}

void FunctionLowering::lower(const Instruction& i) {
    b.SetCurrentDebugLocation(module.debug->place(subprogram_, i));
    llvm::BasicBlock* after = nullptr;
    if (i.guard) {
        Value* condition = read_register(i.guard->predicate, ptx::Type::pred);
        auto* then = block("guarded");
        after = block("after");
        if (i.guard->negated) {
            b.CreateCondBr(condition, after, then);
        } else {
            b.CreateCondBr(condition, then, after);
        }
        b.SetInsertPoint(then);
    }
    try {
        const bool known = emit_control(*this, i) || emit_memory(*this, i) ||
                           emit_integer(*this, i) || emit_bits(*this, i) ||
                           emit_compare(*this, i) || emit_float(*this, i) ||
                           emit_convert(*this, i) || emit_atomic(*this, i) || emit_warp(*this, i) ||
                           emit_texture(*this, i) || emit_video(*this, i) || emit_mma(*this, i);
        if (!known) throw Error{"this instruction is not supported by the software device"};
    } catch (const warp::Unsupported&) { throw; } catch (const Error& error) {
        if (std::string_view{error.what()}.starts_with("PTX line")) throw;
        fail(i, error.what());
    }
    if (after) {
        b.CreateBr(after);
        after->moveAfter(&function->back());
        b.SetInsertPoint(after);
    }
}

llvm::BasicBlock* FunctionLowering::block(const char* name) {
    return llvm::BasicBlock::Create(module.context, name, function);
}

llvm::BasicBlock* FunctionLowering::label(const Instruction& i, const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->labels.find(name);
        if (found != scope->labels.end()) return found->second;
    }
    fail(i, fmt::format("label {} is not defined", name));
}

const std::vector<std::string>& FunctionLowering::targets(const Instruction& i,
                                                          const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->targets.find(name);
        if (found != scope->targets.end()) return found->second->targets;
    }
    fail(i, fmt::format("target list {} is not defined", name));
}

const ptx::Prototype* FunctionLowering::prototype(const std::string& name) const {
    for (const ptx::Prototype& each : source.prototypes) {
        if (each.name == name) return &each;
    }
    return nullptr;
}

void FunctionLowering::jump(const Instruction& i, const std::string& target) {
    llvm::BasicBlock* to = label(i, target);
    if (emitted_labels_.count(to)) back_edge(target);
    b.CreateBr(to);
    unreachable_rest();
}

void FunctionLowering::back_edge(const std::string& target) {
    const auto spinning = spinning_.find(target);
    if (module.warp && spinning != spinning_.end())
        mark(warp::kWaitLoop, b.getVoidTy(), {b.getInt32(spinning->second)});
    if (in_warp()) return; // the widener counts
    if (spinning != spinning_.end()) {
        call_runtime("lathe_rt_backedge", b.getVoidTy());
        return;
    }
    Value* left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), back_edges_), b.getInt32(1));
    b.CreateStore(left, back_edges_);
    auto* report = block("report");
    auto* go_on = block("go_on");
    auto* weights = llvm::MDBuilder{module.context}.createBranchWeights(1, kBackEdgesPerReport);
    b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), report, go_on, weights);
    b.SetInsertPoint(report);
    call_runtime("lathe_rt_backedge", b.getVoidTy());
    b.CreateStore(b.getInt32(kBackEdgesPerReport), back_edges_);
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
}

void FunctionLowering::end_function() {
    const ParamLayout returns = layout_of(source.returns);
    for (std::size_t k = 0; k < source.returns.size() && !source.is_entry; ++k) {
        const ptx::Variable& result = source.returns[k];
        if (result.space != Space::reg) continue;
        Value* value = read_register(result.name, result.type);
        if (result.type == ptx::Type::pred) value = b.CreateZExt(value, b.getInt32Ty());
        b.CreateStore(value,
                      b.CreateConstGEP1_32(b.getInt8Ty(), returns_, returns.params[k].offset));
    }
    b.CreateRetVoid();
    unreachable_rest();
}

void FunctionLowering::end_thread() {
    if (module.warp && !in_warp()) throw warp::Unsupported{"exit in a function called by lanes"};
    if (source.is_entry) {
        b.CreateRetVoid();
    } else {
        call_runtime("lathe_rt_exit", b.getVoidTy())->setDoesNotReturn();
        b.CreateUnreachable();
    }
    unreachable_rest();
}

void FunctionLowering::fail(const Instruction& i, const std::string& why) const {
    std::string text{ptx::name_of(i.opcode)};
    for (const std::string& modifier : i.modifiers) text += "." + modifier;
    for (ptx::Type type : i.types) text += fmt::format(".{}", ptx::name_of(type));
    throw Error{fmt::format("PTX line {}, {} in {}: {}", i.line, text, source.name, why)};
}

} // namespace lathe::soft::jit
