// SPDX-License-Identifier: MIT
// The environment variables that pin what the device says of itself: each case in a process.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>

namespace lathe::test {
namespace {

using Report = std::map<std::string, long long>;

Report report(const std::string& environment) {
    const std::string command = "env -u LATHE_SOFT_WORKERS -u LATHE_SOFT_MEMORY_MB " + environment +
                                " " LATHE_TEST_DEVICE_REPORT " 2>/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[256];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe)) text += buffer;
    EXPECT_EQ(pipe ? pclose(pipe) : -1, 0);
    Report found;
    std::istringstream lines{text};
    for (std::string name; lines >> name;) lines >> found[name];
    return found;
}

TEST(Environment, UsualValues) {
    const Report r = report("LATHE_UNUSED=1");
    EXPECT_EQ(r.at("capability"), 75);
    EXPECT_EQ(r.at("version"), 13000);
    EXPECT_GE(r.at("workers"), 1);
    EXPECT_GT(r.at("total"), 64 << 20);
}

TEST(Environment, MemoryIsWhatIsReportedAndWhatThereIs) {
    const Report r = report("LATHE_SOFT_MEMORY_MB=48");
    EXPECT_EQ(r.at("total"), 48 << 20);
    EXPECT_EQ(r.at("all"), 48 << 20);
    EXPECT_EQ(r.at("free"), 48 << 20);
    EXPECT_EQ(r.at("blocks"), 48);
    for (const char* how : {"then", "pinned", "async", "managed"})
        EXPECT_EQ(r.at(how), CUDA_ERROR_OUT_OF_MEMORY) << how;
}

TEST(Environment, Workers) {
    EXPECT_EQ(report("LATHE_SOFT_WORKERS=3").at("workers"), 3);
    EXPECT_EQ(report("LATHE_SOFT_WORKERS=many").at("workers"), report("X=1").at("workers"));
}

TEST(Environment, ComputeCapabilityAndVersion) {
    Report r = report("LATHE_SOFT_COMPUTE_CAPABILITY=8.6 LATHE_SOFT_DRIVER_VERSION=12090");
    EXPECT_EQ(r.at("major"), 8);
    EXPECT_EQ(r.at("minor"), 6);
    EXPECT_EQ(r.at("capability"), 86);
    EXPECT_EQ(r.at("version"), 12090);
    for (const char* wrong : {"8", "86", "sm_86", "8.6.1", "99.0", "-1.0"})
        EXPECT_EQ(report(std::string{"LATHE_SOFT_COMPUTE_CAPABILITY="} + wrong).at("capability"),
                  75)
            << wrong;
}

} // namespace
} // namespace lathe::test
