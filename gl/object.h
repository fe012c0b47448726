// SPDX-License-Identifier: MIT
// How GL objects die: in their own context. A name remembers its context's serial; given up
// elsewhere (another thread, another context current) it waits for that context's next frame,
// and a name whose context is gone went with it.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"

#include <cstdint>

namespace lathe::gl {

enum class Kind { buffer, texture, framebuffer, vertex_array, program, query };

struct Name {
    unsigned id = 0;
    std::uint32_t context = 0;
    bool operator==(const Name&) const = default;
};

/// Names `id` as an object of the current context. Throws gl::Error where there is none.
LATHE_API Name name_here(unsigned id);
/// False for 0 and for the serials of contexts that are gone.
LATHE_API bool is_living(std::uint32_t serial) noexcept;
/// Deletes now, later or never, as above.
LATHE_API void destroy(Kind kind, Name name) noexcept;

template <Kind kind> struct ObjectTraits {
    using Type = Name;
    static constexpr Type null{};
    static void destroy(Type name) noexcept { gl::destroy(kind, name); }
};
template <Kind kind> using Object = Handle<ObjectTraits<kind>>;

} // namespace lathe::gl
