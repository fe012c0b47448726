// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/watching.h"

#include "gpu/soft/jit/warp/marks.h"

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/xxhash.h>

#include <cstring>
#include <optional>
#include <string>

namespace lathe::soft::jit {

namespace {

// A mark's arguments: (address, low 8 bytes, high 8 bytes, bytes, WatchedKind, WatchedSpace, flags)
enum Argument : unsigned { kAddress, kLow, kHigh, kBytes, kKind, kSpace, kFlags };

std::optional<WatchedSpace> space_of(const Instruction& i) {
    switch (i.space()) {
    case Space::generic: return WatchedSpace::generic;
    case Space::shared: return WatchedSpace::shared;
    case Space::global: return WatchedSpace::global;
    default: return {};
    }
}

std::uint8_t order_of(const Instruction& i) {
    std::uint8_t flags = 0;
    for (const char* word : {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
        if (i.has(word)) flags |= kWatchedStrong;
    if (i.has("release") || i.has("acq_rel")) flags |= kWatchedRelease;
    if (!i.has("cta")) flags |= kWatchedAll;
    return flags;
}

void leave_mark(FunctionLowering& f, WatchedKind kind, WatchedSpace space, Value* address,
                Value* low, Value* high, std::uint64_t bytes, std::uint8_t flags) {
    auto& b = f.b;
    Value* zero = b.getInt64(0);
    llvm::CallInst* mark = f.mark(warp::kWatch, b.getVoidTy(),
                                  {address, low ? low : zero, high ? high : zero,
                                   b.getInt32(static_cast<std::uint32_t>(bytes)),
                                   b.getInt32(static_cast<unsigned>(kind)),
                                   b.getInt32(static_cast<unsigned>(space)), b.getInt32(flags)});
    // It touches nothing that the kernel sees: accesses are optimised as without it.
    mark->setOnlyAccessesInaccessibleMemory();
    mark->addParamAttr(kAddress, llvm::Attribute::NoCapture);
    mark->addParamAttr(kAddress, llvm::Attribute::ReadNone);
}

void watch(FunctionLowering& f, const Instruction& i, WatchedKind kind, Value* address,
           std::uint64_t bytes, Value* low = nullptr, Value* high = nullptr,
           std::uint8_t more = 0) {
    const auto space = space_of(i);
    if (!f.module.watches || !space) return;
    if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address))) return; // a local variable
    leave_mark(f, kind, *space, address, low, high, bytes,
               static_cast<std::uint8_t>(order_of(i) | more));
}

std::uint64_t number(const llvm::CallBase& mark, unsigned argument) {
    return llvm::cast<llvm::ConstantInt>(mark.getArgOperand(argument))->getZExtValue();
}

} // namespace

void watch_read(FunctionLowering& f, const Instruction& i, Value* address, std::uint64_t bytes) {
    watch(f, i, WatchedKind::read, address, bytes);
}

void watch_write(FunctionLowering& f, const Instruction& i, Value* address, std::uint64_t bytes,
                 std::span<Value* const> values) {
    if (!f.module.watches || !space_of(i)) return;
    Value* words[2] = {nullptr, nullptr};
    const bool known = !values.empty() && bytes <= 16;
    if (known) {
        auto& b = f.b;
        const std::uint64_t each = bytes / values.size();
        for (std::size_t k = 0; k < values.size(); ++k) {
            Value* bits = b.CreateZExt(f.as_int(values[k]), b.getInt64Ty());
            Value*& word = words[each * k / 8];
            bits = b.CreateShl(bits, each * k % 8 * 8);
            word = word ? b.CreateOr(word, bits) : bits;
        }
    }
    watch(f, i, WatchedKind::write, address, bytes, words[0], words[1], known ? kWatchedValues : 0);
}

void watch_atomic(FunctionLowering& f, const Instruction& i, Value* address, std::uint64_t bytes) {
    watch(f, i, WatchedKind::atomic, address, bytes);
}

void watch_copy(FunctionLowering& f, Value* from, Value* to, std::uint64_t bytes) {
    if (!f.module.watches) return;
    leave_mark(f, WatchedKind::read, WatchedSpace::global, from, nullptr, nullptr, bytes, 0);
    leave_mark(f, WatchedKind::write, WatchedSpace::shared, to, nullptr, nullptr, bytes,
               kWatchedCopy);
}

void watch_copy_group(FunctionLowering& f, const Instruction& i) {
    if (!f.module.watches) return;
    const bool waits = !i.has("commit_group");
    const std::uint64_t left = i.has("wait_group") ? f.immediate(i, 0) : ~0u;
    Value* number = f.b.CreateIntToPtr(f.b.getInt64(left), f.b.getPtrTy());
    leave_mark(f, waits ? WatchedKind::copy_wait : WatchedKind::copy_commit, WatchedSpace::generic,
               number, nullptr, nullptr, 0, 0);
}

void watch_fence(FunctionLowering& f, const Instruction& i) {
    if (!f.module.watches) return;
    leave_mark(f, WatchedKind::fence, WatchedSpace::generic,
               llvm::ConstantPointerNull::get(f.b.getPtrTy()), nullptr, nullptr, 0,
               i.has("cta") ? 0 : kWatchedAll);
}

void watch_sync(FunctionLowering& f, const Instruction&, Value* members) {
    if (!f.module.watches) return;
    Value* mask = f.b.CreateIntToPtr(f.b.CreateZExt(members, f.b.getInt64Ty()), f.b.getPtrTy());
    leave_mark(f, WatchedKind::warp_sync, WatchedSpace::generic, mask, nullptr, nullptr, 0, 0);
}

WatchedKind watched_kind(const llvm::CallBase& mark) {
    return static_cast<WatchedKind>(number(mark, kKind));
}
bool has_watched_values(const llvm::CallBase& mark) {
    return (number(mark, kFlags) & kWatchedValues) != 0;
}

llvm::Constant* watch_site(llvm::Module& module, const llvm::CallBase& mark) {
    const llvm::DILocation* place = mark.getDebugLoc().get();
    std::string calls;
    for (const llvm::DILocation* call = place ? place->getInlinedAt() : nullptr; call;
         call = call->getInlinedAt())
        calls += fmt::format("{}{}:{}", calls.empty() ? "" : ";", call->getFilename().str(),
                             call->getLine());
    WatchSite site{};
    site.line = place ? place->getLine() : 0;
    site.bytes = static_cast<std::uint32_t>(number(mark, kBytes));
    site.kind = watched_kind(mark);
    site.space = static_cast<WatchedSpace>(number(mark, kSpace));
    site.flags = static_cast<std::uint8_t>(number(mark, kFlags));
    std::string bytes(WatchSite::kTextOffset, '\0');
    std::memcpy(bytes.data(), &site, WatchSite::kTextOffset);
    bytes += place ? place->getFilename().str() : "<ptx>";
    bytes += '\0';
    bytes += calls;
    llvm::Constant* data = llvm::ConstantDataArray::getString(module.getContext(), bytes, true);
    // Sites of one place are one constant: findings are counted by it.
    const std::string name = fmt::format("lathe.site.{:016x}", llvm::xxh3_64bits(bytes));
    if (llvm::GlobalVariable* known = module.getNamedGlobal(name)) return known;
    auto* made = new llvm::GlobalVariable{
        module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name};
    made->setAlignment(llvm::Align{4});
    return made;
}

void resolve_watches(llvm::Module& module, const llvm::Function* body) {
    llvm::Function* mark = module.getFunction(warp::kWatch);
    if (!mark) return;
    for (llvm::User* user : llvm::make_early_inc_range(mark->users())) {
        auto* call = llvm::cast<llvm::CallInst>(user);
        llvm::Function* function = call->getFunction();
        if (function == body) continue;
        llvm::IRBuilder<> b{call};
        llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
        auto* type =
            llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, i64, i64, i64}, false);
        b.CreateCall(module.getOrInsertFunction("lathe_rt_watch_one", type),
                     {function->getArg(0), watch_site(module, *call),
                      b.CreatePtrToInt(call->getArgOperand(kAddress), i64),
                      call->getArgOperand(kLow), call->getArgOperand(kHigh)})
            ->setDoesNotThrow();
        call->eraseFromParent();
    }
}

} // namespace lathe::soft::jit
