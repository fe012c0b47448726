// SPDX-License-Identifier: MIT
#include "gpu/array/kernel_cache.h"

#include "gpu/compiler.h"
#include "gpu/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace lathe::gpu {

namespace {

/// The kernels of one context; those of a context that was destroyed stay, unused.
struct ContextKernels {
    Context context;
    std::unordered_map<std::string, ArrayKernel> by_text; // whose elements stay where they are
    std::unordered_map<std::uint64_t, const ArrayKernel*> by_number;
};

struct AllKernels {
    std::shared_mutex mutex;
    std::list<ContextKernels> contexts; // guarded by mutex

    // Under the lock.
    ContextKernels* find(const Context& context) {
        for (ContextKernels& each : contexts)
            if (each.context == context) return &each;
        return nullptr;
    }
};

AllKernels& all_kernels() {
    static auto* const all = new AllKernels; // outlives statics
    return *all;
}

ArrayKernel make(const Context& context, const std::string& entry, const std::string& source,
                 unsigned threads, const std::vector<std::string>& options) {
    CompileRequest request;
    request.source = source;
    request.options = options;
    request.name = entry + ".cu";
    ArrayKernel made;
    made.module = std::make_shared<const Module>(compile_or_throw(request));
    made.kernel = made.module->kernel(entry);
    made.threads = std::min(threads, static_cast<unsigned>(made.kernel.max_threads_per_block()));
    const int active = made.kernel.max_active_blocks(static_cast<int>(made.threads));
    const int processors = context.device().attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    made.most_blocks = static_cast<unsigned>(std::max(active * processors, 1));
    return made;
}

} // namespace

unsigned ArrayKernel::blocks_for(std::uint64_t items, unsigned each,
                                 unsigned waves) const noexcept {
    const std::uint64_t per_block = std::uint64_t{threads} * each;
    const std::uint64_t blocks = (items + per_block - 1) / per_block;
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(blocks, 1, std::uint64_t{most_blocks} * waves));
}

const ArrayKernel& array_kernel(std::string_view key, const std::string& entry,
                                const std::function<std::string()>& source, unsigned threads,
                                const std::vector<std::string>& options) {
    AllKernels& all = all_kernels();
    const Context context = Context::ensure_current();
    const std::string text{key};
    if (const ArrayKernel* const found = find_array_kernel(text)) return *found;
    ArrayKernel made = make(context, entry, source(), threads, options);
    std::unique_lock lock{all.mutex};
    ContextKernels* kernels = all.find(context);
    if (!kernels) kernels = &all.contexts.emplace_back(ContextKernels{context, {}, {}});
    return kernels->by_text.try_emplace(text, std::move(made)).first->second;
}

const ArrayKernel& array_kernel(std::uint64_t key, const std::string& entry,
                                const std::function<std::string()>& source, unsigned threads,
                                const std::vector<std::string>& options) {
    if (const ArrayKernel* const found = find_array_kernel(key)) return *found;
    const ArrayKernel& made =
        array_kernel(fmt::format("number {:x}", key), entry, source, threads, options);
    AllKernels& all = all_kernels();
    std::unique_lock lock{all.mutex};
    all.find(Context::current())->by_number.emplace(key, &made);
    return made;
}

const ArrayKernel* find_array_kernel(std::uint64_t key) noexcept {
    AllKernels& all = all_kernels();
    std::shared_lock lock{all.mutex};
    ContextKernels* const kernels = all.find(Context::current());
    if (!kernels) return nullptr;
    const auto found = kernels->by_number.find(key);
    return found == kernels->by_number.end() ? nullptr : found->second;
}

const ArrayKernel* find_array_kernel(const std::string& key) noexcept {
    AllKernels& all = all_kernels();
    std::shared_lock lock{all.mutex};
    ContextKernels* const kernels = all.find(Context::current());
    if (!kernels) return nullptr;
    const auto found = kernels->by_text.find(key);
    return found == kernels->by_text.end() ? nullptr : &found->second;
}

} // namespace lathe::gpu
