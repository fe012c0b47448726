// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/gather_addresses.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace lathe::soft::jit {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// base (+ splats) + (extended 32-bit numbers << shift), modulo 2^64.
struct Sum {
    Value* base = nullptr; ///< null: 0
    Value* extended = nullptr;
    unsigned shift = 0;
};

constexpr unsigned kMostTerms = 6, kMostShift = 3; // of x86 addresses: 1, 2, 4 and 8

bool is_narrow(const Value* v) {
    const auto* const cast = llvm::dyn_cast<llvm::CastInst>(v);
    return cast && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast) &&
           cast->getSrcTy()->getScalarSizeInBits() <= 32;
}

class Finder {
public:
    explicit Finder(llvm::IRBuilder<>& builder) : b_{builder} {}

    std::optional<Sum> find(Value* address) {
        if (!add(address, 0) || !sum_.extended) return std::nullopt;
        for (const auto& [value, shift] : uniform_) {
            Value* term = shift ? b_.CreateShl(value, shift) : value;
            sum_.base = sum_.base ? b_.CreateAdd(sum_.base, term) : term;
        }
        return sum_;
    }

private:
    bool add(Value* v, unsigned shift) {
        if (++terms_ > kMostTerms) return false;
        if (Value* const scalar = llvm::getSplatValue(v)) {
            uniform_.emplace_back(scalar, shift);
            return true;
        }
        Value *x = nullptr, *y = nullptr;
        const llvm::APInt* by = nullptr;
        if (match(v, m_Add(m_Value(x), m_Value(y)))) return add(x, shift) && add(y, shift);
        if (match(v, m_Shl(m_Value(x), m_APInt(by))) && by->ult(kMostShift + 1 - shift))
            return add(x, shift + static_cast<unsigned>(by->getZExtValue()));
        if (!is_narrow(v) || sum_.extended) return false;
        sum_.extended = v;
        sum_.shift = shift;
        return true;
    }

    llvm::IRBuilder<>& b_;
    Sum sum_;
    std::vector<std::pair<Value*, unsigned>> uniform_;
    unsigned terms_ = 0;
};

/// The same pointers from a scalar one, or null.
Value* narrow_pointers(llvm::Instruction& at, Value* pointers) {
    Value* address = nullptr;
    const llvm::DataLayout& layout = at.getModule()->getDataLayout();
    llvm::APInt beyond{64, 0}; // bytes that are the same for all lanes
    while (auto* const part = llvm::dyn_cast<llvm::GEPOperator>(pointers)) {
        if (!part->getPointerOperandType()->isVectorTy() ||
            !part->accumulateConstantOffset(layout, beyond))
            break;
        pointers = part->getPointerOperand();
    }
    if (!match(pointers, m_IntToPtr(m_Value(address)))) return nullptr;
    if (address->getType()->getScalarSizeInBits() != 64) return nullptr;
    llvm::IRBuilder<> b{&at};
    const auto sum = Finder{b}.find(address);
    if (!sum) return nullptr;
    Value* base = b.getInt(beyond);
    if (sum->base) base = beyond.isZero() ? sum->base : b.CreateAdd(sum->base, base);
    // Beside the access: the code generator looks at one block at a time.
    Value* extended = b.Insert(llvm::cast<llvm::Instruction>(sum->extended)->clone());
    return b.CreateGEP(b.getIntNTy(8u << sum->shift), b.CreateIntToPtr(base, b.getPtrTy()),
                       extended);
}

} // namespace

llvm::PreservedAnalyses GatherAddresses::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager&) {
    bool changed = false;
    for (llvm::Instruction& i : llvm::instructions(function)) {
        auto* const access = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
        if (!access) continue;
        const bool gathers = access->getIntrinsicID() == llvm::Intrinsic::masked_gather;
        if (!gathers && access->getIntrinsicID() != llvm::Intrinsic::masked_scatter) continue;
        const unsigned operand = gathers ? 0 : 1;
        if (Value* const narrow = narrow_pointers(i, i.getOperand(operand))) {
            i.setOperand(operand, narrow);
            changed = true;
        }
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lathe::soft::jit
