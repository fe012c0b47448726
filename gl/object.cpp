// SPDX-License-Identifier: MIT
// The registry of living contexts and the names each still has to delete.
#include "gl/object.h"

#include "engine/core/process.h"
#include "gl/context.h"
#include "gl/object_registry.h"

#include <glad/gl.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace lathe::gl {
namespace {

struct Living {
    std::vector<std::pair<Kind, unsigned>> given_up;
    std::map<unsigned, GuardedMemory> memory; ///< by the buffer it is the storage of
};

struct Registry {
    std::mutex mutex;
    std::uint32_t last_serial = 0;
    std::map<std::uint32_t, Living> living;
    /// Of contexts that died while another one was current: GL may read it for ever.
    std::vector<GuardedMemory> abandoned;
};
/// Never destroyed: objects with static lifetime may die after every other static.
Registry& registry() {
    static Registry* r = new Registry;
    return *r;
}

void delete_buffer(std::uint32_t context, unsigned id) noexcept {
    glDeleteBuffers(1, &id);
    GuardedMemory memory;
    {
        Registry& r = registry();
        std::lock_guard lock{r.mutex};
        const auto it = r.living.find(context);
        if (it == r.living.end() || !it->second.memory.contains(id)) return;
        memory = std::move(it->second.memory.extract(id).mapped());
    }
    glFinish(); // a draw that reads it may be under way
}

void delete_now(Kind kind, Name name) noexcept {
    const unsigned id = name.id;
    switch (kind) {
    case Kind::buffer: delete_buffer(name.context, id); break;
    case Kind::texture: glDeleteTextures(1, &id); break;
    case Kind::framebuffer: glDeleteFramebuffers(1, &id); break;
    case Kind::vertex_array: glDeleteVertexArrays(1, &id); break;
    case Kind::program: glDeleteProgram(id); break;
    case Kind::query: glDeleteQueries(1, &id); break;
    }
}

} // namespace

std::uint32_t register_context() {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    r.living[++r.last_serial];
    return r.last_serial;
}

void unregister_context(std::uint32_t serial, bool finished) noexcept {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    auto node = r.living.extract(serial);
    if (!node.empty() && !finished)
        for (auto& [id, memory] : node.mapped().memory) r.abandoned.push_back(std::move(memory));
}

void keep_memory(Name buffer, GuardedMemory memory) {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    r.living[buffer.context].memory.insert_or_assign(buffer.id, std::move(memory));
}

std::byte* memory_of(Name buffer) {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    const auto it = r.living.find(buffer.context);
    if (it == r.living.end()) return nullptr;
    const auto kept = it->second.memory.find(buffer.id);
    return kept == it->second.memory.end() ? nullptr : kept->second.data();
}

bool is_living(std::uint32_t serial) noexcept {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    return r.living.contains(serial);
}

void delete_given_up(std::uint32_t serial) noexcept {
    std::vector<std::pair<Kind, unsigned>> names;
    {
        Registry& r = registry();
        std::lock_guard lock{r.mutex};
        if (auto it = r.living.find(serial); it != r.living.end()) names.swap(it->second.given_up);
    }
    for (auto [kind, id] : names) delete_now(kind, {id, serial});
}

Name name_here(unsigned id) { return {id, Context::require_current().serial()}; }

void destroy(Kind kind, Name name) noexcept {
    if (process_is_exiting()) return;
    if (const Context* here = Context::current(); here && here->serial() == name.context) {
        delete_now(kind, name);
        return;
    }
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    if (auto it = r.living.find(name.context); it != r.living.end())
        it->second.given_up.emplace_back(kind, name.id);
}

} // namespace lathe::gl
