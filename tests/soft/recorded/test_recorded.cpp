// SPDX-License-Identifier: MIT
// The software device against recorded results of a real GPU (recording.h has the file,
// ./*_cases.cpp what is run), and the machinery against itself.
#include "engine/core/error.h"
#include "tests/soft/recorded/compare.h"
#include "tests/soft/recorded/session.h"
#include "tests/soft/support/nvrtc.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <thread>

namespace lathe::recorded {
namespace {

using test::TempFolder;

/// Whatever the machine has: the tests are of the software device.
class OnTheSoftwareDevice : public testing::Environment {
    void SetUp() override { setenv("LATHE_DEVICE", "software", 1); }
};
[[maybe_unused]] testing::Environment* const g_environment =
    testing::AddGlobalTestEnvironment(new OnTheSoftwareDevice);

std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }

std::vector<std::string> groups() {
    std::vector<std::string> all;
    for (const Case& one : all_cases())
        if (all.empty() || all.back() != group_of(one.name)) all.push_back(group_of(one.name));
    return all;
}

/// LATHE_SOFT_MODE for a scope.
class Mode {
public:
    explicit Mode(const char* mode) { // null: as it is
        if (const char* const found = std::getenv("LATHE_SOFT_MODE")) before_ = found;
        if (mode) setenv("LATHE_SOFT_MODE", mode, 1);
    }
    ~Mode() {
        if (before_.empty()) unsetenv("LATHE_SOFT_MODE");
        else setenv("LATHE_SOFT_MODE", before_.c_str(), 1);
    }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

private:
    std::string before_;
};

/// On two threads, as compiling takes most of the time. `mode` is LATHE_SOFT_MODE, null leaves it.
std::vector<Record> run_all(const std::vector<Case>& cases, const char* mode = nullptr) {
    std::vector<Record> records(cases.size());
    const auto run_some = [&](unsigned turn) {
        Session session;
        for (std::size_t k = 0; k < cases.size(); ++k) {
            // Ten in a row may share a module.
            if (k / 10 % 2 != turn) continue;
            bool lost = false;
            records[k] = run(session, cases[k], lost);
        }
    };
    const Mode scope{mode};
    std::thread other{run_some, 1u};
    run_some(0);
    other.join();
    return records;
}

class RecordedGpu : public testing::TestWithParam<std::string> {};

TEST_P(RecordedGpu, AgreesWithTheSoftwareDevice) {
    if (!test::has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
    const std::string file = LATHE_TEST_RECORDING;
    if (!std::filesystem::exists(file))
        GTEST_SKIP() << "there is no recording of a GPU yet: run record_kernels " << file
                     << " on one";
    const Recording recording = Recording::read(file);
    std::vector<Case> cases = all_cases();
    std::erase_if(cases, [&](const Case& one) { return group_of(one.name) != GetParam(); });
    const std::vector<Record> fresh = run_all(cases);
    std::set<std::string> stale;
    std::vector<std::string> again;
    for (const std::string& pattern : known_difference_patterns())
        if (group_of(pattern) == GetParam()) stale.insert(pattern);
    for (const Record& here : fresh) {
        const Record* const recorded = recording.find(here.name);
        if (!recorded) {
            again.push_back(here.name);
            continue;
        }
        // One that ended with an error is not hashed to its end.
        if (recorded->definition != here.definition && recorded->code == here.code) {
            again.push_back(here.name);
            continue;
        }
        const Comparison result = compare(*recorded, here);
        if (result.open && !result.open_unequal && has_open_rows(here.name))
            ADD_FAILURE() << here.name << ": no row differs that may: change differences.cpp";
        if (result.same) continue;
        for (const std::string& pattern : known_difference_patterns())
            if (matches(pattern, here.name)) stale.erase(pattern);
        if (!known_difference(here.name)) ADD_FAILURE() << here.name << '\n' << result.words;
    }
    for (const std::string& pattern : stale)
        ADD_FAILURE() << pattern << " does not differ any more: take it out of differences.cpp";
    RecordProperty("compared", static_cast<int>(fresh.size() - again.size()));
    for (const std::string& name : again)
        std::cout << name << " is another case than the recorded one, or new: record again\n";
    EXPECT_LT(again.size(), std::max<std::size_t>(fresh.size() / 4, 8)) << "record again";
}

INSTANTIATE_TEST_SUITE_P(Groups, RecordedGpu, testing::ValuesIn(groups()),
                         [](const auto& group) { return group.param; });

/// Each so-manyth case, so that it takes seconds.
std::vector<Case> sample() {
    std::vector<Case> cases = all_cases(), some;
    for (std::size_t k = 0; k < cases.size(); k += 17) some.push_back(cases[k]);
    return some;
}

TEST(Recording, WarpsAgreeWithARecordingOfSingleThreads) {
    if (!test::has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
    const TempFolder folder;
    const std::string file = folder.path() / "recording";
    const std::vector<Case> cases = sample();
    Recording written;
    written.header["device"] = "the software device";
    written.records = run_all(cases, "scalar");
    written.write(file, 32);
    const Recording recording = Recording::read(file);
    EXPECT_EQ(recording.header, written.header);
    ASSERT_EQ(recording.records.size(), cases.size());
    const std::vector<Record> fresh = run_all(cases, "warp");
    for (std::size_t k = 0; k < cases.size(); ++k) {
        const Comparison result = compare(recording.records[k], fresh[k]);
        EXPECT_TRUE(result.same) << cases[k].name << '\n' << result.words;
        EXPECT_TRUE(fresh[k].code == 0 || group_of(cases[k].name) == "faults")
            << cases[k].name << ": " << fresh[k].problem;
    }
}

Record example() {
    Record record;
    record.name = "example";
    record.definition = 5;
    std::vector<std::uint32_t> words(200);
    std::vector<float> floats;
    for (std::uint32_t k = 0; k < 200; ++k) {
        words[k] = k * k;
        floats.push_back(1 + static_cast<float>(k) / 8);
    }
    record.parts = {part("words", Type::b32, words), part("floats", Type::f32, floats, {0, 0, 4}),
                    part("exact", Type::f32, floats)};
    finish(record);
    return record;
}

/// What reading gives of a file with this record.
Record kept(const Record& record, std::size_t count) {
    const std::string bytes = to_bytes(record, count);
    std::size_t at = 0;
    Record read = from_bytes(bytes, at);
    EXPECT_EQ(at, bytes.size());
    return read;
}

TEST(Recording, AChangedValueIsFound) {
    const Record good = example();
    EXPECT_TRUE(compare(kept(good, 16), good).same);
    for (const std::size_t place : {3u, 15u, 16u, 63u, 64u, 199u})
        for (const std::size_t which : {0u, 2u}) {
            Record other = example();
            other.parts[which].values[place] ^= 1;
            finish(other);
            // In the file, and in what is compared with it; with and without kept values.
            for (const std::size_t count : {0u, 16u, 64u, 1000u}) {
                EXPECT_FALSE(compare(kept(other, count), good).same) << place << ", " << count;
                EXPECT_FALSE(compare(kept(good, count), other).same) << place << ", " << count;
            }
        }
}

TEST(Recording, TolerancesEndWhereTheyShould) {
    const Record good = example();
    Record other = example();
    other.parts[1].values[150] += 4;
    const Comparison near = compare(kept(other, 16), good);
    EXPECT_TRUE(near.same);
    EXPECT_EQ(near.unequal, 1u);
    EXPECT_DOUBLE_EQ(near.worst, 1);
    other.parts[1].values[150] += 1;
    EXPECT_FALSE(compare(kept(other, 16), good).same);
    other = example();
    other.parts[1].values[7] = 0x7fc00000;
    EXPECT_FALSE(compare(kept(other, 16), good).same);
    other.parts[1].values[7] = 0x7f800000;
    EXPECT_FALSE(compare(kept(other, 16), good).same);
}

TEST(Recording, NansAreEqualAndZeroesAreNot) {
    Record a = example(), b = example();
    a.parts[2].values[100] = 0x7fffffff;
    b.parts[2].values[100] = 0xffc00000;
    finish(a), finish(b);
    EXPECT_TRUE(compare(kept(a, 0), b).same);
    EXPECT_TRUE(compare(kept(a, 200), b).same);
    a.parts[2].values[100] = 0;
    b.parts[2].values[100] = 0x80000000;
    finish(a), finish(b);
    EXPECT_FALSE(compare(kept(a, 0), b).same);
    EXPECT_FALSE(compare(kept(a, 200), b).same);
}

TEST(Recording, NansOfHalvesAreEqualHalfByHalf) {
    Record a = example(), b = example();
    for (Record* const each : {&a, &b}) each->parts[0].type = Type::f16x2;
    a.parts[0].values[100] = 0x7fff3c00;
    b.parts[0].values[100] = 0xfe003c00;
    finish(a), finish(b);
    EXPECT_TRUE(compare(kept(a, 0), b).same);
    EXPECT_TRUE(compare(kept(a, 200), b).same);
    b.parts[0].values[100] = 0xfe003c01;
    finish(b);
    EXPECT_FALSE(compare(kept(a, 0), b).same);
    EXPECT_FALSE(compare(kept(a, 200), b).same);
}

// As in a worker's piece, from which a short file is made.
TEST(Recording, ApproximateValuesAreAllKept) {
    const Record good = example();
    const Record again = kept(kept(good, 1000), 16);
    EXPECT_EQ(again.parts[0].values.size(), 16u);
    EXPECT_EQ(again.parts[1].values.size(), 200u);
    EXPECT_TRUE(compare(again, good).same);
}

TEST(Recording, AnotherCaseOrOutcomeIsFound) {
    const Record good = example();
    Record other = example();
    other.definition = 6;
    EXPECT_FALSE(compare(kept(other, 16), good).same);
    other = example();
    other.code = 700;
    EXPECT_FALSE(compare(kept(other, 16), good).same);
    other = example();
    other.parts.pop_back();
    EXPECT_FALSE(compare(kept(other, 16), good).same);
    other = example();
    other.parts[0].values.pop_back();
    finish(other);
    EXPECT_FALSE(compare(kept(other, 16), good).same);
}

TEST(Recording, DamagedFilesAreRefused) {
    const std::string bytes = to_bytes(example(), 16);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        std::size_t at = 0;
        EXPECT_THROW(from_bytes(std::string_view{bytes}.substr(0, length), at), Error) << length;
    }
    EXPECT_THROW(Recording::read("/nonexistent"), Error);
}

// The program's own processes, and that they run every case once.
TEST(Recording, WorkersWriteWhatOneProcessFinds) {
    const TempFolder folder;
    const std::string file = folder / "recording", full = folder / "full";
    const std::string command = std::string{LATHE_TEST_RECORD_KERNELS} + " " + file + " --full " +
                                full + " --only ptx/ --jobs 2 --note key=value >" +
                                (folder / "log").string();
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const Recording recording = Recording::read(file), whole = Recording::read(full);
    EXPECT_EQ(recording.header.at("key"), "value");
    EXPECT_EQ(recording.header.at("device"), "Lathe software CUDA device");
    std::vector<Case> cases = all_cases();
    std::erase_if(cases, [](const Case& one) { return !one.name.starts_with("ptx/"); });
    const std::vector<Record> fresh = run_all(cases);
    ASSERT_EQ(recording.records.size(), cases.size());
    ASSERT_EQ(whole.records.size(), cases.size());
    for (std::size_t k = 0; k < cases.size(); ++k) {
        EXPECT_EQ(recording.records[k].name, cases[k].name);
        for (const Recording* each : {&recording, &whole}) {
            const Comparison result = compare(each->records[k], fresh[k]);
            EXPECT_TRUE(result.same) << cases[k].name << '\n' << result.words;
        }
    }
    for (const auto& entry : std::filesystem::directory_iterator{folder.path()})
        EXPECT_EQ(entry.path().string().find("piece"), std::string::npos) << entry.path();
}

// Of approximate cases, all of whose values must come through workers and the full file.
TEST(Recording, AShortFileIsMadeAnewOfAFullOne) {
    const TempFolder folder;
    const std::string file = folder / "recording", full = folder / "full", anew = folder / "anew";
    const std::string program = LATHE_TEST_RECORD_KERNELS;
    const std::string log = " >" + (folder / "log").string();
    ASSERT_EQ(std::system((program + " " + file + " --full " + full +
                           " --only functions/tanh --jobs 2" + log)
                              .c_str()),
              0);
    ASSERT_EQ(std::system((program + " " + anew + " --shorten " + full + log).c_str()), 0);
    const auto bytes = [](const std::string& path) {
        std::ifstream stream{path, std::ios::binary};
        return std::string{std::istreambuf_iterator<char>{stream}, {}};
    };
    EXPECT_EQ(bytes(file), bytes(anew));
    const Recording recording = Recording::read(file);
    EXPECT_GT(recording.records.size(), 3u);
    for (const Record& record : recording.records)
        EXPECT_EQ(record.parts.at(0).values.size(), record.parts.at(0).count) << record.name;
}

TEST(Recording, NamesAreUnique) {
    std::set<std::string> names;
    for (const Case& one : all_cases()) EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_GT(names.size(), 1000u);
}

} // namespace
} // namespace lathe::recorded
