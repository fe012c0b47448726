// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/orc.h"

#include "engine/core/error.h"
#include "gpu/soft/jit/code_pages.h"
#include "gpu/soft/jit/disassembly.h"
#include "gpu/soft/jit/support.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Object/SymbolSize.h>
#include <llvm/Support/DataExtractor.h>

#include <algorithm>
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

    bool contains(std::uintptr_t pc) const {
        return std::ranges::any_of(
            ranges, [pc](const auto& range) { return pc >= range.first && pc < range.second; });
    }
    /// The line at `pc` and the calls around it, the innermost first.
    llvm::DIInliningInfo frames_at(std::uintptr_t pc) {
        const auto* binary = debug.getBinary();
        if (!lines) lines = llvm::DWARFContext::create(*binary);
        using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
        // Rows of a relocatable object are found under the section that they belong to.
        std::uint64_t index = llvm::object::SectionedAddress::UndefSection;
        for (const llvm::object::SectionRef& section : binary->sections())
            if (section.isText() && pc - section.getAddress() < section.getSize())
                index = section.getIndex();
        return lines->getInliningInfoForAddress({pc, index}, {Kind::RawValue});
    }
    /// By address.
    std::vector<LinkedFunction> functions() const;
};

bool has_place(const llvm::DILineInfo& frame) {
    return frame.FileName != llvm::DILineInfo::BadString && frame.Line > 0;
}

std::vector<LinkedFunction> LinkedObject::functions() const {
    std::vector<LinkedFunction> found;
    for (const auto& [symbol, bytes] : llvm::object::computeSymbolSizes(*debug.getBinary())) {
        if (check(symbol.getType(), "reading compiled code") !=
            llvm::object::SymbolRef::ST_Function)
            continue;
        const std::uint64_t begin = check(symbol.getAddress(), "reading compiled code");
        if (bytes > 0 && contains(begin))
            found.push_back({check(symbol.getName(), "reading compiled code").str(), begin, bytes});
    }
    std::ranges::sort(found, {}, &LinkedFunction::begin);
    return found;
}

/// What hears of an object that this thread links. A lookup links on the calling thread, and what
/// other threads are about to look up as well: Engine::linking keeps those away.
struct LinkListener {
    virtual ~LinkListener() = default;
    virtual void code_at(std::uintptr_t begin, std::size_t bytes) = 0;
    virtual void loaded(llvm::object::OwningBinary<llvm::object::ObjectFile> debug) = 0;
    virtual void emitted(std::unique_ptr<llvm::MemoryBuffer> memory) = 0;
};

thread_local LinkListener* listener = nullptr;

/// Notes where executable sections lie.
class CodeMemory : public llvm::SectionMemoryManager {
public:
    CodeMemory() : SectionMemoryManager{&CodePages::instance()} {}

    std::uint8_t* allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned id,
                                      llvm::StringRef name) override {
        auto* begin = SectionMemoryManager::allocateCodeSection(size, alignment, id, name);
        if (listener) listener->code_at(reinterpret_cast<std::uintptr_t>(begin), size);
        return begin;
    }
};

/// The ORC session with the functions that compiled code may call.
class Engine {
public:
    static Engine& instance() {
        static auto* engine = new Engine; // never destroyed: workers may run code at exit
        return *engine;
    }

    orc::ExecutionSession session;
    orc::RTDyldObjectLinkingLayer layer; ///< one for all: a layer never leaves its session
    orc::JITDylib& runtime;
    std::mutex linking; ///< one lookup at a time; nothing else is taken while it is held
    std::atomic<unsigned> next_name{0};

private:
    Engine()
        : session{check(orc::SelfExecutorProcessControl::Create(
                            nullptr, std::make_unique<orc::InPlaceTaskDispatcher>()),
                        "JIT session")},
          layer{session, [] { return std::make_unique<CodeMemory>(); }},
          runtime{session.createBareJITDylib("runtime")} {
        orc::SymbolMap symbols;
        for (const auto& [name, address] : runtime_symbols()) {
            symbols[session.intern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                             llvm::JITSymbolFlags::Exported |
                                                 llvm::JITSymbolFlags::Callable};
        }
        check(runtime.define(orc::absoluteSymbols(std::move(symbols))), "run-time symbols");
        layer.setNotifyLoaded([](orc::MaterializationResponsibility&,
                                 const llvm::object::ObjectFile& object,
                                 const llvm::RuntimeDyld::LoadedObjectInfo& info) {
            if (listener) listener->loaded(info.getObjectForDebug(object));
        });
        layer.setNotifyEmitted(
            [](orc::MaterializationResponsibility&, std::unique_ptr<llvm::MemoryBuffer> memory) {
                if (listener) listener->emitted(std::move(memory));
            });
    }
};

/// From the section that the code generator writes for each function: its address, to be relocated,
/// and the size of its frame (LEB128).
std::size_t sum_of_frames(llvm::MemoryBufferRef memory) {
    const auto object =
        check(llvm::object::ObjectFile::createObjectFile(memory), "reading compiled code");
    std::size_t sum = 0;
    for (const llvm::object::SectionRef& section : object->sections()) {
        if (check(section.getName(), "reading compiled code") != ".stack_sizes") continue;
        const llvm::DataExtractor entries{check(section.getContents(), "reading frame sizes"),
                                          object->isLittleEndian(), sizeof(void*)};
        for (std::uint64_t at = 0; entries.isValidOffset(at);) {
            entries.getAddress(&at);
            sum += entries.getULEB128(&at);
        }
    }
    return sum;
}

struct Group {
    orc::JITDylib* library = nullptr;
    std::size_t frame_bytes = 0;
};

} // namespace

struct CodeSpace::State final : LinkListener {
    std::map<std::string, Group> groups;
    std::atomic<CodeRange*> ranges{nullptr};
    mutable std::mutex mutex;
    std::vector<LinkedObject> objects;
    mutable std::set<std::string> files; ///< SourcePlace::file points here
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> new_ranges;

    /// Null where no code with a line table lies there. Under the mutex.
    LinkedObject* object_at(std::uintptr_t pc) {
        for (LinkedObject& object : objects)
            if (object.contains(pc) && object.debug.getBinary()) return &object;
        return nullptr;
    }

    void code_at(std::uintptr_t begin, std::size_t bytes) override {
        ranges.store(new CodeRange{begin, begin + bytes, ranges.load()});
        new_ranges.emplace_back(begin, begin + bytes);
    }
    void loaded(llvm::object::OwningBinary<llvm::object::ObjectFile> debug) override {
        objects.push_back({std::move(debug), nullptr, nullptr, std::exchange(new_ranges, {})});
    }
    void emitted(std::unique_ptr<llvm::MemoryBuffer> memory) override {
        if (!objects.empty()) objects.back().memory = std::move(memory);
    }

    ~State() override {
        for (CodeRange* range = ranges.load(); range;) delete std::exchange(range, range->next);
    }
};

CodeSpace::CodeSpace() : state_{std::make_unique<State>()} { Engine::instance(); }

CodeSpace::~CodeSpace() {
    Engine& engine = Engine::instance();
    for (auto& [name, group] : state_->groups) {
        llvm::consumeError(engine.session.removeJITDylib(*group.library));
    }
}

void CodeSpace::add(std::unique_ptr<llvm::MemoryBuffer> object, const std::string& group,
                    const Symbols& symbols) {
    Engine& engine = Engine::instance();
    std::lock_guard lock{state_->mutex};
    auto& library =
        engine.session.createBareJITDylib(fmt::format("{}.{}", engine.next_name++, group));
    library.addToLinkOrder(engine.runtime);
    orc::SymbolMap places;
    for (const auto& [name, address] : symbols)
        places[engine.session.intern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                               llvm::JITSymbolFlags::Exported};
    check(library.define(orc::absoluteSymbols(std::move(places))), "symbols of the module");
    const std::size_t frames = sum_of_frames(object->getMemBufferRef());
    check(engine.layer.add(library, std::move(object)), "linking compiled code");
    state_->groups[group] = {&library, frames};
}

std::size_t CodeSpace::frame_bytes(const std::string& group) const {
    std::lock_guard lock{state_->mutex};
    const auto found = state_->groups.find(group);
    return found == state_->groups.end() ? 0 : found->second.frame_bytes;
}

void* CodeSpace::find(const std::string& group, const std::string& name) {
    Engine& engine = Engine::instance();
    std::lock_guard lock{state_->mutex};
    const auto found = state_->groups.find(group);
    if (found == state_->groups.end()) return nullptr;
    auto symbol = [&] {
        std::lock_guard alone{engine.linking};
        listener = state_.get();
        auto looked_up =
            engine.session.lookup({found->second.library}, engine.session.intern(name));
        listener = nullptr;
        return looked_up;
    }();
    if (!symbol) {
        llvm::Error error = symbol.takeError();
        if (error.isA<orc::SymbolsNotFound>()) {
            bool own = false;
            error = llvm::handleErrors(
                std::move(error), [&](const orc::SymbolsNotFound& missing) -> llvm::Error {
                    for (const auto& each : missing.getSymbols()) own |= *each == name;
                    if (own) return llvm::Error::success();
                    std::string list;
                    for (const auto& each : missing.getSymbols())
                        list += fmt::format(" {}", (*each).str());
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
    LinkedObject* const object = state_->object_at(pc);
    if (!object) return std::nullopt;
    const llvm::DIInliningInfo frames = object->frames_at(pc);
    // The innermost line in the kernel's own file: a fault inside of an inlined function of a
    // CUDA header is told at the line that calls it.
    std::optional<llvm::DILineInfo> line;
    for (std::uint32_t i = frames.getNumberOfFrames(); i-- > 0;) {
        const llvm::DILineInfo& frame = frames.getFrame(i);
        if (!has_place(frame)) continue;
        if (!line || frame.FileName == line->FileName) line = frame;
    }
    if (!line) return std::nullopt;
    const auto file = state_->files.insert(line->FileName).first;
    return SourcePlace{file->c_str(), line->Line, line->Column};
}

std::vector<CodeRow> CodeSpace::listing(std::uintptr_t pc) const {
    std::lock_guard lock{state_->mutex};
    LinkedObject* const object = state_->object_at(pc);
    if (!object) return {};
    const IsCode is_code = [object](std::uintptr_t at) { return object->contains(at); };
    return disassemble(object->functions(), is_code, [object](std::uintptr_t at, CodeRow& row) {
        const llvm::DIInliningInfo frames = object->frames_at(at);
        for (std::uint32_t i = 0; i < frames.getNumberOfFrames(); ++i) {
            const llvm::DILineInfo& frame = frames.getFrame(i);
            if (!has_place(frame)) continue;
            if (i == 0) {
                row.file = frame.FileName;
                row.line = frame.Line;
            } else {
                row.inlined_at += fmt::format("{}{}:{}", row.inlined_at.empty() ? "" : ";",
                                              frame.FileName, frame.Line);
            }
        }
    });
}

} // namespace lathe::soft::jit
