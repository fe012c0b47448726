// SPDX-License-Identifier: MIT
// Where a kernel that Python calls comes from: a loaded module, a source that is loaded in each
// context that launches it, or a slot of an App, which is edited while it runs.
#pragma once

#include "engine/live/kernel_build.h"
#include "gpu/context.h"
#include "gpu/gpu.h"
#include "gpu/module.h"
#include "gpu/stream.h"
#include "python/bind/kernel/arguments.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace lathe {
class App;
class KernelSlot;
class LaunchWatch;
} // namespace lathe

namespace lathe::bind {

class LoadedModule;

/// Where a launch runs.
struct LaunchPlace {
    gpu::Context context;
    gpu::StreamView stream;
};

/// Of a kernel at one time.
struct KernelStamp {
    std::uint64_t version = 0;    ///< another one: other code; none: nothing can be launched
    std::uint64_t parameters = 0; ///< another one: the source's declarations were read anew
    bool operator==(const KernelStamp&) const = default;
};

/// Used under the GIL.
class KernelOrigin {
public:
    virtual ~KernelOrigin() = default;

    /// Of what a launch by this thread would run. A source that this thread's context has not seen
    /// is compiled and loaded: throws CompileError.
    virtual KernelStamp stamp() = 0;
    /// Throws Error where there is no such kernel, or no version runs.
    virtual gpu::Kernel kernel() = 0;
    /// Keeps the running version loaded.
    virtual std::shared_ptr<const void> version() = 0;
    /// As the source spells it; empty while none compiles.
    virtual std::string name() = 0;
    /// From the source, without the GIL: tens of milliseconds. Nothing where there is no source.
    virtual std::optional<Signature> read_signature() = 0;
    /// What the running version was compiled from. Nothing where there is no source.
    virtual std::optional<KernelSource> source() = 0;
    /// The running version; valid while version() is kept.
    virtual const gpu::Module& code() = 0;
    /// Another kernel of the same code.
    virtual std::unique_ptr<KernelOrigin> sibling(const std::string& name) = 0;

    /// Values have to be of the types that the source declares, and parameters have names. Else
    /// only Python's own numbers need the types, as in PyCUDA.
    virtual bool is_strict() const { return true; }
    /// Where launches run that name no stream, if this is known.
    virtual std::optional<LaunchPlace> place() { return {}; }
    /// The values of parameters that a launch does not give; may be null.
    virtual ParameterSet* parameters() { return nullptr; }
    /// A launch at place() is next.
    virtual void begin_launch() {}
    /// Of a launch: true where somebody else tells of it, and the program goes on.
    virtual bool takes_fault(const gpu::Error&) { return false; }
    virtual KernelSlot* slot() { return nullptr; }
    /// Who is to make the next launch in its place, to tell what it does; mostly null.
    virtual LaunchWatch* watch() { return nullptr; }
    /// With texture references that have to follow each launch; mostly null, and always the same.
    virtual LoadedModule* module() { return nullptr; }
};

/// The kernel's source. Throws Error where there is none: `consequence` says what that rules out.
KernelSource known_source(KernelOrigin& origin, std::string_view consequence);

/// Of a module. Throws gpu::Error where it has no such kernel.
std::unique_ptr<KernelOrigin> kernel_of(std::shared_ptr<LoadedModule> module, std::string name);
/// Compiled here, and once more in each other context that launches it; throws CompileError, and
/// Error where the source has no kernel `source.entry`.
std::unique_ptr<KernelOrigin> kernel_of(KernelSource source);
/// Live: what the slot runs at each launch.
std::unique_ptr<KernelOrigin> kernel_of(std::shared_ptr<App> app, KernelSlot& slot,
                                        std::string name);

} // namespace lathe::bind
