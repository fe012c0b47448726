// SPDX-License-Identifier: MIT
// Loaded modules, as PyCUDA's driver module has them.
#pragma once

#include "engine/live/kernel_build.h"
#include "gpu/module.h"
#include "python/bind/cuda/texture_reference.h"
#include "python/bind/kernel/arguments.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace lathe::bind {

/// `texture<...> name;` or `surface<...> name;` of a source.
struct DeclaredReference {
    bool is_surface = false;
    std::optional<CUarray_format> format; ///< of its elements, where the type is a known one
    unsigned channels = 1;
    std::optional<bool> reads_elements; ///< cudaReadModeElementType, where it is said
};
using DeclaredReferences = std::map<std::string, DeclaredReference>;

/// Loaded code, and the source where it was compiled here: types of parameters and instances of
/// templates are looked up in it when they are asked for.
class LoadedModule : public std::enable_shared_from_this<LoadedModule> {
public:
    explicit LoadedModule(gpu::Module module) : module_{std::move(module)} {}
    explicit LoadedModule(KernelSource source, DeclaredReferences declared = {});

    ~LoadedModule();

    /// Also "scale<float>" where the source is known: compiled for it once more.
    gpu::Kernel kernel(const std::string& name);
    gpu::DeviceSpan<std::byte> global(const std::string& name) const {
        return module_.global(name);
    }
    std::optional<Signature> signature(const std::string& name) const;
    const std::optional<KernelSource>& source() const { return source_; }
    /// The module that has the kernel.
    const gpu::Module& code_of(const std::string& name) const {
        const auto instance = instances_.find(name);
        return instance == instances_.end() ? module_ : instance->second.module;
    }

    /// The same object at each call. Throw gpu::Error where there is no such reference.
    std::shared_ptr<PyTextureReference> texture_reference(const std::string& name);
    std::shared_ptr<PySurfaceReference> surface_reference(const std::string& name);
    /// Before each launch of one of its kernels.
    void update_references(gpu::StreamView stream);
    bool has_references() const { return !references_.empty(); }
    /// For a graph with such a launch: this and what its references show.
    py::object kept_for_graph();

private:
    void add_reference(const std::shared_ptr<gpu::ObjectReference>& reference, const char* routine);
    const DeclaredReference* declared(const std::string& name, bool is_surface) const;
    void connect(gpu::ObjectReference& reference, const gpu::Module& module) const;

    gpu::Module module_;
    std::optional<KernelSource> source_;
    DeclaredReferences declared_;
    gpu::ReferenceTable references_;
    std::map<std::string, std::shared_ptr<PyTextureReference>> textures_;
    std::map<std::string, std::shared_ptr<PySurfaceReference>> surfaces_;
    struct Instance {
        gpu::Module module;
        gpu::Kernel kernel;
    };
    std::map<std::string, Instance> instances_; ///< of templates, by name
};

/// Throws CompileError, also where there is no compiler.
gpu::CompileResult compiled(const KernelSource& source);

} // namespace lathe::bind
