// SPDX-License-Identifier: MIT
#include "python/bind/kernel/origin.h"

#include "engine/app/app.h"
#include "engine/interop/frame_map.h"
#include "engine/live/build.h"
#include "engine/live/kernel_slot.h"
#include "gpu/compiler.h"
#include "python/bind/cuda/module.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

class ModuleKernel final : public KernelOrigin {
public:
    ModuleKernel(std::shared_ptr<LoadedModule> module, std::string name)
        : module_{std::move(module)}, name_{std::move(name)}, kernel_{module_->kernel(name_)} {}

    KernelStamp stamp() override { return {1, 1}; }
    gpu::Kernel kernel() override { return kernel_; }
    std::shared_ptr<const void> version() override { return module_; }
    std::string name() override { return name_; }
    std::optional<Signature> read_signature() override {
        const GilRelease release;
        return module_->signature(name_);
    }
    std::optional<KernelSource> source() override { return module_->source(); }
    const gpu::Module& code() override { return module_->code_of(name_); }
    std::unique_ptr<KernelOrigin> sibling(const std::string& name) override {
        return std::make_unique<ModuleKernel>(module_, name);
    }
    bool is_strict() const override { return false; }
    LoadedModule* module() override { return module_.get(); }

private:
    std::shared_ptr<LoadedModule> module_;
    std::string name_;
    gpu::Kernel kernel_;
};

/// One source, loaded in each context that a launch comes from.
class SourceVersions {
public:
    explicit SourceVersions(KernelSource source) : source_{std::move(source)} {}

    struct Loaded {
        std::uint64_t number = 0;
        gpu::Context context;
        std::shared_ptr<const LoadedKernels> kernels;
    };
    /// That of the calling thread's context; valid until the next call.
    const Loaded& here() {
        const gpu::Context context = gpu::Context::ensure_current();
        for (const Loaded& each : loaded_) // mostly one
            if (each.context == context) return each;
        KernelBuild build;
        {
            const GilRelease release;
            build = build_kernel(source_, Effort::full);
        }
        if (!build.loaded) {
            gpu::CompileResult failed;
            failed.log = build.log;
            failed.diagnostics = build.diagnostics;
            throw gpu::CompileError{failed};
        }
        std::erase_if(loaded_, [](const Loaded& each) { return !each.context.is_alive(); });
        loaded_.push_back({++count_, context, build.loaded});
        return loaded_.back();
    }

private:
    KernelSource source_;
    std::vector<Loaded> loaded_;
    std::uint64_t count_ = 0;
};

class SourceKernel final : public KernelOrigin {
public:
    SourceKernel(std::shared_ptr<SourceVersions> versions, std::string name)
        : versions_{std::move(versions)}, name_{std::move(name)} {
        if (name_.empty()) name_ = versions_->here().kernels->first;
        (void)kernel();
    }

    KernelStamp stamp() override { return {versions_->here().number, 1}; }
    gpu::Kernel kernel() override {
        const auto version = versions_->here().kernels;
        const auto found = version->kernels.find(name_);
        if (found != version->kernels.end()) return found->second;
        std::vector<std::string> names;
        for (const auto& [name, kernel] : version->kernels) names.push_back(name);
        throw Error{
            fmt::format("the source has no kernel '{}'; it has {}", name_, fmt::join(names, ", "))};
    }
    std::shared_ptr<const void> version() override { return versions_->here().kernels; }
    std::string name() override { return name_; }
    std::optional<Signature> read_signature() override {
        const auto version = versions_->here().kernels;
        const GilRelease release;
        return signature_from_source(version->source, name_);
    }
    std::optional<KernelSource> source() override { return versions_->here().kernels->source; }
    const gpu::Module& code() override { return versions_->here().kernels->module; }
    std::unique_ptr<KernelOrigin> sibling(const std::string& name) override {
        return std::make_unique<SourceKernel>(versions_, name);
    }

private:
    std::shared_ptr<SourceVersions> versions_;
    std::string name_;
};

class LiveKernel final : public KernelOrigin {
public:
    LiveKernel(std::shared_ptr<App> app, KernelSlot& slot, std::string name)
        : app_{std::move(app)}, slot_{slot}, name_{std::move(name)} {}

    KernelStamp stamp() override {
        // Without a window nobody can mend the source: kernel() says what is wrong.
        if (!slot_.ready() && !app_->window().headless()) return {};
        return {1 + slot_.generation(), slot_.parameters_version()};
    }
    gpu::Kernel kernel() override { return name_.empty() ? slot_.kernel() : slot_.kernel(name_); }
    std::shared_ptr<const void> version() override { return slot_.loaded(); }
    std::string name() override {
        if (!name_.empty()) return name_;
        const auto running = slot_.loaded();
        if (!running) return {};
        return running->entry();
    }
    std::optional<Signature> read_signature() override {
        const auto running = slot_.loaded();
        const std::string wanted = name();
        if (!running) return {};
        const GilRelease release;
        return signature_from_source(running->source, wanted);
    }
    std::optional<KernelSource> source() override {
        const auto running = slot_.loaded();
        return running ? std::optional{running->source} : std::nullopt;
    }
    const gpu::Module& code() override {
        (void)kernel(); // throws where no version runs
        return slot_.loaded()->module;
    }
    std::unique_ptr<KernelOrigin> sibling(const std::string& name) override {
        auto made = std::make_unique<LiveKernel>(app_, slot_, name);
        if (slot_.ready()) (void)made->kernel();
        return made;
    }
    std::optional<LaunchPlace> place() override {
        return LaunchPlace{app_->frame_map()->cuda(), app_->stream()};
    }
    ParameterSet* parameters() override { return &app_->parameters(); }
    void begin_launch() override { app_->note_work(); }
    bool takes_fault(const gpu::Error& error) override { return app_->report_fault(error); }
    KernelSlot* slot() override { return &slot_; }
    LaunchWatch* watch() override { return app_->launch_watch(slot_, name_); }

private:
    std::shared_ptr<App> app_;
    KernelSlot& slot_;
    std::string name_;
};

} // namespace

KernelSource known_source(KernelOrigin& origin, std::string_view consequence) {
    const std::string name = origin.name();
    std::optional<KernelSource> source = origin.source();
    if (!source)
        throw Error{fmt::format("{}: its source is not known, so that {}",
                                name.empty() ? "this kernel" : name, consequence)};
    return std::move(*source);
}

std::unique_ptr<KernelOrigin> kernel_of(std::shared_ptr<LoadedModule> module, std::string name) {
    return std::make_unique<ModuleKernel>(std::move(module), std::move(name));
}

std::unique_ptr<KernelOrigin> kernel_of(KernelSource source) {
    std::string name = source.entry;
    return std::make_unique<SourceKernel>(std::make_shared<SourceVersions>(std::move(source)),
                                          std::move(name));
}

std::unique_ptr<KernelOrigin> kernel_of(std::shared_ptr<App> app, KernelSlot& slot,
                                        std::string name) {
    return std::make_unique<LiveKernel>(std::move(app), slot, std::move(name));
}

} // namespace lathe::bind
