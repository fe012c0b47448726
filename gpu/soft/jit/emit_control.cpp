// SPDX-License-Identifier: MIT
// bra, brx, call, ret, exit, trap, brkpt and what needs no code.
#include "gpu/soft/jit/lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::soft::jit {

namespace {

const std::string& symbol_name(FunctionLowering& f, const Instruction& i, std::size_t index) {
    const auto* symbol = std::get_if<ptx::Symbol>(&f.operand(i, index).value);
    if (!symbol) f.fail(i, fmt::format("operand {} must be a name", index + 1));
    return symbol->name;
}

void emit_indexed_branch(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* index = f.read(i, 0, ptx::Type::u32);
    const auto& targets = f.targets(i, symbol_name(f, i, 1));
    auto* outside = f.block("outside");
    auto* choice = b.CreateSwitch(index, outside, static_cast<unsigned>(targets.size()));
    for (std::size_t k = 0; k < targets.size(); ++k) {
        auto* edge = f.block("edge");
        choice->addCase(b.getInt32(static_cast<std::uint32_t>(k)), edge);
        b.SetInsertPoint(edge);
        f.jump(i, targets[k]);
    }
    b.SetInsertPoint(outside);
    f.call_runtime("lathe_rt_trap", b.getVoidTy())->setDoesNotReturn();
    b.CreateUnreachable();
    f.unreachable_rest();
}

/// Argument and return operands of a call, in either of PTX's two shapes.
struct CallOperands {
    const ptx::Vector* returns = nullptr;
    std::size_t target = 0;
    const ptx::Vector* arguments = nullptr;
    const ptx::Symbol* prototype = nullptr;
};

CallOperands call_operands(FunctionLowering& f, const Instruction& i) {
    CallOperands call;
    std::size_t k = 0;
    call.returns = std::get_if<ptx::Vector>(&f.operand(i, 0).value);
    if (call.returns) ++k;
    call.target = k++;
    if (f.has_operand(i, k)) {
        call.arguments = std::get_if<ptx::Vector>(&i.operands[k].value);
        if (call.arguments) ++k;
    }
    if (f.has_operand(i, k)) call.prototype = std::get_if<ptx::Symbol>(&i.operands[k].value);
    return call;
}

/// Copies a call's arguments into a packed buffer.
Value* pack_arguments(FunctionLowering& f, const Instruction& i, const ptx::Vector* arguments,
                      const std::vector<ptx::Variable>& params, const ParamLayout& layout) {
    auto& b = f.b;
    auto* buffer =
        f.stack(llvm::ArrayType::get(b.getInt8Ty(), std::max(1u, layout.bytes)), 16, "arguments");
    const std::size_t count = arguments ? arguments->items.size() : 0;
    if (count != params.size()) {
        f.fail(i, fmt::format("{} arguments, {} expected", count, params.size()));
    }
    for (std::size_t k = 0; k < count; ++k) {
        const Operand& argument = arguments->items[k];
        Value* place = b.CreateConstGEP1_32(b.getInt8Ty(), buffer, layout.params[k].offset);
        const auto* symbol = std::get_if<ptx::Symbol>(&argument.value);
        if (symbol && params[k].space != Space::reg) {
            b.CreateMemCpy(place, llvm::Align{1}, f.symbol_pointer(symbol->name), llvm::Align{1},
                           layout.params[k].bytes);
        } else {
            Value* value = f.read(argument, params[k].type);
            if (params[k].type == ptx::Type::pred) value = b.CreateZExt(value, b.getInt32Ty());
            b.CreateStore(value, place);
        }
    }
    return buffer;
}

void unpack_returns(FunctionLowering& f, const Instruction& i, const ptx::Vector* results,
                    const std::vector<ptx::Variable>& returns, const ParamLayout& layout,
                    Value* buffer) {
    auto& b = f.b;
    const std::size_t count = results ? results->items.size() : 0;
    if (count > returns.size()) {
        f.fail(i, fmt::format("{} results, {} expected", count, returns.size()));
    }
    for (std::size_t k = 0; k < count; ++k) {
        const Operand& result = results->items[k];
        Value* place = b.CreateConstGEP1_32(b.getInt8Ty(), buffer, layout.params[k].offset);
        if (const auto* symbol = std::get_if<ptx::Symbol>(&result.value)) {
            b.CreateMemCpy(f.symbol_pointer(symbol->name), llvm::Align{1}, place, llvm::Align{1},
                           layout.params[k].bytes);
        } else if (returns[k].type == ptx::Type::pred) {
            Value* word = b.CreateLoad(b.getInt32Ty(), place);
            f.write(result, b.CreateTrunc(word, b.getInt1Ty()), ptx::Type::pred);
        } else {
            f.write(result, b.CreateLoad(f.llvm_type(returns[k].type), place), returns[k].type);
        }
    }
}

/// vprintf, __assertfail, malloc and free: the functions that CUDA defines itself.
bool emit_system_call(FunctionLowering& f, const std::string& name, Value* arguments,
                      const ParamLayout& layout, Value* results) {
    auto& b = f.b;
    auto argument = [&](std::size_t k, llvm::Type* type) -> Value* {
        return b.CreateLoad(
            type, b.CreateConstGEP1_32(b.getInt8Ty(), arguments, layout.params[k].offset));
    };
    auto pointer = [&](std::size_t k) { return argument(k, b.getPtrTy()); };
    const std::size_t count = layout.params.size();
    if (name == "vprintf" && count == 2) {
        Value* printed =
            f.call_runtime("lathe_rt_vprintf", b.getInt32Ty(), {pointer(0), pointer(1)});
        b.CreateStore(printed, results);
    } else if (name == "__assertfail" && count == 5) {
        f.call_runtime("lathe_rt_assertfail", b.getVoidTy(),
                       {pointer(0), pointer(1), argument(2, b.getInt32Ty()), pointer(3),
                        argument(4, b.getInt64Ty())});
    } else if (name == "malloc" && count == 1) {
        Value* bytes = argument(0, b.getIntNTy(8 * layout.params[0].bytes));
        b.CreateStore(f.call_runtime("lathe_rt_malloc", b.getPtrTy(),
                                     {b.CreateZExtOrTrunc(bytes, b.getInt64Ty())}),
                      results);
    } else if (name == "free" && count == 1) {
        f.call_runtime("lathe_rt_free", b.getVoidTy(), {pointer(0)});
    } else {
        return false;
    }
    return true;
}

bool asks_for_grid(const ptx::Block& block) {
    return std::ranges::any_of(block.statements, [](const ptx::Statement& statement) {
        if (const auto* inner = std::get_if<ptx::Block>(&statement)) return asks_for_grid(*inner);
        const auto* i = std::get_if<Instruction>(&statement);
        return i && std::ranges::any_of(i->operands, [](const Operand& operand) {
                   const auto* r = std::get_if<ptx::Register>(&operand.value);
                   return r && (r->name == "%envreg1" || r->name == "%envreg2");
               });
    });
}

/// Whether cooperative groups read somewhere where the barrier of the grid lies. Where there is
/// none they trap.
bool asks_for_grid(const ptx::Module& module) {
    return std::ranges::any_of(module.functions,
                               [](const ptx::Function& each) { return asks_for_grid(each.body); });
}

void emit_call(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const CallOperands call = call_operands(f, i);
    const auto* target = std::get_if<ptx::Symbol>(&f.operand(i, call.target).value);
    const std::vector<ptx::Variable>*params = nullptr, *returns = nullptr;
    const ptx::Function* callee = target ? f.module.ptx.find_function(target->name) : nullptr;
    if (callee) {
        params = &callee->params;
        returns = &callee->returns;
    } else if (call.prototype) {
        const ptx::Prototype* prototype = f.prototype(call.prototype->name);
        if (!prototype) f.fail(i, fmt::format("prototype {} is not defined", call.prototype->name));
        params = &prototype->params;
        returns = &prototype->returns;
    } else {
        f.fail(i, "neither a declared function nor a prototype");
    }
    const ParamLayout param_layout = layout_of(*params), return_layout = layout_of(*returns);
    Value* arguments = pack_arguments(f, i, call.arguments, *params, param_layout);
    Value* results = f.stack(llvm::ArrayType::get(b.getInt8Ty(), std::max(8u, return_layout.bytes)),
                             16, "results");
    const bool defined = callee && callee->has_body;
    if (defined || !target ||
        !emit_system_call(f, target->name, arguments, param_layout, results)) {
        Value* address =
            target ? f.symbol_pointer(target->name)
                   : b.CreateIntToPtr(f.read(i, call.target, ptx::Type::u64), b.getPtrTy());
        b.CreateCall(f.module.device_function_type(), address, {f.context, arguments, results})
            ->setDoesNotThrow();
    }
    unpack_returns(f, i, call.returns, *returns, return_layout, results);
    if (callee && callee->noreturn) {
        b.CreateUnreachable();
        f.unreachable_rest();
    }
}

} // namespace

bool emit_control(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    switch (i.opcode) {
    case Opcode::bra: f.jump(i, symbol_name(f, i, 0)); return true;
    case Opcode::brx: emit_indexed_branch(f, i); return true;
    case Opcode::call: emit_call(f, i); return true;
    case Opcode::ret: f.end_function(); return true;
    case Opcode::exit: f.end_thread(); return true;
    case Opcode::trap:
    case Opcode::brkpt:
        f.call_runtime(asks_for_grid(f.module.ptx) ? "lathe_rt_trap_of_grid_group"
                                                   : "lathe_rt_trap",
                       b.getVoidTy())
            ->setDoesNotReturn();
        b.CreateUnreachable();
        f.unreachable_rest();
        return true;
    case Opcode::nanosleep:
        f.call_runtime("lathe_rt_nanosleep", b.getVoidTy(), {f.read(i, 0, ptx::Type::u32)});
        return true;
    case Opcode::pmevent:
    case Opcode::setmaxnreg:
    case Opcode::griddepcontrol: return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
