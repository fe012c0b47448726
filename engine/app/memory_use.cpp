// SPDX-License-Identifier: MIT
#include "engine/app/memory_use.h"

#include "engine/app/app.h"
#include "engine/app/history.h"
#include "gpu/array/array.h"
#include "gpu/context.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace lathe {

std::vector<MemoryUse> memory_use(App& app) {
    std::vector<MemoryUse> uses;
    std::size_t known = 0;
    const auto add = [&](std::string owner, std::size_t bytes) {
        if (bytes == 0) return;
        uses.push_back({std::move(owner), bytes});
        known += bytes;
    };
    for (const auto& [name, memory] : app.memories())
        std::visit(
            [&, &name = name](const auto& each) {
                using Memory = std::decay_t<decltype(each)>;
                const bool is_array = std::is_same_v<Memory, gpu::Array>;
                add((is_array ? "array " : "texture ") + name, each.bytes());
            },
            memory);
    add("copies that are drawn", app.bytes_of_copies());
    add("history", app.history().timeline().bytes());
    const gpu::Context context = gpu::Context::current();
    const gpu::PoolCounts pool = gpu::pool_of(context)->counts();
    add("other arrays", pool.active_bytes);
    add("kept for new arrays", pool.managed_bytes - pool.active_bytes);
    const gpu::MemoryInfo device = context.memory();
    const std::size_t used = device.total_bytes - device.free_bytes;
    add("code, contexts, OpenGL, other programs", used > known ? used - known : 0);
    return uses;
}

} // namespace lathe
