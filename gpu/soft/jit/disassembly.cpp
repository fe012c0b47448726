// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/disassembly.h"

#include "engine/core/error.h"
#include "gpu/soft/jit/support.h"
#include "gpu/soft/jit/toolchain.h"
#include "gpu/soft/rt/access.h"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

namespace lathe::soft::jit {

namespace {

struct Dispose {
    void operator()(void* disassembler) const { LLVMDisasmDispose(disassembler); }
};

const std::unordered_map<std::uint64_t, std::string>& names_of_runtime() {
    static const auto* const names = [] {
        auto* made = new std::unordered_map<std::uint64_t, std::string>;
        for (const auto& [name, address] : runtime_symbols())
            made->emplace(reinterpret_cast<std::uintptr_t>(address), name);
        return made;
    }();
    return *names;
}

class Disassembler {
public:
    Disassembler(const std::vector<LinkedFunction>& functions, const IsCode& is_code)
        : functions_{functions}, is_code_{is_code} {
        register_host(); // all code may have come from the cache
        const std::string triple = llvm::sys::getProcessTriple();
        llvm_.reset(LLVMCreateDisasmCPUFeatures(triple.c_str(), target_name().c_str(),
                                                target_features().c_str(), this, 0, nullptr,
                                                &Disassembler::name_of));
        if (!llvm_) throw Error{fmt::format("LLVM has no disassembler for {}", triple)};
        LLVMSetDisasmOptions(llvm_.get(), LLVMDisassembler_Option_AsmPrinterVariant |
                                              LLVMDisassembler_Option_PrintImmHex);
    }

    /// The first walk finds the labels, the second one writes them.
    template <class Take> void walk(const LinkedFunction& function, Take take) {
        function_ = &function;
        is_check_ = false;
        char text[512];
        for (std::size_t at = 0; at < function.bytes;) {
            const std::uintptr_t pc = function.begin + at;
            // The interface takes bytes that may be written to, and only reads them.
            auto* bytes = reinterpret_cast<std::uint8_t*>(pc);
            const std::size_t used = LLVMDisasmInstruction(llvm_.get(), bytes, function.bytes - at,
                                                           pc, text, sizeof text);
            if (used) take(pc, std::string{text});
            else take(pc, fmt::format(".byte 0x{:02x}", *bytes));
            at += std::max<std::size_t>(used, 1);
            if (std::exchange(is_check_, false))
                at += site_bytes(function.begin + at, function.bytes - at);
        }
    }
    const std::map<std::uint64_t, std::string>& labels() const { return labels_; }
    /// In the order of the code.
    void name_labels() {
        for (auto& [address, name] : labels_) name = fmt::format(".L{}", next_label_++);
    }
    void forget_labels() { labels_.clear(); }

private:
    /// What LLVM writes in the place of an address; null: the address.
    static const char* name_of(void* self, std::uint64_t value, std::uint64_t* kind, std::uint64_t,
                               const char**) {
        auto& d = *static_cast<Disassembler*>(self);
        const bool is_branch = *kind == LLVMDisassembler_ReferenceType_In_Branch;
        *kind = LLVMDisassembler_ReferenceType_InOut_None;
        if (!is_branch) return nullptr;
        const LinkedFunction& in = *d.function_;
        if (value > in.begin && value < in.begin + in.bytes) {
            const auto label = d.labels_.try_emplace(value).first;
            return label->second.empty() ? nullptr : label->second.c_str();
        }
        for (const LinkedFunction& other : d.functions_)
            if (other.begin == value) return other.name.c_str();
        const auto known = names_of_runtime().find(d.behind_stub(value));
        if (known == names_of_runtime().end()) return nullptr;
        d.is_check_ = known->second == "lathe_rt_access_check";
        return known->second.c_str();
    }

    /// The linker sends far calls through `jmp [rip + offset]`, beside the code.
    std::uint64_t behind_stub(std::uint64_t address) const {
        const auto* const code = reinterpret_cast<const std::uint8_t*>(address);
        if (!is_code_(address) || !is_code_(address + 5) || code[0] != 0xff || code[1] != 0x25)
            return address;
        std::int32_t offset = 0;
        std::memcpy(&offset, code + 2, sizeof offset);
        std::uint64_t target = 0; // from the linker's table of far addresses
        std::memcpy(&target, code + 6 + offset, sizeof target);
        return target;
    }

    /// Of what lies in the code behind a call of lathe_rt_access_check.
    static std::size_t site_bytes(std::uintptr_t at, std::size_t left) {
        AccessSite site{};
        if (left < sizeof site) return 0;
        std::memcpy(&site, reinterpret_cast<const void*>(at), sizeof site);
        return std::min(sizeof site + site.count * sizeof(AccessSite::Access), left);
    }

    const std::vector<LinkedFunction>& functions_;
    const IsCode& is_code_;
    const LinkedFunction* function_ = nullptr;
    bool is_check_ = false;                       ///< the instruction calls lathe_rt_access_check
    std::map<std::uint64_t, std::string> labels_; ///< of the function, by address
    int next_label_ = 0;
    std::unique_ptr<void, Dispose> llvm_;
};

/// "\tvmovups\tymm0, ymmword ptr [rax]" with one blank for each tab.
std::string with_blanks(std::string text) {
    text.erase(0, text.find_first_not_of(" \t"));
    for (char& c : text)
        if (c == '\t') c = ' ';
    return text;
}

} // namespace

std::vector<CodeRow> disassemble(const std::vector<LinkedFunction>& functions,
                                 const IsCode& is_code, const PutPlace& put_place) {
    Disassembler disassembler{functions, is_code};
    std::vector<CodeRow> rows;
    for (const LinkedFunction& function : functions) {
        rows.push_back({CodeRow::Kind::function, function.name, {}, 0, {}});
        disassembler.forget_labels();
        disassembler.walk(function, [](std::uintptr_t, const std::string&) {});
        disassembler.name_labels();
        disassembler.walk(function, [&](std::uintptr_t pc, std::string text) {
            if (const auto label = disassembler.labels().find(pc);
                label != disassembler.labels().end())
                rows.push_back({CodeRow::Kind::label, label->second + ":", {}, 0, {}});
            CodeRow row;
            row.text = with_blanks(std::move(text));
            put_place(pc, row);
            rows.push_back(std::move(row));
        });
    }
    return rows;
}

} // namespace lathe::soft::jit
