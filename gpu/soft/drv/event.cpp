// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/event.h"

#include "gpu/soft/drv/context.h"
#include "gpu/soft/drv/ipc.h"
#include "gpu/soft/rt/printf.h"

#include <algorithm>
#include <thread>

namespace lathe::soft {

namespace {

/// What an event stands for at one time.
struct Place {
    CommandPtr command;
    std::shared_ptr<Stream> stream;
    std::uint64_t elsewhere = 0; ///< the record, where another process asked for the latest one
};

Place place_of(Event& event) {
    std::lock_guard lock{event.mutex};
    Place place{event.command, event.stream, 0};
    if (!event.shared) return place;
    const std::uint64_t latest = event.shared->latest();
    if (latest != event.record) place.elsewhere = latest;
    return place;
}

} // namespace

void record(Context& context, Event& event, std::shared_ptr<Stream> stream) {
    auto command = std::make_shared<Command>();
    std::uint64_t number = 0;
    if (event.shared) {
        number = event.shared->begin();
        command = std::make_shared<Command>(Command::Kind::action, [shared = event.shared, number] {
            shared->end(number);
            return CUDA_SUCCESS;
        });
    }
    context.submit(stream, command);
    std::lock_guard lock{event.mutex};
    event.command = std::move(command);
    event.stream = std::move(stream);
    event.record = number;
}

void wait_for(Context& context, const std::shared_ptr<Stream>& stream, Event& event) {
    const Place place = place_of(event);
    if (!place.elsewhere) {
        if (place.command && !place.command->done())
            context.submit(stream, std::make_shared<Command>(), place.command);
        return;
    }
    // Asked from time to time on the thread of host functions, so that no worker waits.
    const unsigned cancels = stream->cancels;
    context.submit(
        stream, std::make_shared<Command>(Command::Kind::host_function, [=, shared = event.shared] {
            const CUresult state = shared->state_of(place.elsewhere);
            return state == CUDA_ERROR_NOT_READY && stream->cancels != cancels
                       ? CUDA_ERROR_LAUNCH_TIMEOUT
                       : state;
        }));
}

CUresult query(Event& event) {
    const Place place = place_of(event);
    if (place.elsewhere) return event.shared->state_of(place.elsewhere);
    if (!place.command) return CUDA_SUCCESS;
    return place.command->done() ? place.stream->take_error() : CUDA_ERROR_NOT_READY;
}

CUresult synchronize(Event& event) {
    const Place place = place_of(event);
    if (place.elsewhere) {
        constexpr std::chrono::microseconds shortest{20}, longest{1000};
        for (auto pause = shortest;; pause = std::min(2 * pause, longest)) {
            const CUresult state = event.shared->state_of(place.elsewhere);
            if (state != CUDA_ERROR_NOT_READY) return state;
            std::this_thread::sleep_for(pause);
        }
    }
    if (!place.command) return CUDA_SUCCESS;
    Executor::instance().wait(place.command);
    flush_printf();
    return place.stream->take_error();
}

} // namespace lathe::soft
