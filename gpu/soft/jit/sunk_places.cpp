// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/sunk_places.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <memory>

namespace lathe::soft::jit {

namespace {

struct NotedPlace {
    const llvm::DILocation* place;
    unsigned opcode; ///< an address may be given to another instruction
};
using NotedPlaces = llvm::DenseMap<const llvm::MachineInstr*, NotedPlace>;

class PlacePass : public llvm::MachineFunctionPass {
public:
    PlacePass(char& id, std::shared_ptr<NotedPlaces> noted)
        : MachineFunctionPass{id}, noted_{std::move(noted)} {}

    void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
        usage.setPreservesAll();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

protected:
    std::shared_ptr<NotedPlaces> noted_;
};

class NotePlaces final : public PlacePass {
public:
    static inline char id = 0;
    explicit NotePlaces(std::shared_ptr<NotedPlaces> noted) : PlacePass{id, std::move(noted)} {}

    llvm::StringRef getPassName() const override { return "Note source lines"; }
    bool runOnMachineFunction(llvm::MachineFunction& function) override {
        noted_->clear();
        for (const llvm::MachineBasicBlock& block : function)
            for (const llvm::MachineInstr& instruction : block)
                if (const llvm::DebugLoc& place = instruction.getDebugLoc(); place.get())
                    noted_->try_emplace(&instruction,
                                        NotedPlace{place.get(), instruction.getOpcode()});
        return false;
    }
};

class GiveBackPlaces final : public PlacePass {
public:
    static inline char id = 0;
    explicit GiveBackPlaces(std::shared_ptr<NotedPlaces> noted) : PlacePass{id, std::move(noted)} {}

    llvm::StringRef getPassName() const override { return "Give source lines back"; }
    bool runOnMachineFunction(llvm::MachineFunction& function) override {
        for (llvm::MachineBasicBlock& block : function) {
            for (llvm::MachineInstr& instruction : block) {
                const llvm::DebugLoc& now = instruction.getDebugLoc();
                if (now && now.getLine() > 0) continue;
                const auto known = noted_->find(&instruction);
                if (known != noted_->end() && known->second.opcode == instruction.getOpcode())
                    instruction.setDebugLoc(known->second.place);
            }
        }
        noted_->clear();
        return false;
    }
};

} // namespace

SunkPlaces keep_places_of_sunk() {
    auto noted = std::make_shared<NotedPlaces>();
    return {new NotePlaces{noted}, new GiveBackPlaces{noted}};
}

} // namespace lathe::soft::jit
