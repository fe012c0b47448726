// SPDX-License-Identifier: MIT
// Loaded code: its kernels, instances of its templates, its texture and surface references.
#include "engine/live/build.h"
#include "gpu/driver/check.h"
#include "gpu/nvrtc.h"
#include "python/bind/cuda/module.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/signature.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace lathe::bind {

gpu::CompileResult compiled(const KernelSource& source) {
    if (std::string problem = gpu::nvrtc_problem(); !problem.empty()) { // PyCUDA users catch this
        gpu::CompileResult nothing;
        nothing.log = std::move(problem);
        throw gpu::CompileError{nothing};
    }
    return gpu::compile_or_throw(request_of(source));
}

LoadedModule::LoadedModule(KernelSource source, DeclaredReferences declared)
    : module_{compiled(source)}, source_{std::move(source)}, declared_{std::move(declared)} {}

LoadedModule::~LoadedModule() {
    const WithoutGil release; // the driver waits for work that may wait for Python
    instances_.clear();
    module_ = {};
}

gpu::Kernel LoadedModule::kernel(const std::string& name) {
    if (auto found = module_.find_kernel(name)) return *found;
    const auto known = instances_.find(name);
    if (known != instances_.end()) return known->second.kernel;
    if (!source_) return module_.kernel(name);
    gpu::CompileRequest request = request_of(*source_);
    request.name_expressions = {name};
    const gpu::CompileResult result = gpu::compile(request);
    const auto lowered = result.lowered_names.find(name);
    if (!result.ok || lowered == result.lowered_names.end()) return module_.kernel(name);
    if (auto found = module_.find_kernel(lowered->second)) return *found;
    gpu::Module module{result};
    const gpu::Kernel kernel = module.kernel(lowered->second);
    for (const auto& reference : references_.references()) connect(*reference, module);
    instances_.emplace(name, Instance{std::move(module), kernel});
    return kernel;
}

const DeclaredReference* LoadedModule::declared(const std::string& name, bool is_surface) const {
    const auto found = declared_.find(name);
    return found != declared_.end() && found->second.is_surface == is_surface ? &found->second
                                                                              : nullptr;
}

// The compiler leaves out a variable that no kernel uses.
void LoadedModule::connect(gpu::ObjectReference& reference, const gpu::Module& module) const {
    const auto variable = module.find_global(reference.name());
    if (variable && variable->bytes() == sizeof(std::uint64_t))
        reference.add_variable(variable->address());
}

void LoadedModule::add_reference(const std::shared_ptr<gpu::ObjectReference>& reference,
                                 const char* routine) {
    const std::string& name = reference->name();
    const bool is_texture = routine == std::string_view{"cuModuleGetTexRef"};
    if (!declared(name, !is_texture)) {
        const auto variable = module_.find_global(name);
        if (declared(name, is_texture) || !variable || variable->bytes() != sizeof(std::uint64_t)) {
            std::string known;
            for (const auto& [other, declaration] : declared_)
                if (declaration.is_surface != is_texture)
                    known += (known.empty() ? "" : ", ") + other;
            throw gpu::Error{routine, CUDA_ERROR_NOT_FOUND,
                             fmt::format("{} {}; the source declares {}",
                                         is_texture ? "texture" : "surface", name,
                                         known.empty() ? "none" : known)};
        }
    }
    connect(*reference, module_);
    for (const auto& [_, instance] : instances_) connect(*reference, instance.module);
    references_.add(reference);
}

std::shared_ptr<PyTextureReference> LoadedModule::texture_reference(const std::string& name) {
    auto& kept = textures_[name];
    if (kept) return kept;
    auto reference = std::make_shared<gpu::TextureReference>(name);
    add_reference(reference, "cuModuleGetTexRef");
    if (const DeclaredReference* d = declared(name, false)) {
        if (d->format) reference->set_format(*d->format, d->channels);
        if (d->reads_elements) reference->set_declared_read_as_integer(*d->reads_elements);
    }
    return kept = std::make_shared<PyTextureReference>(std::move(reference));
}

std::shared_ptr<PySurfaceReference> LoadedModule::surface_reference(const std::string& name) {
    auto& kept = surfaces_[name];
    if (kept) return kept;
    auto reference = std::make_shared<gpu::SurfaceReference>(name);
    add_reference(reference, "cuModuleGetSurfRef");
    return kept = std::make_shared<PySurfaceReference>(std::move(reference));
}

void LoadedModule::update_references(gpu::StreamView stream) {
    if (references_.must_wait(stream)) {
        const GilRelease release; // the work may have functions of Python's in it
        gpu::Context::ensure_current().synchronize();
    }
    references_.update(stream);
}

py::object LoadedModule::kept_for_graph() {
    using Kept = std::pair<std::shared_ptr<LoadedModule>, std::vector<std::shared_ptr<const void>>>;
    return py::capsule{new Kept{shared_from_this(), references_.bound()},
                       [](void* kept) { delete static_cast<Kept*>(kept); }};
}

std::optional<Signature> LoadedModule::signature(const std::string& name) const {
    return source_ ? signature_from_source(*source_, name) : std::nullopt;
}

} // namespace lathe::bind
