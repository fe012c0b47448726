// SPDX-License-Identifier: MIT
// A kernel, the functions it reaches, and the loops that run it over threads.
#include "gpu/soft/jit/module_lowering.h"

#include "engine/core/error.h"
#include "gpu/soft/jit/debug_info.h"
#include "gpu/soft/jit/lowering.h"
#include "gpu/soft/jit/warp/kernel.h"
#include "gpu/soft/jit/warp/unsupported.h"

#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace lathe::soft::jit {

namespace {

// Callees below this size are inlined: a call through packed parameters costs about as much.
constexpr std::uint32_t kInlineInstructions = 60;
constexpr std::uint32_t kInlineIntoWarps = 400; // a call runs lane by lane

/// The address of the parameters, readable and constant while the kernel runs. Loaded outside of
/// the thread loop: LLVM drops what is said of a load when it hoists it.
Value* load_params(llvm::IRBuilder<>& b, Value* thread, std::uint32_t bytes) {
    auto& context = b.getContext();
    auto* load = b.CreateLoad(
        b.getPtrTy(), b.CreateConstGEP1_64(b.getInt8Ty(), thread, offsetof(ThreadContext, params)));
    if (bytes) {
        auto* size = llvm::ConstantAsMetadata::get(b.getInt64(bytes));
        auto* align = llvm::ConstantAsMetadata::get(b.getInt64(8));
        load->setMetadata(llvm::LLVMContext::MD_dereferenceable, llvm::MDNode::get(context, size));
        load->setMetadata(llvm::LLVMContext::MD_align, llvm::MDNode::get(context, align));
    }
    return load;
}

} // namespace

ModuleLowering::ModuleLowering(llvm::LLVMContext& llvm_context, const ptx::Module& ptx_module,
                               const ModuleFacts& module_facts,
                               const CompiledModule::Resolve& resolve_symbol,
                               const llvm::DataLayout& layout,
                               const warp::ShapeOptions* warp_options)
    : context{llvm_context}, ptx{ptx_module}, facts{module_facts}, resolve{resolve_symbol},
      warp{warp_options}, llvm{std::make_unique<llvm::Module>("ptx", llvm_context)} {
    llvm->setDataLayout(layout);
    debug = std::make_unique<DebugInfo>(*llvm, ptx);
}

ModuleLowering::~ModuleLowering() = default;

llvm::FunctionType* ModuleLowering::device_function_type() {
    auto* pointer = llvm::PointerType::get(context, 0);
    return llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer},
                                   false);
}

llvm::Function* ModuleLowering::make(const std::string& name, llvm::FunctionType* type,
                                     llvm::GlobalValue::LinkageTypes linkage) {
    auto* function = llvm::Function::Create(type, linkage, name, *llvm);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr(llvm::Attribute::NullPointerIsValid); // address 0 faults, it is not UB
    if (flushes) function->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    // The context may be read early: its loads leave the thread loop.
    function->addParamAttrs(0, llvm::AttrBuilder{context}
                                   .addDereferenceableAttr(sizeof(ThreadContext))
                                   .addAlignmentAttr(8));
    return function;
}

llvm::Function* ModuleLowering::device_function(const std::string& name) {
    const auto known = functions_.find(name);
    if (known != functions_.end()) return known->second;
    const ptx::Function* source = ptx.find_function(name);
    if (!source || source->is_entry || !source->has_body) return nullptr;
    llvm::Function* function =
        make("func." + name, device_function_type(), llvm::GlobalValue::InternalLinkage);
    const auto found = facts.functions.find(name);
    const std::uint32_t limit = warp ? kInlineIntoWarps : kInlineInstructions;
    if (found != facts.functions.end() && !found->second.recursive &&
        (found->second.instructions <= limit || (warp && found->second.waits))) {
        function->addFnAttr(llvm::Attribute::AlwaysInline);
    }
    functions_[name] = function;
    pending_.emplace_back(source, function);
    return function;
}

llvm::Constant* ModuleLowering::external(const std::string& name) {
    if (externals_.insert(name).second && !(resolve && resolve(name)))
        throw Error{fmt::format("symbol {} is not defined", name)};
    auto* unsized = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 0);
    return llvm->getOrInsertGlobal(external_name(name), unsized);
}

void ModuleLowering::lower_pending() {
    while (!pending_.empty()) {
        const auto [source, function] = pending_.back();
        pending_.pop_back();
        FunctionLowering{*this, *source, function}.run();
    }
    debug->finish();
    std::string problem;
    llvm::raw_string_ostream stream{problem};
    if (llvm::verifyModule(*llvm, &stream)) {
        throw Error{fmt::format("the code made from PTX is malformed: {}", problem)};
    }
}

void ModuleLowering::lower_kernel(const ptx::Function& kernel, const KernelFacts& kernel_facts) {
    shared_ = &kernel_facts.shared;
    flushes = kernel_facts.info.flushes;
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* i32 = llvm::Type::getInt32Ty(context);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                         {pointer, i32, i32, i32, i32, pointer}, false);
    llvm::Function* body = make("body", type, llvm::GlobalValue::InternalLinkage);
    const llvm::ConstantRange index{llvm::APInt{32, 0}, llvm::APInt{32, 1024}};
    for (unsigned k = 1; k <= 4; ++k)
        body->addParamAttrs(k, llvm::AttrBuilder{context}.addRangeAttr(index));
    if (warp) {
        body->setLinkage(llvm::GlobalValue::ExternalLinkage); // nothing calls it
        FunctionLowering{*this, kernel, body}.run();
        warp_body = body;
        make_warp_function(kernel_facts);
        lower_pending();
        return;
    }
    if (!is_quick) body->addFnAttr(llvm::Attribute::AlwaysInline);
    FunctionLowering{*this, kernel, body}.run();
    if (kernel_facts.info.needs_fibers) {
        make_entry(kernel_facts.info, body);
    } else {
        make_block_loop(kernel_facts.info, body);
    }
    lower_pending();
}

void ModuleLowering::lower_device_function(const ptx::Function& source) {
    shared_ = &facts.all_shared;
    device_function(source.name)->setLinkage(llvm::GlobalValue::ExternalLinkage);
    lower_pending();
}

// What must not run lane by lane: functions that wait and cannot be inlined.
void ModuleLowering::make_warp_function(const KernelFacts& kernel_facts) {
    for (const std::string& name : facts.reachable(kernel_facts.info.name)) {
        const FunctionFacts& f = facts.functions.at(name);
        if (f.waits && (f.recursive || f.address_taken))
            throw warp::Unsupported{fmt::format("{} waits for other threads", name)};
    }
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* i32 = llvm::Type::getInt32Ty(context);
    auto* none = llvm::Type::getVoidTy(context);
    llvm::Function* wide = warp_wide = make(
        "wide", llvm::FunctionType::get(none, {pointer, i32, i32, i32, i32, pointer, i32}, false),
        llvm::GlobalValue::ExternalLinkage);
    llvm::Function* loop = warp_loop = make(
        "warp." + kernel_facts.info.name, llvm::FunctionType::get(none, {pointer, i32, i32}, false),
        llvm::GlobalValue::ExternalLinkage);
    for (llvm::Function* f : {wide, loop}) f->addFnAttr("prefer-vector-width", "512");
    warp::make_warp_loop(*loop, *wide, kernel_facts.info.parameter_bytes(), *warp,
                         llvm::DILocation::get(context, 0, 0, debug->subprogram(*loop)));
}

// void entry.<name>(context): one thread, whose place the context tells.
void ModuleLowering::make_entry(const KernelInfo& info, llvm::Function* body) {
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
    llvm::Function* entry = make("entry." + info.name, type, llvm::GlobalValue::ExternalLinkage);
    llvm::IRBuilder<> b{llvm::BasicBlock::Create(context, "", entry)};
    b.SetCurrentDebugLocation(llvm::DILocation::get(context, 0, 0, debug->subprogram(*entry)));
    auto load = [&](std::size_t offset) {
        return b.CreateLoad(b.getInt32Ty(),
                            b.CreateConstGEP1_64(b.getInt8Ty(), entry->getArg(0), offset));
    };
    constexpr std::size_t tid = offsetof(ThreadContext, tid);
    b.CreateCall(body, {entry->getArg(0), load(tid), load(tid + 4), load(tid + 8),
                        load(offsetof(ThreadContext, linear_tid)),
                        load_params(b, entry->getArg(0), info.parameter_bytes())});
    b.CreateRetVoid();
}

// void block.<name>(context, first, count): rows of threads, so that what depends on y and z only
// is worked out once a row. The store of the linear index is volatile: fault reports read it.
void ModuleLowering::make_block_loop(const KernelInfo& info, llvm::Function* body) {
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* i32 = llvm::Type::getInt32Ty(context);
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i32, i32}, false);
    llvm::Function* loop = make("block." + info.name, type, llvm::GlobalValue::ExternalLinkage);
    auto block = [&](const char* label) { return llvm::BasicBlock::Create(context, label, loop); };
    auto *start = block("start"), *row = block("row"), *thread = block("thread");
    auto *row_end = block("row_end"), *done = block("done");
    Value *ctx = loop->getArg(0), *first = loop->getArg(1), *count = loop->getArg(2);
    llvm::IRBuilder<> b{start};
    b.SetCurrentDebugLocation(llvm::DILocation::get(context, 0, 0, debug->subprogram(*loop)));
    auto field = [&](std::size_t offset) {
        return b.CreateConstGEP1_64(b.getInt8Ty(), ctx, offset);
    };
    auto invariant = [&](std::size_t offset) {
        auto* load = b.CreateLoad(i32, field(offset));
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
        return load;
    };
    Value* width = invariant(offsetof(ThreadContext, ntid));
    Value* height = invariant(offsetof(ThreadContext, ntid) + 4);
    Value* linear_place = field(offsetof(ThreadContext, linear_tid));
    Value* params = load_params(b, ctx, info.parameter_bytes());
    Value* end = b.CreateAdd(first, count);
    Value* first_x = b.CreateURem(first, width);
    Value* first_row = b.CreateUDiv(first, width);
    b.CreateCondBr(b.CreateICmpEQ(count, b.getInt32(0)), done, row);

    b.SetInsertPoint(row);
    auto* row_linear = b.CreatePHI(i32, 2);
    auto* row_x = b.CreatePHI(i32, 2);
    auto* row_index = b.CreatePHI(i32, 2);
    Value* y = b.CreateURem(row_index, height);
    Value* z = b.CreateUDiv(row_index, height);
    Value* left = b.CreateSub(end, row_linear);
    Value* in_row = b.CreateSub(width, row_x);
    Value* threads = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, in_row);
    Value* x_end = b.CreateAdd(row_x, threads);
    b.CreateBr(thread);

    b.SetInsertPoint(thread);
    auto* x = b.CreatePHI(i32, 2);
    Value* linear = b.CreateAdd(row_linear, b.CreateSub(x, row_x));
    b.CreateStore(linear, linear_place, true);
    b.CreateCall(body, {ctx, x, y, z, linear, params});
    Value* next_x = b.CreateAdd(x, b.getInt32(1));
    b.CreateCondBr(b.CreateICmpEQ(next_x, x_end), row_end, thread);
    x->addIncoming(row_x, row);
    x->addIncoming(next_x, thread);

    b.SetInsertPoint(row_end);
    Value* next_linear = b.CreateAdd(row_linear, threads);
    Value* next_row = b.CreateAdd(row_index, b.getInt32(1));
    b.CreateCondBr(b.CreateICmpEQ(next_linear, end), done, row);
    row_linear->addIncoming(first, start);
    row_linear->addIncoming(next_linear, row_end);
    row_x->addIncoming(first_x, start);
    row_x->addIncoming(b.getInt32(0), row_end);
    row_index->addIncoming(first_row, start);
    row_index->addIncoming(next_row, row_end);

    b.SetInsertPoint(done);
    b.CreateRetVoid();

    auto* entry_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
    llvm::Function* entry =
        make("entry." + info.name, entry_type, llvm::GlobalValue::ExternalLinkage);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "", entry));
    b.SetCurrentDebugLocation(llvm::DILocation::get(context, 0, 0, debug->subprogram(*entry)));
    Value* here = b.CreateLoad(i32, b.CreateConstGEP1_64(b.getInt8Ty(), entry->getArg(0),
                                                         offsetof(ThreadContext, linear_tid)));
    auto* call = b.CreateCall(loop, {entry->getArg(0), here, b.getInt32(1)});
    call->setIsNoInline();
    b.CreateRetVoid();
}

} // namespace lathe::soft::jit
