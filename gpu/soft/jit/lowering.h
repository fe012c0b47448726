// SPDX-License-Identifier: MIT
// The lowering of one PTX function to one LLVM function, and the vocabulary that the emit_*.cpp
// files speak: read an operand as a PTX type, write a result, take an address.
//
// Legend of the code we make:
//   register          one alloca of the register's width, zero at the start; SROA removes it
//   f16, bf16         i16 in registers, widened where arithmetic happens
//   kernel            body(context, tid x, y, z, linear tid, parameters), inlined into entry.* or
//                     block.*
//   .func             (context, packed parameters, packed returns)
//   guard             a block of its own around the instruction
#pragma once

#include "gpu/soft/jit/module_lowering.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <map>
#include <span>

namespace lathe::soft::jit {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

inline bool is_signed_integer(ptx::Type type) {
    return ptx::is_signed(type) && !ptx::is_float(type);
}

/// std::visit with one lambda an alternative.
template <class... F> struct Overload : F... {
    using F::operator()...;
};
template <class... F> Overload(F...) -> Overload<F...>;

enum class Rounding { nearest, zero, down, up };

class FunctionLowering {
public:
    FunctionLowering(ModuleLowering& module, const ptx::Function& source, llvm::Function* function);

    /// Lowers the whole body. Throws lathe::Error naming line and instruction.
    void run();

    // --- operands --------------------------------------------------------------------------------
    /// The operand as a value of `type` (ints as iN, f32/f64 as float/double, f16 as i16).
    Value* read(const Operand& operand, ptx::Type type);
    Value* read(const Instruction& i, std::size_t index, ptx::Type type);
    /// Writes a value of `type`; a wider register is sign- or zero-extended by `type`.
    void write(const Operand& operand, Value* value, ptx::Type type);
    void write(const Instruction& i, Value* value, ptx::Type type) {
        write(operand(i, 0), value, type);
    }
    /// Writes the `|q` half of `p|q`, if there is one.
    void write_second(const Operand& operand, Value* value);
    const Operand& operand(const Instruction& i, std::size_t index);
    bool has_operand(const Instruction& i, std::size_t index) const {
        return index < i.operands.size();
    }
    ptx::Type type(const Instruction& i, std::size_t index = 0);
    std::uint64_t immediate(const Instruction& i, std::size_t index);
    /// Pointer of an address operand.
    Value* address(const Instruction& i, std::size_t index);
    /// Address of a variable, parameter or function.
    Value* symbol_pointer(const std::string& name);
    /// The depot that a register's value points into (see propagate_base), or null.
    Value* base_of(const Operand& operand);
    void propagate_base(const Instruction& i);

    // --- types -----------------------------------------------------------------------------------
    llvm::Type* llvm_type(ptx::Type type);
    llvm::IntegerType* int_type(unsigned bits) { return b.getIntNTy(bits); }
    /// Same bits as another type; ints are zero-extended or truncated.
    Value* cast_bits(Value* v, llvm::Type* to, bool sign = false);
    Value* as_int(Value* v);
    static unsigned bits_of(ptx::Type type) {
        return type == ptx::Type::pred ? 1 : 8 * ptx::bytes_of(type);
    }

    // --- calls -----------------------------------------------------------------------------------
    /// Calls a C function of the run time or of support.cpp; the context is its first argument.
    llvm::CallInst* call_runtime(std::string_view name, llvm::Type* result,
                                 std::vector<Value*> arguments = {});
    /// As call_runtime, without the context.
    llvm::CallInst* call_c(std::string_view name, llvm::Type* result,
                           std::vector<Value*> arguments);
    Value* intrinsic(llvm::Intrinsic::ID id, std::vector<llvm::Type*> overload,
                     std::vector<Value*> arguments);
    /// A stack slot in the entry block.
    llvm::AllocaInst* stack(llvm::Type* type, unsigned align = 0, const char* name = "");

    /// Makes the body of another function, of which the code to come knows its arguments alone.
    void make_body(llvm::Function& other, Value* its_context, const std::function<void()>& make);

    // --- context ---------------------------------------------------------------------------------
    /// A field of ThreadContext that does not change while a thread runs; loaded at the start.
    Value* context_field(std::size_t offset, llvm::Type* type);
    Value* tid(int axis);
    Value* linear_tid();
    Value* shared_base();
    Value* special_register(const std::string& name);

    // --- control ---------------------------------------------------------------------------------
    llvm::BasicBlock* block(const char* name);
    llvm::BasicBlock* label(const Instruction& i, const std::string& name);
    const std::vector<std::string>& targets(const Instruction& i, const std::string& name);
    const ptx::Prototype* prototype(const std::string& name) const;
    /// Jumps to a label; a backward jump reports to the run time first.
    void jump(const Instruction& i, const std::string& target);
    void end_thread();   ///< ret of a kernel, exit anywhere
    void end_function(); ///< ret
    /// Code after a terminator goes into a block that nothing reaches.
    void unreachable_rest() { b.SetInsertPoint(block("dead")); }

    /// True for code that becomes part of a warp function, which has marks (warp/marks.h) where
    /// scalar code calls the run time.
    bool in_warp() const {
        return module.warp &&
               (source.is_entry || function->hasFnAttribute(llvm::Attribute::AlwaysInline));
    }
    /// A call of a mark, kept where it stands.
    llvm::CallInst* mark(std::string_view name, llvm::Type* result, std::vector<Value*> arguments);

    /// shfl.sync with its mode (0 up, 1 down, 2 bfly, 3 idx): the value, and whether its source is
    /// in range.
    std::pair<Value*, Value*> shuffle(Value* mask, std::uint32_t mode, Value* value, Value* by,
                                      Value* c);

    [[noreturn]] void fail(const Instruction& i, const std::string& why) const;

    ModuleLowering& module;
    const ptx::Function& source;
    llvm::Function* function;
    llvm::IRBuilder<> b;
    llvm::AllocaInst* carry = nullptr; ///< CC.CF
    Value* context = nullptr;

private:
    struct Register {
        llvm::AllocaInst* slot = nullptr;
        ptx::Type type{};
        Value* base = nullptr;
        bool single_definition = false;
    };
    struct Family {
        ptx::Type type;
        std::uint32_t count;
    };
    struct Scope {
        llvm::StringMap<Register> registers;
        llvm::StringMap<Family> families;
        llvm::StringMap<Value*> variables;
        llvm::StringMap<llvm::BasicBlock*> labels;
        llvm::StringMap<const ptx::TargetList*> targets;
    };

    void declare_parameters();
    void declare(const ptx::Block& body);
    void declare(const ptx::RegisterDecl& decl);
    void declare(const ptx::Variable& variable);
    void count_definitions(const ptx::Block& body);
    void lower(const ptx::Block& body);
    void lower(const Instruction& i);
    Register* find_register(const std::string& name);
    Register& create_register(Scope& scope, llvm::StringRef name, ptx::Type type);
    Value* read_register(const std::string& name, ptx::Type type);
    Value* read_immediate(const ptx::Immediate& immediate, ptx::Type type);

    void back_edge(const std::string& target);

    std::vector<Scope> scopes_;
    llvm::StringMap<unsigned> definitions_;
    llvm::DenseSet<llvm::BasicBlock*> emitted_labels_;
    std::map<std::string, std::uint32_t> spinning_;
    llvm::Instruction* alloca_point_ = nullptr;
    llvm::AllocaInst* back_edges_ = nullptr;
    Value *params_ = nullptr, *returns_ = nullptr;
    std::map<std::string, std::uint32_t> param_offsets_, return_offsets_;
    Value* tid_[3] = {};
    Value* linear_tid_ = nullptr;
    std::map<std::size_t, Value*> context_fields_;
    llvm::DISubprogram* subprogram_ = nullptr;
};

// One function per group of opcodes; false: the opcode is not of this group.
bool emit_control(FunctionLowering& f, const Instruction& i);
bool emit_integer(FunctionLowering& f, const Instruction& i);
bool emit_bits(FunctionLowering& f, const Instruction& i);
bool emit_compare(FunctionLowering& f, const Instruction& i);
bool emit_float(FunctionLowering& f, const Instruction& i);
bool emit_convert(FunctionLowering& f, const Instruction& i);
bool emit_memory(FunctionLowering& f, const Instruction& i);
bool emit_atomic(FunctionLowering& f, const Instruction& i);
bool emit_warp(FunctionLowering& f, const Instruction& i);
bool emit_mma(FunctionLowering& f, const Instruction& i);
bool emit_texture(FunctionLowering& f, const Instruction& i);
bool emit_video(FunctionLowering& f, const Instruction& i);

/// Packed layout of parameters, as the driver and calls use it.
struct ParamLayout {
    std::vector<ParamInfo> params;
    std::uint32_t bytes = 0;
};
ParamLayout layout_of(const std::vector<ptx::Variable>& params);

} // namespace lathe::soft::jit
