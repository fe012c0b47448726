// SPDX-License-Identifier: MIT
// The linker.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/link_input.h"
#include "gpu/soft/drv/linker.h"
#include "gpu/soft/rt/fault.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace lathe::soft;

namespace {

/// Adds what the bytes hold; why not goes into the error log, too.
void add(LinkState& state, CUjitInputType type, std::string_view bytes, const std::string& name) {
    require(type >= 0 && type < CU_JIT_NUM_INPUT_TYPES, CUDA_ERROR_INVALID_VALUE,
            "unknown type of input");
    std::vector<LinkPart> parts;
    try {
        if (type > CU_JIT_INPUT_LIBRARY)
            fail(CUDA_ERROR_NOT_SUPPORTED,
                 fmt::format("{}: the software device links PTX, not intermediate code (compile it "
                             "without -dlto)",
                             name));
        if (type == CU_JIT_INPUT_CUBIN && bytes.starts_with("\x7f\x45\x4c\x46"))
            fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                 fmt::format("{} is GPU machine code; the software device takes PTX", name));
        parts = link_parts(bytes, name);
    } catch (const Failure& failure) {
        state.log_error(failure.text + "\n");
        throw;
    }
    for (LinkPart& part : parts) state.add(std::move(part.name), part.ptx);
}

std::string contents_of(const char* path) {
    std::error_code error;
    std::ifstream file;
    if (!std::filesystem::is_directory(path, error)) file.open(path, std::ios::binary);
    require(file.is_open(), CUDA_ERROR_FILE_NOT_FOUND, path);
    return {std::istreambuf_iterator<char>{file}, {}};
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
        std::string copy(bytes, '\0');
        require(guarded_copy(copy.data(), data, bytes), CUDA_ERROR_INVALID_IMAGE,
                "the input cannot be read");
        add(*state, type, copy, name ? name : "<unnamed>");
    });
}

CUresult cuLinkAddFile(CUlinkState handle, CUjitInputType type, const char* path, unsigned count,
                       CUjit_option* options, void** values) {
    return in_context([&](Context&) {
        auto state = object<LinkState>(handle);
        require_pointer(path);
        JitOptions{count, options, values};
        add(*state, type, contents_of(path), path);
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
