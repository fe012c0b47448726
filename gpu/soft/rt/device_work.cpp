// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/device_work.h"

#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/registry.h"

#include <algorithm>
#include <utility>

namespace lathe::soft {

namespace {
constexpr std::size_t kChunk = std::size_t{64} << 10;
}

DeviceWork::~DeviceWork() {
    for (void* chunk : chunks_) {
        Registry::instance().remove(reinterpret_cast<std::uintptr_t>(chunk));
        Arena::instance().release(chunk);
    }
}

void DeviceWork::add(const Stream& stream, Item item) {
    std::lock_guard lock{mutex_};
    item.is_tail = stream.kind == Stream::Kind::tail;
    if (stream.kind != Stream::Kind::none) {
        auto& before = last_[{stream.kind, stream.number}];
        item.after = std::exchange(before, {items_.size()});
    }
    items_.push_back(std::move(item));
}

std::uint64_t DeviceWork::make_stream() {
    std::lock_guard lock{mutex_};
    streams_.push_back(++next_number_);
    return next_number_;
}

bool DeviceWork::knows_stream(std::uint64_t number) const {
    std::lock_guard lock{mutex_};
    return std::find(streams_.begin(), streams_.end(), number) != streams_.end();
}

std::uint64_t DeviceWork::make_event() {
    std::lock_guard lock{mutex_};
    events_[++next_number_];
    return next_number_;
}

bool DeviceWork::record(std::uint64_t event, const Stream& stream) {
    std::lock_guard lock{mutex_};
    const auto found = events_.find(event);
    if (found == events_.end()) return false;
    found->second = last_[{stream.kind, stream.number}];
    return true;
}

bool DeviceWork::wait(const Stream& stream, std::uint64_t event) {
    std::lock_guard lock{mutex_};
    const auto found = events_.find(event);
    if (found == events_.end()) return false;
    auto& before = last_[{stream.kind, stream.number}];
    before.insert(before.end(), found->second.begin(), found->second.end());
    return true;
}

std::uint8_t* DeviceWork::parameters(const Request& request, std::size_t bytes) {
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64;
    std::lock_guard lock{mutex_};
    if (static_cast<std::size_t>(free_end_ - free_) < rounded) {
        const std::size_t size = std::max(kChunk, rounded);
        auto* const chunk = static_cast<std::uint8_t*>(Arena::instance().allocate(size));
        if (!chunk) return nullptr;
        Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(chunk),
                                  .bytes = size,
                                  .kind = Allocation::Kind::launch});
        chunks_.push_back(chunk);
        free_ = chunk;
        free_end_ = chunk + size;
    }
    std::uint8_t* const place = std::exchange(free_, free_ + rounded);
    requests_[place] = request;
    requests_[place].bytes = rounded;
    return place;
}

std::optional<DeviceWork::Request> DeviceWork::take_request(const std::uint8_t* place) {
    std::lock_guard lock{mutex_};
    const auto found = requests_.find(place);
    if (found == requests_.end()) return std::nullopt;
    const Request request = found->second;
    requests_.erase(found);
    return request;
}

std::vector<DeviceWork::Item> DeviceWork::take_items() {
    std::lock_guard lock{mutex_};
    return std::exchange(items_, {});
}

} // namespace lathe::soft
