// SPDX-License-Identifier: MIT
// Registers as allocas, operands as values, addresses as pointers, calls of C functions.
#include "gpu/soft/jit/lowering.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace lathe::soft::jit {

// --- registers and operands
// --------------------------------------------------------------------------

FunctionLowering::Register& FunctionLowering::create_register(Scope& scope, llvm::StringRef name,
                                                              ptx::Type type) {
    Register& reg = scope.registers[name];
    reg.type = type;
    reg.slot = stack(llvm_type(type), 0, name.str().c_str());
    reg.single_definition = definitions_.lookup(name) == 1;
    llvm::IRBuilder<>{alloca_point_}.CreateStore(
        llvm::Constant::getNullValue(reg.slot->getAllocatedType()), reg.slot);
    return reg;
}

FunctionLowering::Register* FunctionLowering::find_register(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    std::uint32_t index = 0;
    const char* end = name.data() + name.size();
    const bool numbered = digits < name.size() && digits > 0 &&
                          std::from_chars(name.data() + digits, end, index).ec == std::errc{};
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->registers.find(name);
        if (found != scope->registers.end()) return &found->second;
        if (!numbered) continue;
        const auto family = scope->families.find(llvm::StringRef{name}.take_front(digits));
        if (family != scope->families.end() && index < family->second.count) {
            return &create_register(*scope, name, family->second.type);
        }
    }
    return nullptr;
}

Value* FunctionLowering::read_register(const std::string& name, ptx::Type type) {
    if (Register* reg = find_register(name)) {
        Value* value = b.CreateLoad(reg->slot->getAllocatedType(), reg->slot);
        return cast_bits(value, llvm_type(type), is_signed_integer(type));
    }
    if (Value* value = special_register(name)) return cast_bits(value, llvm_type(type));
    throw Error{fmt::format("register {} is not declared", name)};
}

Value* FunctionLowering::read_immediate(const ptx::Immediate& immediate, ptx::Type type) {
    const bool is_f32 = immediate.type == ptx::Type::f32;
    const bool is_real = is_f32 || immediate.type == ptx::Type::f64;
    const double real = is_f32    ? std::bit_cast<float>(static_cast<std::uint32_t>(immediate.bits))
                        : is_real ? std::bit_cast<double>(immediate.bits)
                        : immediate.type == ptx::Type::u64
                            ? static_cast<double>(immediate.bits)
                            : static_cast<double>(static_cast<std::int64_t>(immediate.bits));
    if (type == ptx::Type::f32) {
        if (is_f32) { // exact bits, NaN payloads included
            return llvm::ConstantFP::get(
                b.getFloatTy(),
                llvm::APFloat{llvm::APFloat::IEEEsingle(), llvm::APInt{32, immediate.bits}});
        }
        return llvm::ConstantFP::get(b.getFloatTy(), llvm::APFloat{static_cast<float>(real)});
    }
    if (type == ptx::Type::f64) {
        if (immediate.type == ptx::Type::f64) {
            return llvm::ConstantFP::get(
                b.getDoubleTy(),
                llvm::APFloat{llvm::APFloat::IEEEdouble(), llvm::APInt{64, immediate.bits}});
        }
        return llvm::ConstantFP::get(b.getDoubleTy(), llvm::APFloat{real});
    }
    if (is_real && (type == ptx::Type::f16 || type == ptx::Type::bf16)) {
        llvm::APFloat value{real};
        bool lost = false;
        value.convert(type == ptx::Type::f16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(),
                      llvm::APFloat::rmNearestTiesToEven, &lost);
        return b.getInt(value.bitcastToAPInt());
    }
    if (type == ptx::Type::pred) return b.getInt1(immediate.bits != 0);
    const unsigned bits = bits_of(type);
    const bool extend = immediate.type == ptx::Type::s64 && bits > 64;
    return b.getInt(llvm::APInt{64, immediate.bits}
                        .zextOrTrunc(std::min(bits, 64u))
                        .sextOrTrunc(extend ? bits : std::min(bits, 64u))
                        .zextOrTrunc(bits));
}

Value* FunctionLowering::read(const Operand& operand, ptx::Type type) {
    Value* value = std::visit(
        Overload{
            [&](const ptx::Register& r) -> Value* { return read_register(r.name, type); },
            [&](const ptx::Immediate& immediate) { return read_immediate(immediate, type); },
            [&](const ptx::Symbol& symbol) -> Value* {
                if (symbol.name == "WARP_SZ") return cast_bits(b.getInt32(32), llvm_type(type));
                Value* pointer = b.CreateConstGEP1_64(b.getInt8Ty(), symbol_pointer(symbol.name),
                                                      static_cast<std::uint64_t>(symbol.offset));
                return cast_bits(b.CreatePtrToInt(pointer, b.getInt64Ty()), llvm_type(type));
            },
            [&](const ptx::Address& a) -> Value* {
                Value* base = b.getInt64(0);
                if (const auto* r = std::get_if<ptx::Register>(&a.base)) {
                    base = read_register(r->name, ptx::Type::u64);
                }
                if (const auto* s = std::get_if<ptx::Symbol>(&a.base)) {
                    base = read(Operand{*s, false, {}}, ptx::Type::u64);
                }
                return cast_bits(
                    b.CreateAdd(base, b.getInt64(static_cast<std::uint64_t>(a.offset))),
                    llvm_type(type));
            },
            [&](const ptx::Vector& vector) -> Value* {
                const unsigned bits = bits_of(type);
                const unsigned each = bits / static_cast<unsigned>(vector.items.size());
                const ptx::Type item = each == 8    ? ptx::Type::b8
                                       : each == 16 ? ptx::Type::b16
                                       : each == 32 ? ptx::Type::b32
                                                    : ptx::Type::b64;
                Value* packed = b.getIntN(bits, 0);
                for (std::size_t k = 0; k < vector.items.size(); ++k) {
                    Value* part = b.CreateZExt(read(vector.items[k], item), int_type(bits));
                    packed = b.CreateOr(packed, b.CreateShl(part, b.getIntN(bits, k * each)));
                }
                return cast_bits(packed, llvm_type(type));
            },
            [&](const ptx::Sink&) -> Value* {
                return llvm::Constant::getNullValue(llvm_type(type));
            },
        },
        operand.value);
    if (operand.negated) value = b.CreateNot(value);
    return value;
}

const Operand& FunctionLowering::operand(const Instruction& i, std::size_t index) {
    if (index >= i.operands.size()) {
        fail(i, fmt::format("{} operands, at least {} expected", i.operands.size(), index + 1));
    }
    return i.operands[index];
}

Value* FunctionLowering::read(const Instruction& i, std::size_t index, ptx::Type type) {
    return read(operand(i, index), type);
}

ptx::Type FunctionLowering::type(const Instruction& i, std::size_t index) {
    if (index >= i.types.size()) fail(i, "type missing");
    return i.types[index];
}

std::uint64_t FunctionLowering::immediate(const Instruction& i, std::size_t index) {
    const auto* value = std::get_if<ptx::Immediate>(&operand(i, index).value);
    if (!value) fail(i, fmt::format("operand {} must be a constant", index + 1));
    return value->bits;
}

void FunctionLowering::write(const Operand& operand, Value* value, ptx::Type type) {
    if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
        Value* packed = as_int(value);
        const unsigned bits = packed->getType()->getIntegerBitWidth();
        const unsigned each = bits / static_cast<unsigned>(vector->items.size());
        for (std::size_t k = 0; k < vector->items.size(); ++k) {
            Value* part =
                b.CreateTrunc(b.CreateLShr(packed, b.getIntN(bits, k * each)), int_type(each));
            write(vector->items[k], part,
                  each == 8    ? ptx::Type::b8
                  : each == 16 ? ptx::Type::b16
                  : each == 32 ? ptx::Type::b32
                               : ptx::Type::b64);
        }
        return;
    }
    if (const auto* name = std::get_if<ptx::Register>(&operand.value)) {
        if (name->name == "_") return;
        Register* reg = find_register(name->name);
        if (!reg) throw Error{fmt::format("register {} is not declared", name->name)};
        b.CreateStore(cast_bits(value, reg->slot->getAllocatedType(), is_signed_integer(type)),
                      reg->slot);
        return;
    }
    if (!std::holds_alternative<ptx::Sink>(operand.value)) {
        throw Error{"a register is expected as destination"};
    }
}

void FunctionLowering::write_second(const Operand& operand, Value* value) {
    if (operand.second.empty() || operand.second == "_") return;
    write(Operand{ptx::Register{operand.second}, false, {}}, value, ptx::Type::pred);
}

// --- addresses
// -------------------------------------------------------------------------------------

Value* FunctionLowering::symbol_pointer(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->variables.find(name);
        if (found != scope->variables.end()) return found->second;
    }
    const auto variable = module.facts.variables.find(name);
    if (variable != module.facts.variables.end() && variable->second->space == Space::shared) {
        const auto offset = module.shared().offsets.find("/" + name);
        if (offset == module.shared().offsets.end()) {
            throw Error{fmt::format("shared variable {} has no place", name)};
        }
        return b.CreateConstGEP1_32(b.getInt8Ty(), shared_base(), offset->second);
    }
    if (variable != module.facts.variables.end() && variable->second->space == Space::local) {
        auto* bytes = llvm::ArrayType::get(b.getInt8Ty(), variable->second->size_bytes());
        return scopes_.front().variables[name] =
                   stack(bytes, std::max(1u, variable->second->alignment()), name.c_str());
    }
    if (variable == module.facts.variables.end()) {
        if (llvm::Function* callee = module.device_function(name)) return callee;
    }
    return module.external(name);
}

Value* FunctionLowering::base_of(const Operand& operand) {
    if (const auto* r = std::get_if<ptx::Register>(&operand.value)) {
        Register* reg = find_register(r->name);
        return reg ? reg->base : nullptr;
    }
    if (const auto* s = std::get_if<ptx::Symbol>(&operand.value)) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            const auto found = scope->variables.find(s->name);
            if (found != scope->variables.end()) {
                return llvm::isa<llvm::AllocaInst>(found->second) ? found->second : nullptr;
            }
        }
    }
    return nullptr;
}

// An address kept as an integer hides its stack variable from LLVM. Registers written once that
// are computed from one depot remember it, so that accesses become a GEP on the depot.
void FunctionLowering::propagate_base(const Instruction& i) {
    const auto* target = std::get_if<ptx::Register>(&operand(i, 0).value);
    Register* reg = target ? find_register(target->name) : nullptr;
    if (!reg || !reg->single_definition) return;
    Value* base = nullptr;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        if (Value* found = base_of(i.operands[k])) {
            if (base) return;
            base = found;
        }
    }
    reg->base = base;
}

Value* FunctionLowering::address(const Instruction& i, std::size_t index) {
    const Operand& where = operand(i, index);
    const auto* a = std::get_if<ptx::Address>(&where.value);
    std::int64_t offset = a ? a->offset : 0;
    const Operand base = a == nullptr ? where
                         : std::holds_alternative<ptx::Register>(a->base)
                             ? Operand{std::get<ptx::Register>(a->base), false, {}}
                         : std::holds_alternative<ptx::Symbol>(a->base)
                             ? Operand{std::get<ptx::Symbol>(a->base), false, {}}
                             : Operand{ptx::Immediate{}, false, {}};
    if (const auto* symbol = std::get_if<ptx::Symbol>(&base.value)) {
        return b.CreateConstGEP1_64(b.getInt8Ty(), symbol_pointer(symbol->name),
                                    static_cast<std::uint64_t>(symbol->offset + offset));
    }
    Value* value = read(base, ptx::Type::u64);
    if (Value* depot = base_of(base)) {
        Value* inside = b.CreateSub(value, b.CreatePtrToInt(depot, b.getInt64Ty()));
        inside = b.CreateAdd(inside, b.getInt64(static_cast<std::uint64_t>(offset)));
        return b.CreateGEP(b.getInt8Ty(), depot, inside);
    }
    Value* pointer = b.CreateIntToPtr(value, b.getPtrTy());
    return offset ? b.CreateConstGEP1_64(b.getInt8Ty(), pointer, static_cast<std::uint64_t>(offset))
                  : pointer;
}

// --- values
// ----------------------------------------------------------------------------------------

llvm::Type* FunctionLowering::llvm_type(ptx::Type type) {
    switch (type) {
    case ptx::Type::pred: return b.getInt1Ty();
    case ptx::Type::f32: return b.getFloatTy();
    case ptx::Type::f64: return b.getDoubleTy();
    case ptx::Type::none: throw Error{"operand type missing"};
    default: return int_type(bits_of(type));
    }
}

Value* FunctionLowering::as_int(Value* v) {
    llvm::Type* type = v->getType();
    if (type->isIntegerTy()) return v;
    if (type->isPointerTy()) return b.CreatePtrToInt(v, b.getInt64Ty());
    return b.CreateBitCast(v, int_type(type->getPrimitiveSizeInBits()));
}

Value* FunctionLowering::cast_bits(Value* v, llvm::Type* to, bool sign) {
    if (v->getType() == to) return v;
    Value* bits = as_int(v);
    auto* same_width = int_type(to->getPrimitiveSizeInBits());
    bits = sign ? b.CreateSExtOrTrunc(bits, same_width) : b.CreateZExtOrTrunc(bits, same_width);
    return b.CreateBitCast(bits, to);
}

void FunctionLowering::make_body(llvm::Function& other, Value* its_context,
                                 const std::function<void()>& make) {
    const llvm::IRBuilderBase::InsertPointGuard guard{b};
    Value* const outer_context = std::exchange(context, its_context);
    auto* start = llvm::BasicBlock::Create(module.context, "start", &other);
    auto* rest = llvm::BasicBlock::Create(module.context, "", &other);
    llvm::Instruction* const outer_point =
        std::exchange(alloca_point_, llvm::BranchInst::Create(rest, start));
    b.SetInsertPoint(rest);
    b.SetCurrentDebugLocation({});
    make();
    context = outer_context;
    alloca_point_ = outer_point;
}

llvm::AllocaInst* FunctionLowering::stack(llvm::Type* type, unsigned align, const char* name) {
    llvm::IRBuilder<> at{alloca_point_};
    auto* slot = at.CreateAlloca(type, nullptr, name);
    if (align) slot->setAlignment(llvm::Align{align});
    return slot;
}

Value* FunctionLowering::intrinsic(llvm::Intrinsic::ID id, std::vector<llvm::Type*> overload,
                                   std::vector<Value*> arguments) {
    return b.CreateIntrinsic(id, overload, arguments);
}

llvm::CallInst* FunctionLowering::call_c(std::string_view name, llvm::Type* result,
                                         std::vector<Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (Value* argument : arguments) types.push_back(argument->getType());
    auto callee = module.llvm->getOrInsertFunction({name.data(), name.size()},
                                                   llvm::FunctionType::get(result, types, false));
    auto* call = b.CreateCall(callee, arguments);
    call->setDoesNotThrow();
    return call;
}

llvm::CallInst* FunctionLowering::mark(std::string_view name, llvm::Type* result,
                                       std::vector<Value*> arguments) {
    llvm::CallInst* call = call_c(name, result, std::move(arguments));
    call->addFnAttr(llvm::Attribute::NoMerge);
    call->addFnAttr(llvm::Attribute::Convergent);
    return call;
}

llvm::CallInst* FunctionLowering::call_runtime(std::string_view name, llvm::Type* result,
                                               std::vector<Value*> arguments) {
    arguments.insert(arguments.begin(), context);
    llvm::CallInst* call = call_c(name, result, std::move(arguments));
    // Reports name the line of a barrier or trap: two of them must not become one call.
    call->addFnAttr(llvm::Attribute::NoMerge);
    if (module.warp) call->addFnAttr(llvm::Attribute::Convergent);
    return call;
}

} // namespace lathe::soft::jit
