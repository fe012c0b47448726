// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/orc.h"

#include "engine/core/error.h"
#include "gpu/soft/jit/support.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace lathe::soft::jit {

namespace orc = llvm::orc;

namespace {

template <class T> T check(llvm::Expected<T> value, const char* what) {
    if (!value) throw Error{fmt::format("{}: {}", what, llvm::toString(value.takeError()))};
    return std::move(*value);
}

void check(llvm::Error error, const char* what) {
    if (error) throw Error{fmt::format("{}: {}", what, llvm::toString(std::move(error)))};
}

/// A piece of executable memory. The list is only ever added to, so a signal handler may walk it.
struct CodeRange {
    std::uintptr_t begin, end;
    CodeRange* next;
};

struct LinkedObject {
    llvm::object::OwningBinary<llvm::object::ObjectFile> debug;
    std::unique_ptr<llvm::MemoryBuffer> memory; ///< what `debug` may refer to
    std::unique_ptr<llvm::DIContext> lines;     ///< made when first asked
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
};

/// Sections of one object in one reservation, so that code reaches its constants by 32-bit offsets,
/// and a note of where executable ones lie.
class CodeMemory : public llvm::SectionMemoryManager {
public:
    explicit CodeMemory(std::function<void(std::uintptr_t, std::size_t)> note)
        : note_{std::move(note)} {}

    std::uint8_t* allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned id,
                                      llvm::StringRef name) override {
        auto* begin = SectionMemoryManager::allocateCodeSection(size, alignment, id, name);
        note_(reinterpret_cast<std::uintptr_t>(begin), size);
        return begin;
    }

private:
    std::function<void(std::uintptr_t, std::size_t)> note_;
};

/// The ORC session with the functions that compiled code may call.
class Engine {
public:
    static Engine& instance() {
        static auto* engine = new Engine; // never destroyed: workers may run code at exit
        return *engine;
    }

    orc::ExecutionSession session;
    orc::JITDylib& runtime;
    std::atomic<unsigned> next_name{0};

private:
    Engine()
        : session{check(orc::SelfExecutorProcessControl::Create(), "JIT session")},
          runtime{session.createBareJITDylib("runtime")} {
        orc::SymbolMap symbols;
        for (const auto& [name, address] : runtime_symbols()) {
            symbols[session.intern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                             llvm::JITSymbolFlags::Exported |
                                                 llvm::JITSymbolFlags::Callable};
        }
        check(runtime.define(orc::absoluteSymbols(std::move(symbols))), "run-time symbols");
    }
};

} // namespace

struct CodeSpace::State {
    std::map<std::string, orc::JITDylib*> groups;
    std::unique_ptr<orc::RTDyldObjectLinkingLayer> layer;
    std::atomic<CodeRange*> ranges{nullptr};
    mutable std::mutex mutex;
    std::vector<LinkedObject> objects;
    mutable std::set<std::string> files; ///< SourcePlace::file points here
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> new_ranges;

    void note(std::uintptr_t begin, std::size_t bytes) {
        ranges.store(new CodeRange{begin, begin + bytes, ranges.load()});
        new_ranges.emplace_back(begin, begin + bytes);
    }

    ~State() {
        for (CodeRange* range = ranges.load(); range;) delete std::exchange(range, range->next);
    }
};

CodeSpace::CodeSpace() : state_{std::make_unique<State>()} {
    Engine& engine = Engine::instance();
    State* state = state_.get();
    state->layer = std::make_unique<orc::RTDyldObjectLinkingLayer>(engine.session, [state] {
        return std::make_unique<CodeMemory>(
            [state](std::uintptr_t begin, std::size_t bytes) { state->note(begin, bytes); });
    });
    state->layer->setNotifyLoaded([state](orc::MaterializationResponsibility&,
                                          const llvm::object::ObjectFile& object,
                                          const llvm::RuntimeDyld::LoadedObjectInfo& info) {
        LinkedObject& linked = state->objects.emplace_back();
        linked.debug = info.getObjectForDebug(object);
        linked.ranges = std::move(state->new_ranges);
        state->new_ranges.clear();
    });
    state->layer->setNotifyEmitted(
        [state](orc::MaterializationResponsibility&, std::unique_ptr<llvm::MemoryBuffer> buffer) {
            state->objects.back().memory = std::move(buffer);
        });
}

CodeSpace::~CodeSpace() {
    Engine& engine = Engine::instance();
    for (auto& [name, group] : state_->groups) {
        llvm::consumeError(engine.session.removeJITDylib(*group));
    }
}

void CodeSpace::add(std::unique_ptr<llvm::MemoryBuffer> object, const std::string& group) {
    Engine& engine = Engine::instance();
    std::lock_guard lock{state_->mutex};
    auto& library = engine.session.createBareJITDylib(fmt::format("{}.{}", engine.next_name++, group));
    library.addToLinkOrder(engine.runtime);
    check(state_->layer->add(library, std::move(object)), "linking compiled code");
    state_->groups[group] = &library;
}

void* CodeSpace::find(const std::string& group, const std::string& name) {
    Engine& engine = Engine::instance();
    std::lock_guard lock{state_->mutex};
    const auto found = state_->groups.find(group);
    if (found == state_->groups.end()) return nullptr;
    auto symbol = engine.session.lookup({found->second}, engine.session.intern(name));
    if (!symbol) {
        llvm::Error error = symbol.takeError();
        if (error.isA<orc::SymbolsNotFound>()) {
            bool own = false;
            error = llvm::handleErrors(std::move(error), [&](const orc::SymbolsNotFound& missing) -> llvm::Error {
                for (const auto& each : missing.getSymbols()) own |= *each == name;
                if (own) return llvm::Error::success();
                std::string list;
                for (const auto& each : missing.getSymbols()) list += fmt::format(" {}", (*each).str());
                return llvm::make_error<llvm::StringError>(fmt::format("missing{}", list),
                                                           llvm::inconvertibleErrorCode());
            });
            if (own && !error) return nullptr;
        }
        check(std::move(error), "linking compiled code");
        return nullptr;
    }
    return symbol->getAddress().toPtr<void*>();
}

bool CodeSpace::contains(std::uintptr_t pc) const {
    for (const CodeRange* range = state_->ranges.load(); range; range = range->next) {
        if (pc >= range->begin && pc < range->end) return true;
    }
    return false;
}

std::optional<SourcePlace> CodeSpace::place_of(std::uintptr_t pc) const {
    std::lock_guard lock{state_->mutex};
    for (LinkedObject& object : state_->objects) {
        const auto* binary = object.debug.getBinary();
        bool inside = false;
        for (const auto& [begin, end] : object.ranges) inside |= pc >= begin && pc < end;
        if (!inside || !binary) continue;
        if (!object.lines) object.lines = llvm::DWARFContext::create(*binary);
        using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
        const llvm::DILineInfo line = object.lines->getLineInfoForAddress(
            {pc, llvm::object::SectionedAddress::UndefSection}, {Kind::RawValue});
        if (line.FileName == llvm::DILineInfo::BadString || line.Line == 0) return std::nullopt;
        const auto file = state_->files.insert(line.FileName).first;
        return SourcePlace{file->c_str(), line.Line, line.Column};
    }
    return std::nullopt;
}

} // namespace lathe::soft::jit
