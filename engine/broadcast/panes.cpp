// SPDX-License-Identifier: MIT
// The windows of an App: frames in, events out. A viewer sees one of them at a time, and chooses.
#include "engine/broadcast/broadcast_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace lathe {

// -- what displays do
// ------------------------------------------------------------------------------

int Broadcast::State::open_pane(glm::ivec2 size) {
    const std::lock_guard lock{mutex};
    const int at = ++newest_pane;
    Pane& pane = panes[at];
    pane.is_open = true;
    pane.size = size;
    return at;
}

void Broadcast::State::close_pane(int at) {
    std::weak_ptr<const std::byte> current, incoming;
    {
        const std::lock_guard lock{mutex};
        const auto found = panes.find(at);
        if (found == panes.end()) return;
        current = found->second.current.rgba;
        if (found->second.incoming) incoming = found->second.incoming->rgba;
        for (auto& [viewer, line] : lines)
            if (line.looks_at == at) look(viewer, 0);
        panes.erase(found);
        tell_windows();
    }
    for_encoder.notify_all();
    // One may be encoded now, which takes some milliseconds; its memory is OpenGL's.
    while (!current.expired() || !incoming.expired())
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

bool Broadcast::State::wants_frame(int at) {
    const std::lock_guard lock{mutex};
    Pane* const pane = find(at);
    if (!pane) return false;
    pane->is_stale = !is_looked_at(at);
    return !pane->is_stale;
}

void Broadcast::State::show(int at, RemoteFrame frame) {
    {
        const std::lock_guard lock{mutex};
        if (Pane* const pane = find(at)) pane->incoming = std::move(frame);
    }
    for_encoder.notify_all();
}

void Broadcast::State::resized(int at, glm::ivec2 size) {
    const std::lock_guard lock{mutex};
    if (Pane* const pane = find(at)) pane->size = size;
}

void Broadcast::State::take_events(int at, std::vector<InputEvent>& taken) {
    const std::lock_guard lock{mutex};
    Pane* const pane = find(at);
    if (!pane) return;
    taken.insert(taken.end(), std::make_move_iterator(pane->events.begin()),
                 std::make_move_iterator(pane->events.end()));
    pane->events.clear();
}

bool Broadcast::State::has_events(int at) {
    const std::lock_guard lock{mutex};
    Pane* const pane = find(at);
    return pane && (!pane->events.empty() || (pane->is_stale && is_looked_at(at)));
}

void Broadcast::State::set_title(int at, const std::string& title) {
    const std::lock_guard lock{mutex};
    Pane* const pane = find(at);
    if (!pane) return;
    pane->title = title;
    if (at == 0) say_all(fmt::format("title {}", client::percent_encoded(title)));
    if (panes.size() > 1) tell_windows();
}

void Broadcast::State::set_cursor(int at, CursorShape shape) {
    const std::lock_guard lock{mutex};
    Pane* const pane = find(at);
    if (!pane) return;
    pane->cursor = shape;
    const auto line = lines.find(steerer);
    if (line != lines.end() && line->second.looks_at == at)
        line->second.say(fmt::format("cursor {}", name_of(shape)));
}

// -- who looks where
// -------------------------------------------------------------------------------

Broadcast::Pane* Broadcast::State::find(int at) {
    const auto found = panes.find(at);
    return found == panes.end() ? nullptr : &found->second;
}

bool Broadcast::State::is_looked_at(int at) const {
    return (at == 0 && stills > 0) || std::ranges::any_of(lines, [at](const auto& each) {
               return each.second.looks_at == at;
           });
}

void Broadcast::State::look(int viewer, int at) {
    Line& line = lines.at(viewer);
    if (line.looks_at == at || !find(at)) return; // it may have closed
    if (viewer == steerer) seen_by(line).release();
    line.looks_at = at;
    line.frame = 0;
    line.say(fmt::format("looks {}", at));
    if (viewer == steerer) {
        line.say(fmt::format("cursor {}", name_of(seen_by(line).cursor)));
        if (line.size) follow(*line.size);
    }
    for_loop.notify_all();
    for_encoder.notify_all();
}

void Broadcast::State::tell_windows() {
    std::string words = "windows";
    if (panes.size() > 1)
        for (const auto& [at, pane] : panes)
            words += fmt::format(" {} {}", at, client::percent_encoded(pane.title));
    say_all(words);
}

// -- a further window
// ------------------------------------------------------------------------------

class Broadcast::Side final : public RemoteDisplay {
public:
    explicit Side(std::shared_ptr<Broadcast> broadcast) : broadcast_{std::move(broadcast)} {}
    ~Side() override { Side::close(); }

    void open(glm::ivec2 size) override { at_ = state().open_pane(size); }
    void close() override { state().close_pane(at_); }
    std::string description() const override { return broadcast_->description(); }
    bool wants_frame() override { return state().wants_frame(at_); }
    void show(RemoteFrame frame) override { state().show(at_, std::move(frame)); }
    void resized(glm::ivec2 size) override { state().resized(at_, size); }
    void take_events(std::vector<InputEvent>& events) override { state().take_events(at_, events); }
    bool wait(double) override { return state().has_events(at_); }
    float pixel_ratio() const override { return broadcast_->pixel_ratio(); }
    void set_title(const std::string& title) override { state().set_title(at_, title); }
    void set_cursor(CursorShape shape) override { state().set_cursor(at_, shape); }
    std::string clipboard() const override { return broadcast_->clipboard(); }
    void set_clipboard(const std::string& text) override { broadcast_->set_clipboard(text); }

private:
    State& state() const { return *broadcast_->state_; }

    const std::shared_ptr<Broadcast> broadcast_;
    int at_ = -1;
};

std::shared_ptr<RemoteDisplay> Broadcast::beside() {
    return std::make_shared<Side>(shared_from_this());
}

} // namespace lathe
