// SPDX-License-Identifier: MIT
// What the threads of a grid ask for themselves (dynamic parallelism): grids, copies and fills.
// They run when the grid's own blocks are done, in the order of the streams that they were given
// to, and the grid counts as done when they are: CUDA promises no earlier begin, and lets no thread
// wait.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace lathe::soft {

struct Launch;

class DeviceWork {
public:
    DeviceWork() = default;
    ~DeviceWork();
    DeviceWork(const DeviceWork&) = delete;
    DeviceWork& operator=(const DeviceWork&) = delete;

    /// Where work goes: a stream that a thread made, the stream of a block that does not name one,
    /// no stream (fire and forget), or behind all else.
    struct Stream {
        enum class Kind : std::uint8_t { named, of_block, none, tail } kind;
        std::uint64_t number = 0; ///< of the stream, or of the block
    };
    struct Item {
        std::shared_ptr<Launch>
            grid{}; ///< null: an action, or nothing, which is a place to wait for
        std::function<CUresult()> action{};
        std::vector<std::size_t> after{}; ///< earlier items
        bool is_tail = false;
    };

    void add(const Stream& stream, Item item);
    std::uint64_t make_stream();
    bool knows_stream(std::uint64_t number) const;
    std::uint64_t make_event();
    /// The event stands for the stream's work so far. False: unknown.
    bool record(std::uint64_t event, const Stream& stream);
    /// Work given to the stream from now on comes after what the event stands for.
    bool wait(const Stream& stream, std::uint64_t event);

    /// Memory for the parameters of a grid, known to the registry; null where there is none. What
    /// it is for stays with it.
    struct Request {
        const void* kernel = nullptr; ///< null: the launch tells all of this
        std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
        std::uint32_t shared_bytes = 0;
        std::size_t bytes = 0; ///< of the memory
    };
    std::uint8_t* parameters(const Request& request, std::size_t bytes);
    /// The request of such memory, once.
    std::optional<Request> take_request(const std::uint8_t* parameters);

    std::vector<Item> take_items();

private:
    using Key = std::pair<Stream::Kind, std::uint64_t>;

    mutable std::mutex mutex_;
    std::vector<Item> items_;
    std::map<Key, std::vector<std::size_t>> last_; ///< what comes before the next one
    std::map<std::uint64_t, std::vector<std::size_t>> events_;
    std::uint64_t next_number_ = 1 << 16; ///< behind all that cudart gives a meaning
    std::vector<std::uint64_t> streams_;
    std::map<const std::uint8_t*, Request> requests_;
    std::vector<void*> chunks_;
    std::uint8_t *free_ = nullptr, *free_end_ = nullptr;
};

} // namespace lathe::soft
