// SPDX-License-Identifier: MIT
#include "gpu/context.h"

#include "gpu/driver/check.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace lathe::gpu {

namespace {

/// The contexts that Context::create made and nobody has destroyed, each with a number of its own.
class Lives {
public:
    void begin(CUcontext context) {
        std::lock_guard lock{mutex_};
        lives_[context] = ++last_;
    }
    /// False where it is not there.
    bool end(CUcontext context, unsigned life) {
        std::lock_guard lock{mutex_};
        const auto found = lives_.find(context);
        if (found == lives_.end() || found->second != life) return false;
        lives_.erase(found);
        return true;
    }
    /// 0 for contexts of others.
    unsigned of(CUcontext context) {
        if (last_ == 0) return 0; // the usual case
        std::lock_guard lock{mutex_};
        const auto found = lives_.find(context);
        return found == lives_.end() ? 0 : found->second;
    }

private:
    std::mutex mutex_;
    std::map<CUcontext, unsigned> lives_;
    std::atomic<unsigned> last_{0};
};

Lives& lives() {
    static auto* const all = new Lives; // destructors of static objects may ask
    return *all;
}

/// Who may use whose memory.
struct Peers {
    std::mutex mutex;
    std::set<std::pair<CUcontext, CUcontext>> open;
};

Peers& peers() {
    static auto* const all = new Peers;
    return *all;
}

} // namespace

Context Context::wrap(CUcontext context) noexcept {
    Context c;
    c.context_ = context;
    c.life_ = lives().of(context);
    return c;
}

Context Context::create(const Device& device, unsigned flags) {
    CUcontext context = nullptr;
    CU_TRY(cuCtxCreate(&context, flags, device.get()), "{}", device.name());
    lives().begin(context);
    return wrap(context);
}

void Context::destroy() const {
    if (life_ == 0 || !lives().end(context_, life_))
        throw Error{"cuCtxDestroy", CUDA_ERROR_INVALID_CONTEXT,
                    life_ ? "it was destroyed before" : "Context::create did not make it"};
    {
        std::lock_guard lock{peers().mutex};
        std::erase_if(peers().open, [this](const auto& pair) {
            return pair.first == context_ || pair.second == context_;
        });
    }
    CU_TRY(cuCtxDestroy(context_));
}

bool Context::is_alive() const noexcept { return life_ == 0 || lives().of(context_) == life_; }

Context Context::primary(const Device& device) {
    static std::mutex mutex;
    static std::map<CUdevice, CUcontext> retained;
    std::lock_guard lock{mutex};
    CUcontext& context = retained[device.get()];
    if (!context) CU_TRY(cuDevicePrimaryCtxRetain(&context, device.get()), "{}", device.name());
    return wrap(context);
}

Context Context::current() {
    CUcontext context = nullptr;
    CU_TRY(cuCtxGetCurrent(&context));
    return wrap(context);
}

Context Context::ensure_current() {
    Context context = current();
    if (context) return context;
    context = primary();
    context.make_current();
    return context;
}

void Context::make_current() const { CU_TRY(cuCtxSetCurrent(context_)); }

void Context::push() const {
    if (!is_alive())
        throw Error{"cuCtxPushCurrent", CUDA_ERROR_INVALID_CONTEXT, "it was destroyed"};
    CU_TRY(cuCtxPushCurrent(context_));
}

Context Context::pop() {
    CUcontext context = nullptr;
    CU_TRY(cuCtxPopCurrent(&context));
    return wrap(context);
}

Device Context::device() const {
    const CurrentContext scope{*this};
    CUdevice device = 0;
    CU_TRY(cuCtxGetDevice(&device));
    return Device::wrap(device);
}

void Context::synchronize() const {
    const CurrentContext scope{*this};
    CU_TRY(cuCtxSynchronize());
}

MemoryInfo Context::memory() const {
    const CurrentContext scope{*this};
    MemoryInfo info;
    CU_TRY(cuMemGetInfo(&info.free_bytes, &info.total_bytes));
    return info;
}

void Context::enable_peer_access(const Context& peer, unsigned flags) const {
    if (!peer.is_alive())
        throw Error{"cuCtxEnablePeerAccess", CUDA_ERROR_INVALID_CONTEXT, "the peer was destroyed"};
    const CurrentContext scope{*this};
    CU_TRY(cuCtxEnablePeerAccess(peer.get(), flags), "flags {}", flags);
    std::lock_guard lock{peers().mutex};
    peers().open.emplace(context_, peer.get());
}

void Context::disable_peer_access(const Context& peer) const {
    if (!peer.is_alive())
        throw Error{"cuCtxDisablePeerAccess", CUDA_ERROR_INVALID_CONTEXT, "the peer was destroyed"};
    const CurrentContext scope{*this};
    CU_TRY(cuCtxDisablePeerAccess(peer.get()));
    std::lock_guard lock{peers().mutex};
    peers().open.erase({context_, peer.get()});
}

bool Context::has_peer_access(const Context& peer) const {
    {
        std::lock_guard lock{peers().mutex};
        if (peers().open.contains({context_, peer.get()})) return true;
    }
    // The driver tells only when asked to open it (its access flags of a pointer say "both" on an
    // H200 where a kernel faults).
    const CUresult asked = driver().cuCtxEnablePeerAccess(peer.get(), 0);
    if (asked == CUDA_SUCCESS) CU_TRY(cuCtxDisablePeerAccess(peer.get()));
    return asked == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CurrentContext::CurrentContext(const Context& context) {
    CUcontext present = nullptr;
    CU_TRY(cuCtxGetCurrent(&present));
    if (present == context.get()) return;
    context.push();
    pushed_ = true;
}

CurrentContext::~CurrentContext() {
    if (!pushed_ || !driver_is_usable()) return;
    CUcontext popped = nullptr;
    detail::log_failure("cuCtxPopCurrent", driver().cuCtxPopCurrent(&popped));
}

detail::ReleaseScope::ReleaseScope(const Context& context) noexcept
    : usable_{driver_is_usable() && context.is_alive()} {
    if (!usable_ || !context) return;
    CUcontext present = nullptr;
    pushed_ = driver().cuCtxGetCurrent(&present) == CUDA_SUCCESS && present != context.get() &&
              driver().cuCtxPushCurrent(context.get()) == CUDA_SUCCESS;
}

detail::ReleaseScope::~ReleaseScope() {
    CUcontext popped = nullptr;
    if (pushed_) driver().cuCtxPopCurrent(&popped);
}

} // namespace lathe::gpu
