// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/ipc.h"

#include "gpu/soft/drv/memory.h"
#include "gpu/soft/rt/arena.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::soft {

namespace {

constexpr std::size_t kPage = 4096;
constexpr char kMagic[8] = {'L', 'a', 't', 'h', 'e', 'I', 'P', 'C'};
enum class Holds : std::uint32_t { memory = 1, event = 2 };

/// What the 64 bytes say.
struct Ticket {
    char magic[8];
    Holds holds;
    std::int32_t process, file, reserved;
    std::uint64_t inode;                     ///< of the file: another one may have its number later
    std::uint64_t file_bytes, offset, bytes; ///< the whole file, and of it the allocation
    std::uint64_t also_reserved;
};
static_assert(sizeof(Ticket) == sizeof(CUipcMemHandle) &&
              sizeof(Ticket) == sizeof(CUipcEventHandle));

template <class T> T ticket_for(int file, Holds holds, std::uint64_t offset, std::uint64_t bytes) {
    struct stat about{};
    require(fstat(file, &about) == 0, CUDA_ERROR_UNKNOWN, "the shared file cannot be looked at");
    Ticket ticket{};
    std::memcpy(ticket.magic, kMagic, sizeof kMagic);
    ticket.holds = holds;
    ticket.process = getpid();
    ticket.file = file;
    ticket.inode = about.st_ino;
    ticket.file_bytes = static_cast<std::uint64_t>(about.st_size);
    ticket.offset = offset;
    ticket.bytes = bytes;
    T handle{};
    std::memcpy(&handle, &ticket, sizeof handle);
    return handle;
}

template <class T> Ticket ticket_of(const T& handle, Holds holds) {
    Ticket t{};
    std::memcpy(&t, &handle, sizeof t);
    require(std::memcmp(t.magic, kMagic, sizeof kMagic) == 0 && t.holds == holds &&
                t.file_bytes > 0 && t.file_bytes % kPage == 0 && t.bytes > 0 &&
                t.offset <= t.file_bytes && t.bytes <= t.file_bytes - t.offset,
            CUDA_ERROR_INVALID_VALUE, "the bytes are no handle that this device gave");
    return t;
}

/// The caller closes it.
int open_file(const Ticket& ticket) {
    const std::string path = fmt::format("/proc/{}/fd/{}", ticket.process, ticket.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0)
        fail(CUDA_ERROR_MAP_FAILED,
             fmt::format("process {} cannot be reached: {}", ticket.process, std::strerror(errno)));
    struct stat about{};
    if (fstat(file, &about) == 0 && about.st_ino == ticket.inode &&
        static_cast<std::uint64_t>(about.st_size) == ticket.file_bytes)
        return file;
    close(file);
    fail(CUDA_ERROR_MAP_FAILED,
         fmt::format("process {} has freed what the handle stands for", ticket.process));
}

// --- memory --------------------------------------------------------------------------------------

/// Another process's memory in this one, with pages before and behind it that cannot be touched.
struct Opened {
    std::byte* pages = nullptr;
    std::size_t bytes = 0; ///< of all pages
    CUdeviceptr address = 0;
    unsigned count = 0;
};
struct OpenedMemory {
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Opened> all; ///< by context and inode
};
OpenedMemory& opened() {
    static auto* const instance = new OpenedMemory;
    return *instance;
}

void unmap(const Opened& memory) {
    Registry::instance().remove(memory.address);
    munmap(memory.pages, memory.bytes);
}

Opened map(const Context& context, const Ticket& ticket) {
    const int file = open_file(ticket);
    Opened made{nullptr, ticket.file_bytes + 2 * kPage, 0, 1};
    void* const all =
        mmap(nullptr, made.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all != MAP_FAILED) {
        made.pages = static_cast<std::byte*>(all);
        if (mmap(made.pages + kPage, ticket.file_bytes, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
            munmap(all, made.bytes);
            made.pages = nullptr;
        }
    }
    close(file);
    require(made.pages != nullptr, CUDA_ERROR_MAP_FAILED, "no address space for the memory");
    made.address = reinterpret_cast<CUdeviceptr>(made.pages + kPage + ticket.offset);
    Registry::instance().add({.begin = made.address,
                              .bytes = ticket.bytes,
                              .kind = Allocation::Kind::imported,
                              .context = &context});
    return made;
}

/// Runs f while no context has work under way.
void at_rest(std::span<const std::shared_ptr<Context>> contexts, const std::function<void()>& f) {
    if (contexts.empty()) return f();
    contexts.front()->run_idle([&] { at_rest(contexts.subspan(1), f); });
}

} // namespace

CUipcMemHandle share_memory(CUdeviceptr p) {
    static auto* const one_at_a_time = new std::mutex;
    std::lock_guard lock{*one_at_a_time};
    const auto found = Registry::instance().find(p);
    if (!found) fail(CUDA_ERROR_INVALID_VALUE, describe_address(p));
    require(found->kind == Allocation::Kind::device && !found->pool, CUDA_ERROR_INVALID_VALUE,
            "memory of cuMemAlloc alone is shared between processes");
    Arena::Shared shared;
    at_rest(Objects<Context>::instance().all(),
            [&] { shared = Arena::instance().share(reinterpret_cast<void*>(found->begin)); });
    if (shared.file < 0)
        fail(CUDA_ERROR_OUT_OF_MEMORY,
             fmt::format("{} bytes cannot be moved into memory that others see", found->bytes));
    return ticket_for<CUipcMemHandle>(shared.file, Holds::memory, shared.offset, found->bytes);
}

CUdeviceptr open_memory(const Context& context, const CUipcMemHandle& handle) {
    const Ticket ticket = ticket_of(handle, Holds::memory);
    require(ticket.process != getpid(), CUDA_ERROR_INVALID_CONTEXT,
            "the memory is this process's own");
    OpenedMemory& table = opened();
    std::lock_guard lock{table.mutex};
    const auto key = std::pair{context.id, ticket.inode};
    if (const auto known = table.all.find(key); known != table.all.end()) {
        ++known->second.count;
        return known->second.address;
    }
    return table.all.emplace(key, map(context, ticket)).first->second.address;
}

void close_memory(Context& context, CUdeviceptr p) {
    const Allocation found = allocation_at(p, {Allocation::Kind::imported});
    if (auto owner = Objects<Context>::instance().find(found.context)) owner->wait_idle();
    else context.wait_idle();
    OpenedMemory& table = opened();
    std::lock_guard lock{table.mutex};
    for (auto it = table.all.begin(); it != table.all.end(); ++it) {
        if (it->second.address != p) continue;
        if (--it->second.count > 0) return;
        unmap(it->second);
        table.all.erase(it);
        return;
    }
}

void close_memory_of(const Context& context) {
    OpenedMemory& table = opened();
    std::lock_guard lock{table.mutex};
    std::erase_if(table.all, [&](const auto& entry) {
        if (entry.first.first != context.id) return false;
        unmap(entry.second);
        return true;
    });
}

// --- events --------------------------------------------------------------------------------------

struct SharedEvent::State {
    static constexpr std::size_t kKept = 64; ///< records whose state is known; older ones are done

    struct Record {
        std::atomic<std::uint64_t> done;     ///< the number of the last one in this place
        std::atomic<std::uint64_t> asked_by; ///< number << 32 | process
    };
    std::atomic<std::uint64_t> latest;
    Record records[kKept];

    Record& of(std::uint64_t record) { return records[record % kKept]; }
};

SharedEvent::SharedEvent() {
    file_ = memfd_create("lathe-soft-event", MFD_CLOEXEC);
    if (file_ >= 0 && ftruncate(file_, kPage) == 0) map();
    if (state_) return;
    if (file_ >= 0) close(file_);
    fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event of several processes");
}

SharedEvent::SharedEvent(const CUipcEventHandle& handle) {
    const Ticket ticket = ticket_of(handle, Holds::event);
    require(ticket.process != getpid(), CUDA_ERROR_INVALID_CONTEXT,
            "the event is this process's own");
    file_ = open_file(ticket);
    map();
    if (state_) return;
    close(file_);
    fail(CUDA_ERROR_MAP_FAILED, "no address space for the event");
}

void SharedEvent::map() {
    static_assert(sizeof(State) <= kPage && std::atomic<std::uint64_t>::is_always_lock_free);
    void* const p = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (p != MAP_FAILED) state_ = static_cast<State*>(p); // zeros, or what others made of them
}

SharedEvent::~SharedEvent() {
    munmap(state_, kPage);
    close(file_);
}

CUipcEventHandle SharedEvent::handle() const {
    return ticket_for<CUipcEventHandle>(file_, Holds::event, 0, kPage);
}

std::uint64_t SharedEvent::begin() {
    const std::uint64_t record = state_->latest.fetch_add(1) + 1;
    state_->of(record).asked_by = record << 32 | static_cast<std::uint32_t>(getpid());
    return record;
}

void SharedEvent::end(std::uint64_t record) {
    std::atomic<std::uint64_t>& done = state_->of(record).done;
    std::uint64_t before = done.load();
    while (before < record && !done.compare_exchange_weak(before, record)) {}
}

std::uint64_t SharedEvent::latest() const { return state_->latest; }

CUresult SharedEvent::state_of(std::uint64_t record) const {
    if (record == 0 || state_->of(record).done >= record) return CUDA_SUCCESS;
    const std::uint64_t asked_by = state_->of(record).asked_by;
    if (asked_by >> 32 != (record & 0xffffffffu)) return CUDA_ERROR_NOT_READY;
    const auto process = static_cast<pid_t>(asked_by & 0xffffffffu);
    if (kill(process, 0) == 0 || errno != ESRCH) return CUDA_ERROR_NOT_READY;
    return state_->of(record).done >= record ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

} // namespace lathe::soft
