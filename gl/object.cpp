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

struct Registry {
    std::mutex mutex;
    std::uint32_t last_serial = 0;
    std::map<std::uint32_t, std::vector<std::pair<Kind, unsigned>>> living;
};
/// Never destroyed: objects with static lifetime may die after every other static.
Registry& registry() {
    static Registry* r = new Registry;
    return *r;
}

void delete_now(Kind kind, unsigned id) noexcept {
    switch (kind) {
    case Kind::buffer:
        glDeleteBuffers(1, &id);
        break;
    case Kind::texture:
        glDeleteTextures(1, &id);
        break;
    case Kind::framebuffer:
        glDeleteFramebuffers(1, &id);
        break;
    case Kind::vertex_array:
        glDeleteVertexArrays(1, &id);
        break;
    case Kind::program:
        glDeleteProgram(id);
        break;
    case Kind::query:
        glDeleteQueries(1, &id);
        break;
    }
}

} // namespace

std::uint32_t register_context() {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    r.living[++r.last_serial];
    return r.last_serial;
}

void unregister_context(std::uint32_t serial) noexcept {
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    r.living.erase(serial);
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
        if (auto it = r.living.find(serial); it != r.living.end()) names.swap(it->second);
    }
    for (auto [kind, id] : names) delete_now(kind, id);
}

Name name_here(unsigned id) { return {id, Context::require_current().serial()}; }

void destroy(Kind kind, Name name) noexcept {
    if (process_is_exiting()) return;
    if (const Context* here = Context::current(); here && here->serial() == name.context) {
        delete_now(kind, name.id);
        return;
    }
    Registry& r = registry();
    std::lock_guard lock{r.mutex};
    if (auto it = r.living.find(name.context); it != r.living.end())
        it->second.emplace_back(kind, name.id);
}

} // namespace lathe::gl
