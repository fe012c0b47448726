// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/products.h"

#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"

#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace lathe::soft::jit::warp {

namespace {

using llvm::Value;

constexpr unsigned kWidth = 32;

llvm::Type* of_warp(llvm::Type* type) { return llvm::FixedVectorType::get(type, kWidth); }

/// A line of instructions, each of which becomes that of vectors.
class LineWidener {
public:
    LineWidener(llvm::Function& from, llvm::Function& to)
        : from_{from}, b_{llvm::BasicBlock::Create(to.getContext(), "", &to)} {
        const auto lane = static_cast<unsigned>(from.arg_size()) - 1;
        for (unsigned k = 0; k < lane; ++k) values_[from.getArg(k)] = to.getArg(k);
        std::vector<llvm::Constant*> numbers;
        for (unsigned k = 0; k < kWidth; ++k) numbers.push_back(b_.getInt32(k));
        values_[from.getArg(lane)] = llvm::ConstantVector::get(numbers);
    }

    void run() {
        if (from_.size() != 1) throw Unsupported{"a product of matrices with branches"};
        for (const llvm::Instruction& i : from_.getEntryBlock()) {
            if (const auto* end = llvm::dyn_cast<llvm::ReturnInst>(&i))
                b_.CreateRet(value(end->getReturnValue()));
            else values_[&i] = widened(i);
        }
    }

private:
    Value* value(Value* scalar) {
        if (const auto known = values_.find(scalar); known != values_.end()) return known->second;
        auto* constant = llvm::cast<llvm::Constant>(scalar);
        if (auto* whole = llvm::dyn_cast<llvm::StructType>(constant->getType()))
            return llvm::PoisonValue::get(of_parts(*whole));
        return b_.CreateVectorSplat(kWidth, constant);
    }

    static llvm::StructType* of_parts(const llvm::StructType& type) {
        std::vector<llvm::Type*> parts;
        for (llvm::Type* part : type.elements()) parts.push_back(of_warp(part));
        return llvm::StructType::get(type.getContext(), parts);
    }

    Value* widened(const llvm::Instruction& i) {
        const auto operand = [&](unsigned k) { return value(i.getOperand(k)); };
        if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) return called(*call);
        if (const auto* part = llvm::dyn_cast<llvm::InsertValueInst>(&i))
            return b_.CreateInsertValue(operand(0), operand(1), part->getIndices());
        Value* made = nullptr;
        if (const auto* o = llvm::dyn_cast<llvm::BinaryOperator>(&i))
            made = b_.CreateBinOp(o->getOpcode(), operand(0), operand(1));
        else if (const auto* c = llvm::dyn_cast<llvm::CastInst>(&i))
            made = b_.CreateCast(c->getOpcode(), operand(0), of_warp(c->getDestTy()));
        else if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&i))
            made = b_.CreateCmp(comparison->getPredicate(), operand(0), operand(1));
        else if (llvm::isa<llvm::SelectInst>(i))
            made = b_.CreateSelect(operand(0), operand(1), operand(2));
        else if (llvm::isa<llvm::FreezeInst>(i)) made = b_.CreateFreeze(operand(0));
        else if (i.getOpcode() == llvm::Instruction::FNeg) made = b_.CreateFNeg(operand(0));
        else throw Unsupported{fmt::format("{} in a product of matrices", i.getOpcodeName())};
        if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(made))
            instruction->copyIRFlags(&i);
        return made;
    }

    Value* called(const llvm::CallInst& call) {
        const llvm::Function* callee = call.getCalledFunction();
        if (callee && callee->getName() == kPermute) {
            const llvm::Constant* table =
                llvm::cast<llvm::GlobalVariable>(call.getArgOperand(1))->getInitializer();
            std::vector<int> lanes;
            for (unsigned k = 0; k < kWidth; ++k)
                lanes.push_back(static_cast<int>(
                    llvm::cast<llvm::ConstantInt>(table->getAggregateElement(k))->getZExtValue()));
            return b_.CreateShuffleVector(value(call.getArgOperand(0)), lanes);
        }
        const llvm::Intrinsic::ID id = call.getIntrinsicID();
        if (!llvm::isTriviallyVectorizable(id))
            throw Unsupported{"a call in a product of matrices"};
        llvm::SmallVector<llvm::Type*, 2> overload;
        if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
            overload.push_back(of_warp(call.getType()));
        std::vector<Value*> arguments;
        for (unsigned k = 0; k < call.arg_size(); ++k) {
            Value* argument = call.getArgOperand(k);
            const bool stays = llvm::isVectorIntrinsicWithScalarOpAtArg(id, k);
            arguments.push_back(stays ? argument : value(argument));
            if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(k)))
                overload.push_back(arguments.back()->getType());
        }
        return b_.CreateIntrinsic(id, overload, arguments);
    }

    llvm::Function& from_;
    llvm::IRBuilder<> b_;
    llvm::DenseMap<const Value*, Value*> values_;
};

} // namespace

llvm::Function* product_of_warp(llvm::Function& of_lane, const llvm::Function& like) {
    llvm::Module& module = *of_lane.getParent();
    const std::string name = "warp." + of_lane.getName().str();
    if (llvm::Function* known = module.getFunction(name)) return known;
    const auto& parts = llvm::cast<llvm::StructType>(of_lane.getReturnType())->elements();
    std::vector<llvm::Type*> given, taken;
    for (llvm::Type* part : parts) given.push_back(of_warp(part));
    for (const llvm::Argument& argument : of_lane.args())
        taken.push_back(of_warp(argument.getType()));
    taken.pop_back();
    auto* type =
        llvm::FunctionType::get(llvm::StructType::get(module.getContext(), given), taken, false);
    auto* made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
    made->setAttributes(llvm::AttributeList::get(
        module.getContext(), llvm::AttributeList::FunctionIndex,
        llvm::AttrBuilder{module.getContext(), like.getAttributes().getFnAttrs()}));
    made->addFnAttr(llvm::Attribute::NoInline);
    LineWidener{of_lane, *made}.run();
    return made;
}

} // namespace lathe::soft::jit::warp
