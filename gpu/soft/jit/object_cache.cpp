// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/object_cache.h"

#include "engine/core/cache_key.h"
#include "engine/core/resources.h"
#include "gpu/soft/jit/toolchain.h"

#include <llvm/Config/llvm-config.h>

#include <cstdlib>
#include <cstring>

#include <elf.h>
#include <link.h>

namespace lathe::soft::jit {

namespace {

constexpr std::uintmax_t kLimit = 256ull << 20;

struct Notes {
    std::uintptr_t inside; ///< an address of the library asked for
    std::string build;
};

// The build identifier that the linker gave the library which holds an address.
int find_build(dl_phdr_info* library, std::size_t, void* wanted) {
    auto& notes = *static_cast<Notes*>(wanted);
    bool here = false;
    for (int k = 0; k < library->dlpi_phnum; ++k) {
        const auto& segment = library->dlpi_phdr[k];
        const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
        here |= segment.p_type == PT_LOAD && notes.inside - begin < segment.p_memsz;
    }
    if (!here) return 0;
    const auto padded = [](std::uint32_t bytes) { return (bytes + 3u) & ~3u; };
    for (int k = 0; k < library->dlpi_phnum; ++k) {
        const auto& segment = library->dlpi_phdr[k];
        if (segment.p_type != PT_NOTE) continue;
        const auto* at = reinterpret_cast<const char*>(library->dlpi_addr + segment.p_vaddr);
        const char* const end = at + segment.p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            const char* const name = at + sizeof note;
            const char* const text = name + padded(note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0)
                notes.build.assign(text, note.n_descsz);
            at = text + padded(note.n_descsz);
        }
    }
    return 1;
}

std::string own_build() {
    Notes notes{reinterpret_cast<std::uintptr_t>(&find_build), {}};
    dl_iterate_phdr(find_build, &notes);
    return notes.build;
}

std::filesystem::path folder() {
    const char* use = std::getenv("LATHE_SOFT_CACHE");
    if (use && std::string_view{use} == "off") return {};
    return cache_directory() / "objects";
}

// --- records: lengths before texts ------------------------------------------------------------

void put(std::string& out, std::string_view text) {
    const std::uint64_t length = text.size();
    out.append(reinterpret_cast<const char*>(&length), sizeof length);
    out.append(text);
}

std::optional<std::string> take(std::string_view& in) {
    std::uint64_t length = 0;
    if (in.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, in.data(), sizeof length);
    in.remove_prefix(sizeof length);
    if (length > in.size()) return std::nullopt;
    std::string text{in.substr(0, length)};
    in.remove_prefix(length);
    return text;
}

} // namespace

ObjectCache& ObjectCache::instance() {
    static auto* const cache = new ObjectCache{jit::folder()}; // workers may compile at exit
    return *cache;
}

ObjectCache::ObjectCache(std::filesystem::path folder)
    : files_{std::move(folder), ".object", "lathe object 1\n"}, build_{own_build()} {
    files_.limit_bytes = kLimit;
}

std::string ObjectCache::key(const std::string& module, const std::string& group) const {
    // Without a build identifier nothing tells this library's code from that of another version.
    if (module.empty() || build_.empty() || folder().empty()) return {};
    return CacheKey{}
        .add(build_)
        .add(LLVM_VERSION_STRING)
        .add(target_name())
        .add(target_features())
        .add(module)
        .add(group)
        .hex();
}

std::optional<CachedCode> ObjectCache::find(const std::string& key) {
    if (key.empty()) return std::nullopt;
    const std::optional<std::string> payload = files_.read(key);
    if (!payload) {
        ++misses_;
        return std::nullopt;
    }
    std::string_view in{*payload};
    auto refusal = take(in), object = take(in);
    std::optional<CachedCode> code;
    if (refusal && object) {
        code = CachedCode{std::move(*object), {}, std::move(*refusal)};
        while (!in.empty() && code) {
            if (auto symbol = take(in)) code->symbols.push_back(std::move(*symbol));
            else code.reset();
        }
    }
    if (!code) files_.discard(key);
    ++(code ? hits_ : misses_);
    return code;
}

void ObjectCache::store(const std::string& key, const CachedCode& code) {
    if (key.empty()) return;
    std::string payload;
    put(payload, code.refusal);
    put(payload, code.object);
    for (const std::string& symbol : code.symbols) put(payload, symbol);
    files_.write(key, payload);
}

} // namespace lathe::soft::jit
