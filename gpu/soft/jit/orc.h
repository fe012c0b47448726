// SPDX-License-Identifier: MIT
// Linking of generated objects into the process, one session for all modules.
#pragma once

#include "gpu/soft/rt/code.h"

#include <llvm/Support/MemoryBuffer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::soft::jit {

/// The linked code of one PTX module. Freed with the object.
class CodeSpace {
public:
    CodeSpace();
    ~CodeSpace();
    CodeSpace(const CodeSpace&) = delete;
    CodeSpace& operator=(const CodeSpace&) = delete;

    using Symbols = std::vector<std::pair<std::string, void*>>;
    /// Links an object and keeps its line table. `group` names it: functions are found by group.
    /// `symbols` are those that neither it nor the run time defines.
    void add(std::unique_ptr<llvm::MemoryBuffer> object, const std::string& group,
             const Symbols& symbols);
    /// Address of a function of a group; null where it has none of that name.
    void* find(const std::string& group, const std::string& name);
    /// Stack that the functions of a group take together, each once.
    std::size_t frame_bytes(const std::string& group) const;

    bool contains(std::uintptr_t pc) const;
    std::optional<SourcePlace> place_of(std::uintptr_t pc) const;
    /// Of the functions of the object that holds `pc`, in the order of their addresses; empty where
    /// none does. Throws as disassemble().
    std::vector<CodeRow> listing(std::uintptr_t pc) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace lathe::soft::jit
