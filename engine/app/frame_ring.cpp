// SPDX-License-Identifier: MIT
#include "engine/app/frame_ring.h"

#include "gl/framebuffer.h"

#include <algorithm>
#include <utility>

namespace lathe {

std::shared_ptr<FrameRing::Place> FrameRing::free_place(int width, int height) {
    const auto fits = [&](const auto& place) {
        return place->width == width && place->height == height;
    };
    const auto is_free = [](const auto& place) {
        return !place->is_under_way && !place->is_held.load(std::memory_order_acquire);
    };
    std::erase_if(places_, [&](const auto& place) { return !fits(place) && is_free(place); });
    // One of another size may have become free since.
    const auto found = std::ranges::find_if(
        places_, [&](const auto& place) { return fits(place) && is_free(place); });
    if (found != places_.end()) return *found;
    if (std::size_t(std::ranges::count_if(places_, fits)) >= kPlaces) return nullptr;
    // Mapped memory lies on the host's side, so who encodes the picture reads it where it arrives.
    const std::size_t bytes = std::size_t(width) * std::size_t(height) * 4;
    places_.push_back(
        std::make_shared<Place>(gl::Buffer{bytes, gl::Storage::mapped}, width, height));
    return places_.back();
}

void FrameRing::read(const gl::Framebuffer& picture) {
    auto place = free_place(picture.width(), picture.height());
    if (!place) return;
    picture.read_to(place->pixels);
    place->is_under_way = true;
    under_way_.push_back({std::move(place), gl::Fence{}});
}

std::optional<RemoteFrame> FrameRing::take() {
    std::shared_ptr<Place> newest;
    while (!under_way_.empty() && under_way_.front().read.has_passed()) {
        newest = std::move(under_way_.front().place);
        newest->is_under_way = false;
        under_way_.pop_front();
    }
    if (!newest) return {};
    newest->is_held.store(true, std::memory_order_relaxed);
    // The buffer belongs to this thread's context, so who lets go of it only says so.
    std::shared_ptr<const std::byte> pixels{
        newest->pixels.mapped(), [place = newest.get()](const std::byte*) {
            place->is_held.store(false, std::memory_order_release);
        }};
    return RemoteFrame{newest->width, newest->height, std::move(pixels)};
}

void FrameRing::wait_for_oldest() {
    if (!under_way_.empty()) under_way_.front().read.wait();
}

} // namespace lathe
