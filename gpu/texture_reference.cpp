// SPDX-License-Identifier: MIT
#include "gpu/texture_reference.h"

#include "gpu/driver/check.h"
#include "gpu/memory.h"

#include <algorithm>

namespace lathe::gpu {
namespace {

/// Never used again, unlike the handle of a stream.
std::uint64_t id_of(StreamView stream) {
    if (!driver().cuStreamGetId) return reinterpret_cast<std::uintptr_t>(stream.get());
    unsigned long long id = 0;
    CU_TRY(cuStreamGetId(stream.get(), &id));
    return id;
}

bool is_integer(CUarray_format format) {
    return format != CU_AD_FORMAT_FLOAT && format != CU_AD_FORMAT_HALF;
}

} // namespace

void ObjectReference::add_variable(CUdeviceptr variable) {
    variables_.push_back(variable);
    changed_ = true;
}

void TextureReference::set_array(std::shared_ptr<const CudaArray> array) {
    format_ = array->config().format;
    channels_ = array->config().channels;
    memory_ = array;
    source_ = std::move(array);
    change();
}

void TextureReference::set_linear(const LinearTexture& linear, std::shared_ptr<const void> memory) {
    if (linear.height > 0) {
        format_ = linear.format;
        channels_ = linear.channels;
    }
    source_ = linear;
    memory_ = std::move(memory);
    change();
}

void TextureReference::set_format(CUarray_format format, unsigned channels) {
    format_ = format;
    channels_ = channels;
    change();
}

void TextureReference::set_config(const TextureConfig& config) {
    config_ = config;
    change();
}

void TextureReference::set_declared_read_as_integer(bool value) {
    declared_read_as_integer_ = value;
    config_.read_as_integer = value;
    change();
}

CUdeviceptr TextureReference::address() const noexcept {
    const auto* linear = std::get_if<LinearTexture>(&source_);
    return linear ? linear->address : 0;
}

BoundObject TextureReference::make() const {
    TextureConfig config = config_;
    config.read_as_integer =
        declared_read_as_integer_.value_or(config.read_as_integer) && is_integer(format_);
    if (!config.normalized_coordinates)
        for (CUaddress_mode& mode : config.address_mode) // as references do
            if (mode != CU_TR_ADDRESS_MODE_BORDER) mode = CU_TR_ADDRESS_MODE_CLAMP;
    if (const auto* array = std::get_if<std::shared_ptr<const CudaArray>>(&source_)) {
        if (!**array)
            throw Error{"cuTexObjectCreate", CUDA_ERROR_INVALID_HANDLE,
                        fmt::format("the array of texture {} was freed", name())};
        (*array)->require_current("cuTexObjectCreate");
        return {TextureObject{**array, config}, {}, memory_};
    }
    if (const auto* bound = std::get_if<LinearTexture>(&source_)) {
        LinearTexture linear = *bound;
        if (linear.height == 0) {
            const std::size_t bytes = linear.width * format_bytes(linear.format) * linear.channels;
            linear.format = format_;
            linear.channels = channels_;
            linear.width = bytes / (format_bytes(format_) * channels_);
            if (linear.width == 0)
                throw Error{"cuTexObjectCreate", CUDA_ERROR_INVALID_VALUE,
                            fmt::format("texture {} is bound to {} bytes, an element has {}",
                                        name(), bytes, format_bytes(format_) * channels_)};
        }
        return {TextureObject{linear, config}, {}, memory_};
    }
    return {};
}

void SurfaceReference::set_array(std::shared_ptr<const CudaArray> array) {
    array_ = std::move(array);
    change();
}

BoundObject SurfaceReference::make() const {
    if (!array_) return {};
    if (!*array_)
        throw Error{"cuSurfObjectCreate", CUDA_ERROR_INVALID_HANDLE,
                    fmt::format("the array of surface {} was freed", name())};
    array_->require_current("cuSurfObjectCreate");
    return {{}, SurfaceObject{*array_}, array_};
}

ReferenceTable::~ReferenceTable() {
    if (streams_.empty()) return;
    if (const detail::ReleaseScope scope{context_})
        driver().cuCtxSynchronize(); // what it says has been, or will be, said elsewhere
}

void ReferenceTable::add(std::shared_ptr<ObjectReference> reference) {
    references_.push_back(std::move(reference));
}

/// The objects that changed, made anew; returns the ones before. Nothing changes where it throws.
ReferenceTable::Objects ReferenceTable::renew() {
    Objects made;
    for (const auto& reference : references_)
        if (reference->changed_) made.push_back(std::make_shared<BoundObject>(reference->make()));
    std::size_t next = 0;
    for (const auto& reference : references_) {
        if (!reference->changed_) continue;
        reference->current_.swap(made[next++]);
        reference->changed_ = false;
    }
    return made;
}

ReferenceTable::Changes ReferenceTable::changes() const {
    Changes found;
    for (const auto& r : references_) {
        found.changed = found.changed || r->changed_;
        const std::size_t same = r->in_graphs_.count(r->current_->handle());
        found.by_graphs = found.by_graphs || r->in_graphs_.size() > same;
    }
    return found;
}

bool ReferenceTable::by_others(std::uint64_t stream, bool changed) const {
    if (!changed && streams_.contains(stream)) return false;
    return streams_.size() > (changed && streams_.contains(stream) ? 1u : 0u);
}

bool ReferenceTable::must_wait(StreamView stream) const {
    if (references_.empty() || stream.is_capturing()) return false;
    const auto [changed, by_graphs] = changes();
    return by_graphs || by_others(id_of(stream), changed);
}

void ReferenceTable::update(StreamView stream) {
    if (references_.empty()) return;
    if (stream.is_capturing()) {
        capture(stream);
        return;
    }
    const std::uint64_t id = id_of(stream);
    const auto [changed, by_graphs] = changes();
    if (!changed && !by_graphs && streams_.contains(id)) return;
    context_ = Context::ensure_current();
    if (by_graphs || by_others(id, changed)) context_.synchronize();
    if (changed) streams_.clear();
    streams_.insert(id);
    if (!changed && !by_graphs) return;

    std::vector<ObjectReference*> written;
    for (const auto& reference : references_)
        if (reference->changed_ || !reference->in_graphs_.empty())
            written.push_back(reference.get());
    Retired old{{}, renew()};
    for (const ObjectReference* reference : written) {
        const std::uint64_t handle = reference->current_->handle();
        for (const CUdeviceptr variable : reference->variables_)
            CU_TRY(cuMemcpyHtoDAsync(variable, &handle, sizeof handle, stream.get()),
                   "the handle of {}", reference->name_);
    }
    release_passed();
    old.objects.insert(old.objects.end(), replaced_.begin(), replaced_.end());
    replaced_.clear();
    old.passed = Event{EventConfig{.timing = false}};
    old.passed.record(stream);
    retired_.push_back(std::move(old));
}

// By fills, whose nodes hold the value itself.
void ReferenceTable::capture(StreamView stream) {
    Objects old = renew();
    replaced_.insert(replaced_.end(), old.begin(), old.end());
    for (const auto& reference : references_) {
        const std::uint64_t handle = reference->current_->handle();
        reference->in_graphs_.insert(handle);
        for (const CUdeviceptr variable : reference->variables_) {
            fill_units(variable, static_cast<std::uint32_t>(handle), 4, 1, stream);
            fill_units(variable + 4, static_cast<std::uint32_t>(handle >> 32), 4, 1, stream);
        }
    }
}

std::vector<std::shared_ptr<const void>> ReferenceTable::bound() const {
    std::vector<std::shared_ptr<const void>> all;
    for (const auto& reference : references_) all.emplace_back(reference->current_);
    return all;
}

void ReferenceTable::release_passed() {
    std::erase_if(retired_, [](const Retired& r) { return r.passed.done(); });
}

} // namespace lathe::gpu
