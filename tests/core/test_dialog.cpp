// SPDX-License-Identifier: MIT
#include "engine/core/dialog.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <sys/wait.h>

namespace {

using namespace std::chrono_literals;
using lathe::Dialog;

struct DialogTest : testing::Test {
    /// The answer, which has so many bytes.
    std::string ask(Dialog& child, const std::string& question, std::size_t bytes,
                    std::chrono::milliseconds patience = 10s) {
        std::string answer;
        child.ask(
            std::as_bytes(std::span{question}),
            [&](std::span<const std::byte> more) {
                answer.append(reinterpret_cast<const char*>(more.data()), more.size());
                return answer.size() >= bytes;
            },
            patience, stops);
        return answer;
    }
    std::string why_not(Dialog& child, const std::string& question,
                        std::chrono::milliseconds patience = 10s) {
        try {
            ask(child, question, 1 << 30, patience);
        } catch (const lathe::Error& error) { return error.what(); }
        return "";
    }
    static std::size_t open_files() {
        const std::filesystem::directory_iterator files{"/proc/self/fd"};
        return std::size_t(std::distance(begin(files), end(files)));
    }
    std::atomic<bool> stops{false};
};

TEST_F(DialogTest, AsksAgainAndAgain) {
    Dialog cat{{"cat"}};
    EXPECT_EQ(ask(cat, "one", 3), "one");
    const std::string large(5'000'000, 'x'); // more than pipes hold
    EXPECT_EQ(ask(cat, large, large.size()), large);
    EXPECT_GT(cat.processor_time().count(), 0);
}

TEST_F(DialogTest, AChildThatEndsBringsItsLastWords) {
    Dialog child{{"sh", "-c", "head -c 3; echo it broke >&2; exit 3"}};
    EXPECT_EQ(ask(child, "one", 3), "one");
    const std::string why = why_not(child, std::string(5'000'000, 'x'));
    EXPECT_EQ(why, "sh failed (exit code 3): it broke");
    EXPECT_EQ(why_not(child, "more"), "sh has ended");
}

TEST_F(DialogTest, AChildThatStallsIsNotWaitedFor) {
    Dialog deaf{{"sleep", "1000"}};
    EXPECT_EQ(why_not(deaf, std::string(5'000'000, 'x'), 100ms),
              "sleep has not answered for 100 ms");
    Dialog dumb{{"sh", "-c", "cat > /dev/null; sleep 1000"}};
    const auto begin = std::chrono::steady_clock::now();
    std::thread later{[&] {
        std::this_thread::sleep_for(50ms);
        stops = true;
    }};
    EXPECT_EQ(why_not(dumb, "one"), "sh is no longer wanted");
    later.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

TEST_F(DialogTest, NothingIsLeft) {
    const std::size_t before = open_files();
    for (int k = 0; k < 5; ++k) {
        Dialog stalls{{"sh", "-c", "trap '' TERM; exec >&-; while :; do sleep 1; done"}};
        why_not(stalls, "one");
        Dialog runs{{"cat"}};
        EXPECT_THROW(Dialog({"lathe-no-such-program"}), lathe::Error);
    }
    EXPECT_EQ(open_files(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

} // namespace
