// SPDX-License-Identifier: MIT
#include "tests/soft/jit/mini_runtime.h"

#include "gpu/ptx/parser.h"
#include "gpu/soft/rt/access.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/watch/site.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <csetjmp>
#include <functional>
#include <mutex>
#include <thread>

namespace lathe::soft {

/// Threads that meet: each brings bytes, the last one lets all go on with everybody's bytes.
struct Meeting {
    std::uint64_t generation = 0;
    std::uint32_t arrived = 0;
    std::vector<std::uint8_t> gathering, gathered;
};

struct BlockState {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, Meeting> meetings;
    std::uint32_t threads = 0;
    test::Outcome* outcome = nullptr;
    CompiledModule* code = nullptr;
    std::string kernel;
    std::vector<std::uint8_t> shared_copy;
    std::uintptr_t shared_begin = 0, shared_end = 0;
    const std::uint8_t* param_begin = nullptr;
    std::size_t param_bytes = 0;

    /// Waits for `count` arrivals at `name`; slot `index` of the result holds what it brought.
    std::vector<std::uint8_t> meet(const std::string& name, std::uint32_t count,
                                   std::uint32_t index, const void* bytes, std::size_t size,
                                   bool wait = true, std::uint32_t weight = 1) {
        std::unique_lock lock{mutex};
        Meeting& m = meetings[name];
        m.gathering.resize(std::max<std::size_t>(m.gathering.size(), (index + 1) * size));
        if (size) std::memcpy(m.gathering.data() + index * size, bytes, size);
        const std::uint64_t mine = m.generation;
        m.arrived += weight;
        if (m.arrived == count) {
            m.arrived = 0;
            m.gathered = std::move(m.gathering);
            m.gathering.clear();
            ++m.generation;
            changed.notify_all();
        } else if (wait) {
            changed.wait(lock, [&] { return m.generation != mine; });
        }
        return m.gathered;
    }
};

} // namespace lathe::soft

using namespace lathe::soft;

namespace {

thread_local std::jmp_buf* leave = nullptr;

/// What every lane of the mask brought, 32 slots.
template <class T>
std::array<T, 32> gather(ThreadContext* t, std::uint32_t mask, const T& mine, const char* kind) {
    std::array<T, 32> all{};
    // Two rounds of the same meeting may not overlap: leave only after everybody has read.
    const std::string name = fmt::format("{}/{}/{:x}", kind, t->warpid, mask);
    const auto count = static_cast<std::uint32_t>(std::popcount(mask));
    const auto bytes = t->block->meet(name, count, t->laneid, &mine, sizeof(T));
    std::memcpy(all.data(), bytes.data(), std::min(bytes.size(), sizeof(all)));
    t->block->meet(name + "/read", count, 0, nullptr, 0);
    return all;
}

[[noreturn]] void stop(ThreadContext* t, test::Outcome::End end) {
    {
        std::lock_guard lock{t->block->mutex};
        t->block->outcome->end = end;
    }
    std::longjmp(*leave, 2);
}

} // namespace

namespace lathe::soft {
extern "C" {

void lathe_rt_trap(ThreadContext* t) {
    t->block->outcome->trap_pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    stop(t, test::Outcome::End::trapped);
}
void lathe_rt_trap_of_grid_group(ThreadContext* t) { lathe_rt_trap(t); }
// Nothing is known of the memory of these tests: every access is allowed.
void lathe_rt_access_failed(AccessFrame* frame) {
    AccessSite site;
    std::memcpy(&site, reinterpret_cast<const void*>(frame->return_address), sizeof site);
    frame->return_address += sizeof site + site.count * sizeof(AccessSite::Access);
}
void lathe_rt_exit(ThreadContext*) { std::longjmp(*leave, 1); }
void lathe_rt_assertfail(ThreadContext* t, const char* message, const char* file,
                         std::uint32_t line, const char* function, std::uint64_t) {
    t->block->outcome->assertion = fmt::format("{}:{} {}: {}", file, line, function, message);
    stop(t, test::Outcome::End::assert_failed);
}
void lathe_rt_backedge(ThreadContext* t) {
    std::this_thread::yield();
    std::lock_guard lock{t->block->mutex};
    ++t->block->outcome->back_edges;
}
void lathe_rt_warp_run_checked(ThreadContext* t, std::uint32_t first, std::uint32_t count) {
    ++t->block->outcome->checked_warps;
    t->block->code->checked_code(t->block->kernel, t->ntid).block(t, first, count);
}
std::int32_t lathe_rt_vprintf(ThreadContext* t, const char* format, const std::uint8_t* args) {
    std::int32_t first = 0;
    std::memcpy(&first, args, sizeof first);
    std::lock_guard lock{t->block->mutex};
    t->block->outcome->printed += fmt::format("{}[{}]", format, first);
    return 1;
}
void* lathe_rt_malloc(ThreadContext*, std::uint64_t bytes) { return std::malloc(bytes); }
void lathe_rt_free(ThreadContext*, void* p) { std::free(p); }
void lathe_rt_nanosleep(ThreadContext*, std::uint32_t) { std::this_thread::yield(); }
std::uint64_t lathe_rt_clock64(ThreadContext*) {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
std::uint64_t lathe_rt_globaltimer(ThreadContext* t) { return lathe_rt_clock64(t); }
std::uint32_t lathe_rt_is_space(ThreadContext* t, std::uint64_t address, std::uint32_t space) {
    const bool shared = address >= t->block->shared_begin && address < t->block->shared_end;
    const auto params = reinterpret_cast<std::uintptr_t>(t->params);
    const bool param = address >= params && address < params + t->block->param_bytes;
    switch (space) {
    case 1: return shared;
    case 4: return param;
    case 0: return !shared;
    default: return 0;
    }
}

void lathe_rt_barrier_sync(ThreadContext* t, std::uint32_t id, std::uint32_t threads) {
    t->block->meet(fmt::format("bar{}", id), threads ? threads : t->block->threads, 0, nullptr, 0);
}
void lathe_rt_barrier_arrive(ThreadContext* t, std::uint32_t id, std::uint32_t threads) {
    t->block->meet(fmt::format("bar{}", id), threads, 0, nullptr, 0, false);
}
std::uint32_t lathe_rt_warp_barrier(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                    std::uint32_t kind, std::uint32_t lanes, std::uint32_t votes) {
    const std::uint32_t count = threads ? threads : t->block->threads;
    const auto weight = static_cast<std::uint32_t>(std::popcount(lanes));
    const std::string name = kind < 2 ? fmt::format("bar{}", id) : fmt::format("red{}", id);
    const auto words = t->block->meet(name, count, t->linear_tid, &votes, 4, kind != 1, weight);
    if (kind < 2) return 0;
    std::uint32_t set = 0;
    for (std::size_t k = 0; k + 4 <= words.size(); k += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, words.data() + k, 4);
        set += static_cast<std::uint32_t>(std::popcount(word));
    }
    t->block->meet(name + "/read", count, 0, nullptr, 0, true, weight);
    return kind == 2 ? set : kind == 3 ? set == count : set > 0;
}
// Lanes of a warp that part and meet again: with the whole run time only (tests/soft/rt).
void lathe_rt_warp_barrier_part(ThreadContext* t, std::uint32_t, std::uint32_t, std::uint32_t,
                                std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {
    stop(t, test::Outcome::End::trapped);
}
std::uint32_t lathe_rt_warp_voted(ThreadContext* t, std::uint32_t) {
    stop(t, test::Outcome::End::trapped);
}
void lathe_rt_watch_row(ThreadContext*, const WatchSite*, std::uint64_t, std::int64_t,
                        std::uint32_t, const std::uint64_t*) {}
void lathe_rt_watch_lanes(ThreadContext*, const WatchSite*, const std::uint64_t*, std::uint32_t,
                          const std::uint64_t*) {}
void lathe_rt_watch_one(ThreadContext*, const WatchSite*, std::uint64_t, std::uint64_t,
                        std::uint64_t) {}
void lathe_rt_warp_bring(ThreadContext* t, WarpMeeting*, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint64_t, std::uint64_t) {
    stop(t, test::Outcome::End::trapped);
}
std::uint32_t lathe_rt_warp_meet(ThreadContext* t, WarpMeeting*, std::uint32_t, std::uint32_t,
                                 std::uint32_t) {
    stop(t, test::Outcome::End::trapped);
}
void lathe_rt_warp_not_member(ThreadContext* t, std::uint32_t) {
    stop(t, test::Outcome::End::trapped);
}
std::uint32_t lathe_rt_barrier_red(ThreadContext* t, std::uint32_t id, std::uint32_t threads,
                                   std::uint32_t op, std::uint32_t predicate) {
    const std::uint32_t count = threads ? threads : t->block->threads;
    const auto bytes =
        t->block->meet(fmt::format("red{}", id), count, t->linear_tid, &predicate, 4);
    std::uint32_t set = 0;
    for (std::size_t k = 0; k + 4 <= bytes.size(); k += 4) set += bytes[k] != 0;
    t->block->meet(fmt::format("red{}/read", id), count, 0, nullptr, 0);
    return op == 0 ? set : op == 1 ? set == count : set > 0;
}
void lathe_rt_warp_sync(ThreadContext* t, std::uint32_t mask) { gather(t, mask, 0u, "sync"); }
std::uint32_t lathe_rt_activemask(ThreadContext* t) {
    const std::uint32_t lanes = std::min(32u, t->block->threads - 32 * t->warpid);
    return lanes == 32 ? ~0u : (1u << lanes) - 1;
}
std::uint32_t lathe_rt_shfl(ThreadContext* t, std::uint32_t mask, std::uint32_t mode,
                            std::uint32_t value, std::uint32_t b, std::uint32_t c,
                            std::uint32_t* in_range) {
    const auto all = gather(t, mask, value, "shfl");
    const std::uint32_t lane = t->laneid, segment = (c >> 8) & 31, clamp = c & 31;
    b &= 31;
    const std::uint32_t first = lane & segment, last = first | (clamp & ~segment);
    std::uint32_t from = 0;
    bool ok = false;
    switch (mode) {
    case 0:
        from = lane - b;
        ok = static_cast<int>(from) >= static_cast<int>(last);
        break;
    case 1:
        from = lane + b;
        ok = from <= last;
        break;
    case 2:
        from = lane ^ b;
        ok = from <= last;
        break;
    default: from = first | (b & ~segment); ok = from <= last;
    }
    if (!ok) from = lane;
    *in_range = ok;
    return all[from & 31];
}
std::uint32_t lathe_rt_ballot(ThreadContext* t, std::uint32_t mask, std::uint32_t predicate) {
    const auto all = gather(t, mask, predicate, "ballot");
    std::uint32_t bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) bits |= (all[lane] != 0 ? 1u : 0u) << lane;
    return bits & mask;
}
std::uint32_t lathe_rt_match(ThreadContext* t, std::uint32_t mask, std::uint64_t value,
                             std::uint32_t all_mode, std::uint32_t* all_equal) {
    const auto all = gather(t, mask, value, "match");
    std::uint32_t bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane) & 1 && all[lane] == value) bits |= 1u << lane;
    }
    if (!all_mode) return bits;
    *all_equal = bits == mask;
    return bits == mask ? mask : 0;
}
std::uint32_t lathe_rt_redux(ThreadContext* t, std::uint32_t mask, std::uint32_t op,
                             std::uint32_t is_signed, std::uint32_t value) {
    const auto all = gather(t, mask, value, "redux");
    bool first = true;
    std::uint32_t r = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!((mask >> lane) & 1)) continue;
        const std::uint32_t v = all[lane];
        const bool less = is_signed ? static_cast<int>(v) < static_cast<int>(r) : v < r;
        r = first     ? v
            : op == 0 ? r + v
            : op == 1 ? (less ? v : r)
            : op == 2 ? (less ? r : v)
            : op == 3 ? (r & v)
            : op == 4 ? (r | v)
                      : (r ^ v);
        first = false;
    }
    return r;
}
void lathe_rt_warp_gather(ThreadContext* t, std::uint32_t mask, const void* mine,
                          std::uint32_t bytes, void* all) {
    std::array<std::uint8_t, 64> own{};
    std::memcpy(own.data(), mine, bytes);
    const auto found = gather(t, mask, own, "gather");
    for (unsigned lane = 0; lane < 32; ++lane) {
        std::memcpy(static_cast<std::uint8_t*>(all) + lane * bytes, found[lane].data(), bytes);
    }
}

// Textures and surfaces give back what they were asked, for the tests to compare.
void lathe_rt_tex(ThreadContext*, std::uint64_t object, std::uint32_t geometry,
                  std::uint32_t is_float, const std::uint32_t* words, float lod,
                  std::uint32_t* result) {
    result[0] = static_cast<std::uint32_t>(object) + geometry;
    result[1] = words[0];
    result[2] = (geometry & 15) > 1 || geometry > 15 ? words[1] : 0;
    result[3] = is_float + 4 * static_cast<std::uint32_t>(lod);
}
void lathe_rt_tex_warp(ThreadContext* t, std::uint64_t object, std::uint32_t mask,
                       std::uint32_t width, const float* coords, std::uint32_t* result) {
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        if (!(mask >> lane & 1)) continue;
        std::uint32_t words[2], texel[4];
        for (std::uint32_t axis = 0; axis < 2; ++axis)
            std::memcpy(&words[axis], &coords[axis * width + lane], sizeof words[axis]);
        lathe_rt_tex(t, object, 2, 1, words, 0, texel);
        for (std::uint32_t c = 0; c < 4; ++c) result[c * width + lane] = texel[c];
    }
}
void lathe_rt_tld4(ThreadContext*, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t component, const std::uint32_t* words, std::uint32_t* result) {
    result[0] = static_cast<std::uint32_t>(object) + component;
    std::memcpy(result + 1, words, 8);
    result[3] = geometry;
}
void lathe_rt_suld(ThreadContext*, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, std::uint64_t* values) {
    const auto* memory = reinterpret_cast<const std::uint8_t*>(object);
    (void)geometry, (void)boundary;
    for (std::uint32_t k = 0; k < count; ++k) {
        values[k] = 0;
        std::memcpy(&values[k], memory + coords[0] + k * bytes, bytes);
    }
}
void lathe_rt_sust(ThreadContext*, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, const std::uint64_t* values) {
    auto* memory = reinterpret_cast<std::uint8_t*>(object);
    (void)geometry, (void)boundary;
    for (std::uint32_t k = 0; k < count; ++k) {
        std::memcpy(memory + coords[0] + k * bytes, &values[k], bytes);
    }
}
void lathe_rt_surface_warp(ThreadContext*, std::uint64_t object, std::uint32_t mask,
                           std::uint32_t width, std::uint32_t access, const std::int32_t* coords,
                           std::uint32_t* values) {
    auto* memory = reinterpret_cast<std::uint8_t*>(object);
    const std::uint32_t bytes = access & 15, count = access >> 4 & 15;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        for (std::uint32_t k = 0; k < count && (mask >> lane & 1); ++k) {
            std::uint8_t* p = memory + coords[lane] + k * bytes;
            std::uint32_t& value = values[k * width + lane];
            if (!(access >> 12)) value = 0;
            if (access >> 12) std::memcpy(p, &value, bytes);
            else std::memcpy(&value, p, bytes);
        }
    }
}
void lathe_rt_sust_formatted(ThreadContext*, std::uint64_t object, std::uint32_t, std::uint32_t,
                             const std::int32_t* coords, std::uint32_t count,
                             const std::uint64_t* values) {
    auto* memory = reinterpret_cast<std::uint8_t*>(object);
    for (std::uint32_t k = 0; k < count; ++k)
        std::memcpy(memory + coords[0] * 4 + k, &values[k], 1);
}
void lathe_rt_sured(ThreadContext*, std::uint64_t object, std::uint32_t, std::uint32_t,
                    const std::int32_t* coords, std::uint32_t op, std::uint32_t kind,
                    std::uint64_t value) {
    value += op * 16 + kind * 256;
    std::memcpy(reinterpret_cast<std::uint8_t*>(object) + coords[0], &value, 4);
}
std::uint32_t lathe_rt_txq(ThreadContext*, std::uint64_t object, std::uint32_t query,
                           std::uint32_t level) {
    return static_cast<std::uint32_t>(object) + query + 100 * level;
}
std::uint32_t lathe_rt_istypep(ThreadContext*, std::uint64_t object, std::uint32_t surface) {
    return (object & 1) == surface;
}

} // extern "C"

namespace test {

namespace {

/// 0: ran to the end, 1: left by exit, 2: stopped. Not inlined: longjmp spares no locals.
[[gnu::noinline]] int guarded(const KernelInfo& info, const std::function<void()>& run) {
    const FloatMode mode{info.flushes};
    std::jmp_buf here;
    leave = &here;
    const int left = setjmp(here);
    if (left == 0) run();
    return left;
}

void run_thread(const KernelInfo& info, KernelEntry entry, ThreadContext* context) {
    guarded(info, [=] { entry(context); });
}

/// Shared memory below 4 GiB, as the run time has it.
std::uint8_t* low_memory(std::size_t bytes) {
    void* p = mmap(nullptr, std::max<std::size_t>(bytes, 4096), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(p);
}

/// All warps of a block, from barrier to barrier.
void run_rounds(const KernelCode& code, ThreadContext& context) {
    struct alignas(kKeptAlignment) Line {
        std::uint32_t words[kKeptAlignment / 4];
    };
    struct StepOfWarp {
        WarpPlace place;
        StepEntry step;
        std::vector<Line> kept;
    };
    const std::uint32_t x = context.ntid[0], y = context.ntid[1];
    const std::uint32_t threads = x * y * context.ntid[2];
    std::vector<StepOfWarp> warps;
    for (std::uint32_t t = 0; t < threads; t += code.width)
        warps.push_back({{{t % x, t / x % y, t / x / y}, t, std::min(code.width, threads - t)},
                         code.step,
                         std::vector<Line>(code.kept_bytes / sizeof(Line))});
    const auto run = [&](StepOfWarp& warp) {
        std::uint32_t* const state = warp.kept.data()->words;
        warp.step(&context, &warp.place, state);
        return *state;
    };
    while (!warps.empty()) {
        std::erase_if(warps, [&](StepOfWarp& warp) {
            std::uint32_t state = run(warp);
            if (state == kStepWraps) {
                ++context.block->outcome->checked_warps;
                const KernelCode checked =
                    context.block->code->checked_code(context.block->kernel, context.ntid);
                warp.step = checked.step;
                warp.kept.assign(checked.kept_bytes / sizeof(Line), {});
                state = run(warp);
            }
            return state == kStepEnded;
        });
    }
}

} // namespace

ExecutionMode& Program::default_mode() {
    static ExecutionMode mode = ExecutionMode::from_environment();
    return mode;
}

Program::Program(std::string_view ptx_text, ExecutionMode mode) {
    ptx::ParseResult parsed = ptx::parse(ptx_text);
    for (const Diagnostic& error : parsed.errors) {
        ADD_FAILURE() << "PTX line " << error.line << ": " << error.text;
    }
    module_ = std::make_shared<const ptx::Module>(std::move(parsed.module));
    for (const ptx::Variable& v : module_->variables) {
        if (v.space == ptx::Space::shared) continue;
        auto& words = memory_[v.name];
        words.resize(v.size_bytes() / 8 + 2);
        if (!v.init.empty()) std::memcpy(words.data(), v.init.data(), v.init.size());
    }
    code_ = CompiledModule::create(
        module_, [this](std::string_view name) { return variable(name); }, mode);
    for (const ptx::Variable& v : module_->variables) {
        for (const auto& relocation : v.relocations) {
            void* target = variable(relocation.target.name);
            if (!target) {
                target = reinterpret_cast<void*>(code_->device_function(relocation.target.name));
            }
            const std::uint64_t value = reinterpret_cast<std::uintptr_t>(target) +
                                        static_cast<std::uint64_t>(relocation.target.offset);
            std::memcpy(reinterpret_cast<std::uint8_t*>(memory_[v.name].data()) + relocation.offset,
                        &value, relocation.bytes);
        }
    }
}

void Program::append(std::vector<std::uint8_t>& packed, const void* value, std::size_t bytes,
                     std::size_t alignment) {
    const std::size_t at = (packed.size() + alignment - 1) / alignment * alignment;
    packed.resize(at + bytes);
    std::memcpy(&packed[at], value, bytes);
}

const KernelInfo& Program::info(std::string_view kernel) const {
    for (const KernelInfo& each : code_->kernels()) {
        if (kernel.empty() || each.name == kernel) return each;
    }
    throw std::runtime_error{"no such kernel"};
}

void* Program::variable(std::string_view name) {
    const auto found = memory_.find(name);
    return found == memory_.end() ? nullptr : found->second.data();
}

Outcome Program::launch(const Shape& shape, const std::vector<std::uint8_t>& params,
                        std::string_view kernel) {
    const KernelInfo& info = this->info(kernel);
    Outcome outcome;
    const std::size_t shared_bytes = info.dynamic_shared_offset + shape.dynamic_shared_bytes;
    std::uint8_t* shared = low_memory(shared_bytes);
    const std::uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
    const KernelCode code =
        shape.by_thread ? code_->thread_code(info.name) : code_->code(info.name, shape.block);
    outcome.width = code.width;
    outcome.later = code.later;
    outcome.kept_bytes = code.kept_bytes;
    outcome.frame_bytes = code.frame_bytes;
    const BlockEntry loop = code.fibers ? nullptr : code.block;
    const KernelEntry entry = code.entry;
    std::vector<std::uint64_t> aligned(
        std::max<std::size_t>(params.size(), info.parameter_bytes()) / 8 + 2);
    if (!params.empty()) std::memcpy(aligned.data(), params.data(), params.size());
    const std::uint32_t blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
    for (std::uint32_t index = 0; index < blocks; ++index) {
        BlockState block;
        block.threads = threads;
        block.outcome = &outcome;
        block.code = code_.get();
        block.kernel = info.name;
        block.shared_begin = reinterpret_cast<std::uintptr_t>(shared);
        block.shared_end = block.shared_begin + shared_bytes;
        block.param_bytes = params.size();
        ThreadContext first{};
        std::copy_n(shape.block, 3, first.ntid);
        std::copy_n(shape.grid, 3, first.nctaid);
        first.ctaid[0] = index % shape.grid[0];
        first.ctaid[1] = index / shape.grid[0] % shape.grid[1];
        first.ctaid[2] = index / shape.grid[0] / shape.grid[1];
        first.nwarpid = (threads + 31) / 32;
        first.nsmid = 1;
        first.gridid = 7;
        first.dynamic_shared_bytes = shape.dynamic_shared_bytes;
        first.static_shared_bytes = info.static_shared_bytes;
        first.shared = shared;
        first.shared_room = shared_bytes + 1;
        first.params = reinterpret_cast<const std::uint8_t*>(aligned.data());
        first.envreg[1] = 0x11;
        first.envreg[2] = 0x22;
        first.block = &block;
        if (loop) {
            // A thread that leaves early makes the loop go on behind it.
            for (std::uint32_t next = 0; next < threads;) {
                const int left = guarded(info, [&] { loop(&first, next, threads - next); });
                if (left == 0) break;
                if (left == 2) return outcome;
                next = first.linear_tid + 1;
            }
            continue;
        }
        if (code.step) {
            if (guarded(info, [&] { run_rounds(code, first); }) == 2) return outcome;
            continue;
        }
        std::vector<ThreadContext> contexts(threads, first);
        for (std::uint32_t t = 0; t < threads; ++t) {
            ThreadContext& c = contexts[t];
            c.linear_tid = t;
            c.laneid = t % 32;
            c.warpid = t / 32;
            c.tid[0] = t % shape.block[0];
            c.tid[1] = t / shape.block[0] % shape.block[1];
            c.tid[2] = t / shape.block[0] / shape.block[1];
        }
        if (!code.fibers) {
            for (ThreadContext& c : contexts) run_thread(info, entry, &c);
            continue;
        }
        std::vector<std::thread> running;
        if (code.width > 1) {
            for (std::uint32_t t = 0; t < threads; t += code.width) {
                running.emplace_back([&, t] {
                    guarded(info, [&] {
                        code.block(&contexts[t], t, std::min(code.width, threads - t));
                    });
                });
            }
        } else {
            for (ThreadContext& c : contexts)
                running.emplace_back(run_thread, std::cref(info), entry, &c);
        }
        for (std::thread& each : running) each.join();
    }
    munmap(shared, std::max<std::size_t>(shared_bytes, 4096));
    return outcome;
}

} // namespace test
} // namespace lathe::soft
