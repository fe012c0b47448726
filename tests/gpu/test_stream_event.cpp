// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/stream.h"
#include "tests/gpu/device_test.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace lathe::gpu {
namespace {

using StreamTest = DeviceTest;

// Holds a stream until opened: work behind it provably waits.
class Gate {
public:
    void hold(StreamView stream) {
        stream.add_host_function([this] {
            std::unique_lock lock{mutex_};
            opened_.wait(lock, [this] { return open_; });
        });
    }
    void open() {
        std::lock_guard lock{mutex_};
        open_ = true;
        opened_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool open_ = false;
};

TEST_F(StreamTest, AnIdleStreamIsDone) {
    const Stream stream{StreamConfig{}};
    EXPECT_TRUE(stream);
    EXPECT_TRUE(stream.done());
    stream.synchronize();
    EXPECT_EQ(stream.flags(), static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
    EXPECT_EQ(Stream{StreamConfig{.non_blocking = false}}.flags(),
              static_cast<unsigned>(CU_STREAM_DEFAULT));
}

TEST_F(StreamTest, PrioritiesAreClamped) {
    const StreamPriorities range = stream_priorities();
    EXPECT_GE(range.least, range.greatest);
    EXPECT_EQ(Stream{StreamConfig{.priority = -1000}}.priority(), range.greatest);
    EXPECT_EQ(Stream{StreamConfig{.priority = 1000}}.priority(), range.least);
}

TEST_F(StreamTest, WorkRunsInOrderAndDoneSaysWhen) {
    const Stream stream{StreamConfig{}};
    Gate gate;
    std::vector<int> order;
    gate.hold(stream);
    stream.add_host_function([&] { order.push_back(1); });
    stream.add_host_function([&] { order.push_back(2); });
    EXPECT_FALSE(stream.done());
    gate.open();
    stream.synchronize();
    EXPECT_TRUE(stream.done());
    EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST_F(StreamTest, AHostFunctionThatThrowsIsLoggedNotFatal) {
    const Stream stream{StreamConfig{}};
    stream.add_host_function([] { throw std::runtime_error{"on purpose"}; });
    stream.synchronize();
    std::atomic<bool> ran{false};
    stream.add_host_function([&] { ran = true; });
    stream.synchronize();
    EXPECT_TRUE(ran);
}

TEST_F(StreamTest, AnEventOrdersTwoStreams) {
    const Stream producer{StreamConfig{}};
    const Stream consumer{StreamConfig{}};
    Event ready{EventConfig{.timing = false}};
    DeviceBuffer buffer{4};
    fill(buffer.span<int>(), 1);
    Context::current().synchronize();

    Gate gate;
    gate.hold(producer);
    fill(buffer.span<int>(), 2, producer);
    ready.record(producer);
    consumer.wait_event(ready);
    PinnedBuffer seen{4};
    copy_to_host(seen.span<int>(), buffer.span<int>(), consumer);
    EXPECT_FALSE(ready.done());
    EXPECT_FALSE(consumer.done());
    gate.open();
    consumer.synchronize();
    EXPECT_EQ(seen.span<int>()[0], 2);
    EXPECT_TRUE(ready.done());
}

TEST_F(StreamTest, EventsMeasureTime) {
    const Stream stream{StreamConfig{}};
    Event start{EventConfig{}};
    Event end{EventConfig{}};
    start.record(stream);
    stream.add_host_function([] { std::this_thread::sleep_for(std::chrono::milliseconds{20}); });
    end.record(stream);
    end.synchronize();
    const auto elapsed = end.elapsed_since(start);
    EXPECT_GE(elapsed.count(), 15.f);
    EXPECT_LT(elapsed.count(), 5000.f);
}

TEST_F(StreamTest, ElapsedTimeNeedsTimingEvents) {
    Event start{EventConfig{.timing = false}};
    Event end{EventConfig{}};
    start.record(StreamView::legacy());
    end.record(StreamView::legacy());
    end.synchronize();
    EXPECT_THROW(end.elapsed_since(start), Error);
}

TEST_F(StreamTest, DefaultStreamsWork) {
    for (const StreamView stream : {StreamView{}, StreamView::legacy(), StreamView::per_thread()}) {
        DeviceBuffer buffer{4};
        fill(buffer.span<int>(), 9, stream);
        int got = 0;
        copy_to_host(&got, buffer.address(), 4, stream);
        stream.synchronize();
        EXPECT_EQ(got, 9);
        EXPECT_TRUE(stream.done());
    }
}

TEST_F(StreamTest, WaitsNotLongerThanAsked) {
    using namespace std::chrono_literals;
    const Stream stream{StreamConfig{}};
    EXPECT_TRUE(stream.wait_for(0ns));
    Gate gate;
    gate.hold(stream);
    EXPECT_FALSE(stream.wait_for(5ms));
    gate.open();
    EXPECT_TRUE(stream.wait_for(60s));
    EXPECT_EQ(stream.cancel(), can_cancel()) << "with nothing to cancel, too";
    EXPECT_EQ(stream.set_time_limit(0ms), can_cancel());
    EXPECT_NO_THROW(stream.synchronize());
}

TEST_F(StreamTest, AFailureThatWaitsOutlivesAFailedSynchronize) {
    if (!can_cancel()) GTEST_SKIP() << "a GPU's context does not survive a fault";
    const Stream stream{StreamConfig{}};
    const Module module = compile_module("__global__ void bad(int* p) { *p = 1; }");
    launch(module.kernel("_Z3badPi"), {{1}, {1}, 0, stream}, CUdeviceptr{0});
    detail::defer_error(stream, std::make_exception_ptr(lathe::Error{"kept"}));
    EXPECT_THROW(stream.synchronize(), Error); // the kernel's
    try {
        stream.synchronize();
        FAIL() << "the kept failure is lost";
    } catch (const lathe::Error& error) { EXPECT_STREQ(error.what(), "kept"); }
}

} // namespace
} // namespace lathe::gpu
