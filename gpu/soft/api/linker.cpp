// SPDX-License-Identifier: MIT
// The linker.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/linker.h"
#include "gpu/soft/drv/ptx_image.h"

using namespace lathe::soft;

namespace {

void require_ptx(LinkState& state, CUjitInputType type) {
    require(type >= 0 && type < CU_JIT_NUM_INPUT_TYPES, CUDA_ERROR_INVALID_VALUE,
            "unknown type of input");
    if (type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY) return;
    state.log_error("the software device links PTX, and PTX in fat binaries\n");
    fail(type == CU_JIT_INPUT_CUBIN ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_NOT_SUPPORTED,
         "the software device links PTX, and PTX in fat binaries");
}

} // namespace

extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    return in_context([&](Context& context) {
        require_pointer(state);
        auto made = std::make_shared<LinkState>(JitOptions{count, options, values});
        made->context = &context;
        *state = reinterpret_cast<CUlinkState>(Objects<LinkState>::instance().add(std::move(made)));
    });
}

// Options of one input speak of machine code: they are checked and change nothing.
CUresult cuLinkAddData(CUlinkState handle, CUjitInputType type, void* data, std::size_t bytes,
                       const char* name, unsigned count, CUjit_option* options, void** values) {
    return in_context([&](Context&) {
        auto state = object<LinkState>(handle);
        require_pointer(data);
        require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "the input is empty");
        JitOptions{count, options, values};
        require_ptx(*state, type);
        state->add(name ? name : "<unnamed>", ptx_of_image(data, bytes));
    });
}

CUresult cuLinkAddFile(CUlinkState handle, CUjitInputType type, const char* path, unsigned count,
                       CUjit_option* options, void** values) {
    return in_context([&](Context&) {
        auto state = object<LinkState>(handle);
        require_pointer(path);
        JitOptions{count, options, values};
        require_ptx(*state, type);
        state->add(path, ptx_of_file(path));
    });
}

CUresult cuLinkComplete(CUlinkState handle, void** image, std::size_t* bytes) {
    return in_context([&](Context&) {
        require_pointer(image);
        const std::string& linked = object<LinkState>(handle)->complete();
        *image = const_cast<char*>(linked.data());
        give(bytes, linked.size());
    });
}

CUresult cuLinkDestroy(CUlinkState handle) {
    return entry([&] {
        if (!Objects<LinkState>::instance().remove(handle)) fail(CUDA_ERROR_INVALID_HANDLE);
    });
}

} // extern "C"
