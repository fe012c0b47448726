// SPDX-License-Identifier: MIT
#include "engine/app/device_output.h"

#include "engine/app/console.h"
#include "gpu/driver/device_traits.h"

#include <mutex>
#include <vector>

namespace lathe::device_output {

namespace {

struct Receivers {
    std::mutex mutex;
    std::vector<Console*> consoles; ///< the last one receives
};

Receivers& receivers() { // outlives static objects that hold Apps
    static auto* made = new Receivers;
    return *made;
}

void receive(const char* text, std::size_t bytes, void*) {
    Receivers& r = receivers();
    std::lock_guard lock{r.mutex};
    if (!r.consoles.empty()) r.consoles.back()->write_device({text, bytes});
}

void set_callback(bool ours) {
    if (const auto set = gpu::device_traits().set_printf_callback)
        set(ours ? &receive : nullptr, nullptr);
}

} // namespace

void add(Console& console) {
    {
        Receivers& r = receivers();
        std::lock_guard lock{r.mutex};
        r.consoles.push_back(&console);
    }
    set_callback(true); // outside of the lock: it brings out earlier text
}

void direct_to(Console& console) {
    Receivers& r = receivers();
    std::lock_guard lock{r.mutex};
    if (r.consoles.empty() || r.consoles.back() == &console) return;
    if (std::erase(r.consoles, &console) > 0) r.consoles.push_back(&console);
}

void remove(Console& console) {
    bool last = false;
    {
        Receivers& r = receivers();
        std::lock_guard lock{r.mutex};
        last = std::erase(r.consoles, &console) > 0 && r.consoles.empty();
    }
    if (last) set_callback(false);
}

} // namespace lathe::device_output
