// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/cleanup.h"

#include "gpu/soft/drv/array.h"
#include "gpu/soft/drv/context.h"
#include "gpu/soft/drv/graph_memory.h"
#include "gpu/soft/drv/graphics_gl.h"
#include "gpu/soft/drv/ipc.h"
#include "gpu/soft/drv/linker.h"
#include "gpu/soft/drv/memory.h"
#include "gpu/soft/drv/module.h"
#include "gpu/soft/drv/texture.h"
#include "gpu/soft/drv/texture_reference.h"

namespace lathe::soft {

void release_objects_of(const Context& context) {
    auto mine = [&](const auto& object) { return object.context == &context; };
    Objects<Event>::instance().remove_if(mine);
    Objects<Stream>::instance().remove_if(mine);
    Objects<GraphicsResource>::instance().remove_if(mine);
    Objects<TextureReference>::instance().remove_if(mine);
    Objects<SurfaceReference>::instance().remove_if(mine);
    Objects<Function>::instance().remove_if(mine);
    Objects<Module>::instance().remove_if(mine);
    Objects<LinkState>::instance().remove_if(mine);
    Objects<TextureObject>::instance().remove_if(mine);
    Objects<SurfaceObject>::instance().remove_if(mine);
    Objects<MipmappedArray>::instance().remove_if(mine);
    Objects<Array>::instance().remove_if(mine);
    close_memory_of(context);
    GraphMemory::end_of(context);
    for (const Allocation& a : Registry::instance().of_context(&context)) {
        switch (a.kind) {
        case Allocation::Kind::device:
        case Allocation::Kind::managed:
        case Allocation::Kind::pinned: release(a.begin); break;
        case Allocation::Kind::registered:
        case Allocation::Kind::foreign: Registry::instance().remove(a.begin); break;
        default: break; // arrays and variables go with their objects
        }
    }
}

} // namespace lathe::soft
