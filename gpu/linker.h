// SPDX-License-Identifier: MIT
// Modules made of parts: PTX, CUBINs and libraries that use each other's functions and variables,
// such as sources compiled with -rdc=true.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/module.h"

#include <cuda.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace lathe::gpu {

namespace detail {
class JitOptions;
struct LATHE_API LinkTraits {
    using Type = InContext<CUlinkState>;
    static constexpr Type null{};
    static void destroy(Type link) noexcept;
};
} // namespace detail

/// One link in the current context: add what belongs to it, then complete it once. All calls are
/// synchronous and throw gpu::Error with the linker's words.
class LATHE_API Linker {
public:
    Linker() noexcept; ///< empty
    /// (cuLinkCreate)
    explicit Linker(std::span<const JitOption> options, bool verbose = false);
    Linker(Linker&&) noexcept;
    Linker& operator=(Linker&&) noexcept;
    ~Linker();

    /// The data is copied. `name` is used in messages. (cuLinkAddData)
    void add(CUjitInputType type, std::span<const std::byte> data, const std::string& name);
    /// (cuLinkAddFile)
    void add_file(CUjitInputType type, const std::filesystem::path& file);
    /// The image, which lives as long as this object. (cuLinkComplete)
    std::span<const std::byte> complete();
    /// What the linker said so far.
    JitLog log() const;

private:
    CUlinkState get() const;
    [[noreturn]] void fail(const char* routine, CUresult code, const std::string& detail) const;

    std::unique_ptr<detail::JitOptions> options_; // outlives the link, which writes to it
    Handle<detail::LinkTraits> handle_;
    bool complete_ = false;
};

} // namespace lathe::gpu
