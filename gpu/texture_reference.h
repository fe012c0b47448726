// SPDX-License-Identifier: MIT
// Texture and surface references, which CUDA 12 took away: state that is set by and by, and an
// object made of it whose handle a variable of the module holds. Sources with `texture<...> name;`
// become sources with such variables (gpu/kernels/lathe_references.hpp).
#pragma once

#include "engine/core/api.h"
#include "gpu/event.h"
#include "gpu/texture.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace lathe::gpu {

/// What kernels read through a reference, with the memory it must not outlive.
struct LATHE_API BoundObject {
    TextureObject texture;
    SurfaceObject surface;
    std::shared_ptr<const void> memory;

    std::uint64_t handle() const noexcept { return texture ? texture.get() : surface.get(); }
};

/// A variable that holds a handle. Not thread-safe: the launches of one module are not, either.
class LATHE_API ObjectReference {
public:
    explicit ObjectReference(std::string name) : name_{std::move(name)} {}
    virtual ~ObjectReference() = default;
    ObjectReference(const ObjectReference&) = delete;
    ObjectReference& operator=(const ObjectReference&) = delete;

    const std::string& name() const noexcept { return name_; }
    /// An address in a module, of 8 bytes; without one no kernel sees the reference.
    void add_variable(CUdeviceptr variable);

protected:
    void change() noexcept { changed_ = true; }

private:
    friend class ReferenceTable;
    virtual BoundObject make() const = 0; ///< from the state; empty where nothing is bound

    std::string name_;
    std::vector<CUdeviceptr> variables_;
    bool changed_ = false;
    std::shared_ptr<const BoundObject> current_ = std::make_shared<BoundObject>();
    std::set<std::uint64_t> in_graphs_; ///< handles that a graph may have written
};

class LATHE_API TextureReference : public ObjectReference {
public:
    using ObjectReference::ObjectReference;

    void set_array(std::shared_ptr<const CudaArray> array);
    /// `memory` is what `linear` lies in. With one dimension its elements are those of set_format.
    void set_linear(const LinearTexture& linear, std::shared_ptr<const void> memory);
    void set_format(CUarray_format format, unsigned channels);
    void set_config(const TextureConfig& config);
    /// The source's `cudaReadModeElementType` and `cudaReadModeNormalizedFloat` win over the flag
    /// in `config`, which other kinds of reads would take for bits.
    void set_declared_read_as_integer(bool value);

    const TextureConfig& config() const noexcept { return config_; }
    CUarray_format format() const noexcept { return format_; }
    unsigned channels() const noexcept { return channels_; }
    /// Where linear memory is bound, else 0.
    CUdeviceptr address() const noexcept;

private:
    BoundObject make() const override;

    std::variant<std::monostate, std::shared_ptr<const CudaArray>, LinearTexture> source_;
    std::shared_ptr<const void> memory_;
    TextureConfig config_;
    std::optional<bool> declared_read_as_integer_;
    CUarray_format format_ = CU_AD_FORMAT_FLOAT;
    unsigned channels_ = 1;
};

class LATHE_API SurfaceReference : public ObjectReference {
public:
    using ObjectReference::ObjectReference;
    void set_array(std::shared_ptr<const CudaArray> array);

private:
    BoundObject make() const override;
    std::shared_ptr<const CudaArray> array_;
};

/// The references of one module.
class LATHE_API ReferenceTable {
public:
    ReferenceTable() = default;
    ReferenceTable(const ReferenceTable&) = delete;
    ReferenceTable& operator=(const ReferenceTable&) = delete;
    ~ReferenceTable(); ///< waits for the kernels that read through them

    bool empty() const noexcept { return references_.empty(); }
    void add(std::shared_ptr<ObjectReference> reference);
    const std::vector<std::shared_ptr<ObjectReference>>& references() const { return references_; }
    /// Before each launch: makes the objects of what changed and writes their handles in the order
    /// of `stream`. Waits for the context's work where a change or its readers are on another
    /// stream. Where `stream` captures, the graph writes all handles before its kernel, so that the
    /// kernel always sees what is bound now: keep bound() as long as the graph. Graphs and launches
    /// that are bound to different memory must not run at the same time.
    /// Throws gpu::Error that names the reference, before anything is captured.
    void update(StreamView stream);
    /// Whether update() has to wait for the context's work, which may wait for who calls it.
    bool must_wait(StreamView stream) const;
    /// What kernels see after update().
    std::vector<std::shared_ptr<const void>> bound() const;

private:
    using Objects = std::vector<std::shared_ptr<const BoundObject>>;
    struct Retired {
        Event passed;
        Objects objects;
    };
    struct Changes {
        bool changed = false;
        bool by_graphs = false; ///< the variables may hold other handles
    };
    Changes changes() const;
    bool by_others(std::uint64_t stream, bool changed) const;
    void capture(StreamView stream);
    Objects renew();
    void release_passed();

    std::vector<std::shared_ptr<ObjectReference>> references_;
    std::set<std::uint64_t> streams_; ///< that have launched since the last change
    std::vector<Retired> retired_;
    Objects replaced_; ///< in captures: kernels may still read them
    Context context_;
};

} // namespace lathe::gpu
