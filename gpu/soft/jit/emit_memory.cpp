// SPDX-License-Identifier: MIT
// mov, ld, st, address conversions, fences, stack allocation, asynchronous copies (done at once).
#include "gpu/soft/jit/counting.h"
#include "gpu/soft/jit/lowering.h"
#include "gpu/soft/jit/warp/shapes.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/jit/watching.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

namespace {

llvm::AtomicOrdering ordering(const Instruction& i, bool is_load) {
    if (i.has("acquire") && is_load) return llvm::AtomicOrdering::Acquire;
    if (i.has("release") && !is_load) return llvm::AtomicOrdering::Release;
    if (i.has("relaxed") || i.has("mmio")) return llvm::AtomicOrdering::Monotonic;
    return llvm::AtomicOrdering::NotAtomic;
}

/// Storage of an element: what an access of a register of this type moves.
llvm::Type* storage_type(FunctionLowering& f, ptx::Type type) { return f.llvm_type(type); }

bool is_constant_access(const FunctionLowering& f, const Instruction& i) {
    if (i.space() == Space::constant || i.opcode == Opcode::ldu || i.has("nc")) return true;
    if (i.space() != Space::param || !f.source.is_entry) return false;
    const auto* address = std::get_if<ptx::Address>(&i.operands[1].value);
    const auto* symbol = address ? std::get_if<ptx::Symbol>(&address->base) : nullptr;
    if (!symbol) return false;
    for (const ptx::Variable& param : f.source.params) {
        if (param.name == symbol->name) return true;
    }
    return false;
}

/// The whole of a vector access must be aligned (alignment.h), so its first part is more than
/// others.
llvm::Align part_alignment(ptx::Type type, int width, int part) {
    const std::uint64_t bytes = ptx::bytes_of(type);
    return llvm::commonAlignment(llvm::Align{bytes * static_cast<std::uint64_t>(width)},
                                 bytes * static_cast<std::uint64_t>(part));
}

/// Says of the parts of an access what the counters want to know.
class AccessNotes {
public:
    AccessNotes(FunctionLowering& f, const Instruction& i, ptx::Type type)
        : part_bytes_{ptx::bytes_of(type)},
          bytes_{part_bytes_ * static_cast<std::uint32_t>(i.vector_width())} {
        if (!f.module.warp || !f.module.warp->counts) return;
        id_ = new_access(f.module.context);
        const Space space = i.space();
        space_ = space == Space::global    ? static_cast<std::uint32_t>(CountedSpace::global)
                 : space == Space::shared  ? static_cast<std::uint32_t>(CountedSpace::shared)
                 : space == Space::generic ? static_cast<std::uint32_t>(CountedSpace::unknown)
                                           : ~0u;
    }
    void note(llvm::Instruction& part, int k) const {
        if (id_)
            note_access(part, id_, bytes_, part_bytes_ * static_cast<std::uint32_t>(k), space_);
    }

private:
    std::uint32_t part_bytes_, bytes_, space_ = ~0u;
    llvm::MDNode* id_ = nullptr;
};

void emit_load(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const int width = i.vector_width();
    llvm::Type* element = storage_type(f, type);
    Value* pointer = f.address(i, 1);
    const llvm::AtomicOrdering order = ordering(i, true);
    const auto* targets = std::get_if<ptx::Vector>(&f.operand(i, 0).value);
    if (width > 1 && (!targets || targets->items.size() != static_cast<std::size_t>(width))) {
        f.fail(i, fmt::format("{} destination registers expected", width));
    }
    std::vector<Value*> values;
    const AccessNotes notes{f, i, type};
    watch_read(f, i, pointer, ptx::bytes_of(type) * static_cast<std::uint64_t>(width));
    for (int k = 0; k < width; ++k) {
        Value* place =
            k ? b.CreateConstGEP1_32(element, pointer, static_cast<unsigned>(k)) : pointer;
        auto* load =
            b.CreateAlignedLoad(element, place, part_alignment(type, width, k), i.has("volatile"));
        if (order != llvm::AtomicOrdering::NotAtomic) load->setAtomic(order);
        if (is_constant_access(f, i)) {
            load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                              llvm::MDNode::get(f.module.context, {}));
        }
        notes.note(*load, k);
        values.push_back(load);
    }
    for (int k = 0; k < width; ++k) {
        const Operand& target =
            targets && width > 1 ? targets->items[static_cast<std::size_t>(k)] : i.operands[0];
        f.write(target, values[static_cast<std::size_t>(k)], type);
    }
}

void emit_store(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const int width = i.vector_width();
    llvm::Type* element = storage_type(f, type);
    Value* pointer = f.address(i, 0);
    const llvm::AtomicOrdering order = ordering(i, false);
    const auto* sources = std::get_if<ptx::Vector>(&f.operand(i, 1).value);
    if (width > 1 && (!sources || sources->items.size() != static_cast<std::size_t>(width))) {
        f.fail(i, fmt::format("{} source registers expected", width));
    }
    const AccessNotes notes{f, i, type};
    std::vector<Value*> values;
    for (int k = 0; k < width; ++k) {
        const Operand& source =
            sources && width > 1 ? sources->items[static_cast<std::size_t>(k)] : i.operands[1];
        values.push_back(f.read(source, type));
    }
    watch_write(f, i, pointer, ptx::bytes_of(type) * static_cast<std::uint64_t>(width), values);
    for (int k = 0; k < width; ++k) {
        Value* place =
            k ? b.CreateConstGEP1_32(element, pointer, static_cast<unsigned>(k)) : pointer;
        auto* store = b.CreateAlignedStore(values[static_cast<std::size_t>(k)], place,
                                           part_alignment(type, width, k), i.has("volatile"));
        if (order != llvm::AtomicOrdering::NotAtomic) store->setAtomic(order);
        notes.note(*store, k);
    }
}

void emit_move(FunctionLowering& f, const Instruction& i) {
    const ptx::Type type = f.type(i);
    f.propagate_base(i);
    const int width = i.vector_width();
    const auto* targets = std::get_if<ptx::Vector>(&f.operand(i, 0).value);
    const auto* sources = std::get_if<ptx::Vector>(&f.operand(i, 1).value);
    if (targets && sources) { // mov.v2.u32 {%r1, %r2}, {%r3, %r4}
        std::vector<Value*> values;
        for (const Operand& source : sources->items) values.push_back(f.read(source, type));
        for (std::size_t k = 0; k < targets->items.size() && k < values.size(); ++k) {
            f.write(targets->items[k], values[k], type);
        }
        return;
    }
    if (targets && width > 1) { // mov.v4.u32 {...}, %tid
        const auto* source = std::get_if<ptx::Register>(&i.operands[1].value);
        if (!source) f.fail(i, "a vector register is expected");
        for (std::size_t k = 0; k < targets->items.size(); ++k) {
            const ptx::Register part{source->name + "." + "xyzw"[k % 4]};
            f.write(targets->items[k], f.read(Operand{part, false, {}}, type), type);
        }
        return;
    }
    f.write(i, f.read(i, 1, type), type);
}

/// Whether an address lies in one of the module's constants.
Value* in_constants(FunctionLowering& f, Value* address) {
    auto& b = f.b;
    Value* found = b.getFalse();
    for (const auto& [name, variable] : f.module.facts.variables) {
        if (variable->space != Space::constant || variable->is_extern || !variable->size_bytes())
            continue;
        Value* begin = b.CreatePtrToInt(f.module.external(name), b.getInt64Ty());
        Value* inside =
            b.CreateICmpULT(b.CreateSub(address, begin), b.getInt64(variable->size_bytes()));
        found = b.CreateOr(found, inside);
    }
    return found;
}

/// The spaces of generic addresses: parameters of a kernel are global memory, too, as is
/// what lies nowhere; constants are not.
Value* in_space(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const Space space = i.space();
    Value* address = f.read(i, 1, ptx::Type::u64);
    if (space == Space::constant) return in_constants(f, address);
    const unsigned code = space == Space::shared  ? 1
                          : space == Space::local ? 2
                          : space == Space::param ? 4
                                                  : 0;
    Value* answer =
        f.call_runtime("lathe_rt_is_space", b.getInt32Ty(), {address, b.getInt32(code)});
    Value* found = b.CreateICmpNE(answer, b.getInt32(0));
    return code ? found : b.CreateAnd(found, b.CreateNot(in_constants(f, address)));
}

void emit_fence(FunctionLowering& f, const Instruction& i) {
    watch_fence(f, i);
    const bool acquire_release = i.opcode == Opcode::fence && i.has("acq_rel");
    f.b.CreateFence(acquire_release ? llvm::AtomicOrdering::AcquireRelease
                                    : llvm::AtomicOrdering::SequentiallyConsistent,
                    i.has("cta") ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
}

void emit_stack(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    if (f.in_warp()) throw warp::Unsupported{"stack memory of a size known late"};
    if (i.opcode == Opcode::stacksave) {
        f.write(i, b.CreatePtrToInt(b.CreateStackSave(), f.llvm_type(type)), type);
    } else if (i.opcode == Opcode::stackrestore) {
        b.CreateStackRestore(b.CreateIntToPtr(f.read(i, 0, type), b.getPtrTy()));
    } else {
        auto* slot = b.CreateAlloca(b.getInt8Ty(), f.read(i, 1, type));
        slot->setAlignment(llvm::Align{f.has_operand(i, 2) ? f.immediate(i, 2) : 16});
        f.write(i, b.CreatePtrToInt(slot, f.llvm_type(type)), type);
    }
}

/// cp.async copies at once; commit and wait have nothing left to do.
void emit_copy(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    if (i.has("commit_group") || i.has("wait_group") || i.has("wait_all"))
        return watch_copy_group(f, i);
    if (i.has("bulk") || i.has("mbarrier") || !i.has("async")) {
        f.fail(i, "only cp.async of 4, 8 and 16 bytes exists for this target");
    }
    const std::uint64_t bytes = f.immediate(i, 2);
    Value *to = f.address(i, 0), *from = f.address(i, 1);
    Value* copied = b.getInt64(bytes);
    const llvm::Align align{bytes};
    watch_copy(f, from, to, bytes);
    if (f.has_operand(i, 3)) {
        Value* wanted = b.CreateZExt(f.read(i, 3, ptx::Type::u32), b.getInt64Ty());
        copied = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, wanted, copied);
        b.CreateMemSet(to, b.getInt8(0), bytes, align);
    }
    b.CreateMemCpy(to, align, from, align, copied);
}

} // namespace

bool emit_memory(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::mov: emit_move(f, i); return true;
    case Opcode::ld:
    case Opcode::ldu: emit_load(f, i); return true;
    case Opcode::st: emit_store(f, i); return true;
    case Opcode::cvta: {
        // Every space has the generic addresses; a 32-bit one is extended.
        f.propagate_base(i);
        f.write(i, f.read(i, 1, f.type(i)), f.type(i));
        return true;
    }
    case Opcode::isspacep: f.write(i, in_space(f, i), ptx::Type::pred); return true;
    case Opcode::membar:
    case Opcode::fence: emit_fence(f, i); return true;
    case Opcode::createpolicy: f.write(i, f.b.getInt64(0), ptx::Type::b64); return true;
    case Opcode::mapa: f.write(i, f.read(i, 1, f.type(i)), f.type(i)); return true;
    case Opcode::getctarank: f.write(i, f.b.getInt32(0), ptx::Type::u32); return true;
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::applypriority:
    case Opcode::discard: return true;
    case Opcode::alloca:
    case Opcode::stacksave:
    case Opcode::stackrestore: emit_stack(f, i); return true;
    case Opcode::cp: emit_copy(f, i); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
