// SPDX-License-Identifier: MIT
// Objects of the caller's that graphs keep.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/graph.h"

#include <climits>

using namespace lathe::soft;

namespace {

void require_count(unsigned count) {
    require(count > 0 && count <= INT_MAX, CUDA_ERROR_INVALID_VALUE,
            "references must be 1 or more");
}

std::shared_ptr<UserObject> user_object(CUuserObject handle) {
    auto found = Objects<UserObject>::instance().find(handle);
    require(found != nullptr, CUDA_ERROR_INVALID_VALUE, "unknown user object");
    return found;
}

} // namespace

extern "C" {

CUresult cuUserObjectCreate(CUuserObject* made, void* data, CUhostFn end, unsigned references,
                            unsigned flags) {
    return entry([&] {
        require_pointer(made);
        require_pointer(reinterpret_cast<const void*>(end));
        require_count(references);
        require(flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, CUDA_ERROR_INVALID_VALUE,
                "flags must be CU_USER_OBJECT_NO_DESTRUCTOR_SYNC");
        auto object = std::make_shared<UserObject>(data, end, references);
        *made = reinterpret_cast<CUuserObject>(Objects<UserObject>::instance().add(object));
    });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
    return entry([&] {
        require_count(count);
        user_object(object)->retain(count);
    });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
    return entry([&] {
        require_count(count);
        user_object(object)->release(count);
    });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                 unsigned flags) {
    return entry([&] {
        require_count(count);
        require((flags & ~CU_GRAPH_USER_OBJECT_MOVE) == 0, CUDA_ERROR_INVALID_VALUE,
                "unknown flag");
        graph_of(graph)->keep(std::make_shared<UserReferences>(
            user_object(object), count, (flags & CU_GRAPH_USER_OBJECT_MOVE) != 0));
    });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    return entry([&] {
        require_count(count);
        graph_of(graph)->let_go(*user_object(object), count);
    });
}

} // extern "C"
