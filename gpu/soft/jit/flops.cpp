// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/flops.h"

#include "gpu/soft/jit/warp/marks.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace lathe::soft::jit {

namespace {

/// On each element.
std::int64_t operations_of(const llvm::Instruction& i) {
    switch (i.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem: return 1;
    case llvm::Instruction::AtomicRMW:
        return llvm::cast<llvm::AtomicRMWInst>(i).getOperation() == llvm::AtomicRMWInst::FAdd;
    default: break;
    }
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (!call) return 0;
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::x86_avx512_vfmadd_f32: return 2;
    case llvm::Intrinsic::sqrt: return 1;
    default: return 0;
    }
}

} // namespace

Flops flops_of(const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName().starts_with(warp::kProduct)) { // straight code of one lane
        Flops sum;
        for (const llvm::Instruction& each : llvm::instructions(callee)) {
            const Flops one = flops_of(each);
            sum.all += one.all;
            sum.doubles += one.doubles;
        }
        return sum;
    }
    const std::int64_t operations = operations_of(i);
    if (!operations) return {};
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
    const std::int64_t all = operations * (vector ? vector->getNumElements() : 1);
    return {all, i.getType()->getScalarType()->isDoubleTy() ? all : 0};
}

} // namespace lathe::soft::jit
