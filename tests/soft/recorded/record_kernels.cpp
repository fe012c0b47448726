// SPDX-License-Identifier: MIT
// Runs all cases on the device that LATHE_DEVICE chooses and writes what they gave.
//   record_kernels FILE [--full FILE] [--only WORD] [--jobs N] [--seconds N] [--note KEY=VALUE]...
//   record_kernels --compare FILE [--only WORD]   the device at hand against a file
//   record_kernels --shorten FULL FILE            FILE anew from the values of a full file
//   record_kernels --list
//   record_kernels --ptx FOLDER [--only WORD]     the PTX of each case, for other compilers
// The cases run in processes of their own (workers.h): one that hangs, or loses the context, costs
// the others nothing. FILE has the first values of exact results and hashes of the rest; the full
// file has all values.
#include "engine/core/error.h"
#include "tests/soft/recorded/compare.h"
#include "tests/soft/recorded/session.h"
#include "tests/soft/recorded/workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <thread>

namespace lathe::recorded {
namespace {

constexpr std::size_t kKept = 128;

struct Options {
    std::string file, full, compare, shorten, ptx, only;
    bool list = false;
    unsigned jobs = std::clamp(std::thread::hardware_concurrency() / 2, 1u, 8u);
    double seconds = 110;
    std::map<std::string, std::string> notes;
    std::optional<WorkerShare> worker;
};

Options parsed(int count, char** words) {
    Options options;
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k];
        const auto next = [&]() -> std::string {
            if (++k >= count) throw Error{word + " wants a value"};
            return words[k];
        };
        if (word == "--full") options.full = next();
        else if (word == "--compare") options.compare = next();
        else if (word == "--shorten") options.shorten = next();
        else if (word == "--ptx") options.ptx = next();
        else if (word == "--only") options.only = next();
        else if (word == "--list") options.list = true;
        else if (word == "--jobs") options.jobs = static_cast<unsigned>(std::stoul(next()));
        else if (word == "--seconds") options.seconds = std::stod(next());
        else if (word == "--worker") options.worker = WorkerShare::parse(next());
        else if (word == "--note") {
            const std::string note = next();
            const std::size_t equals = note.find('=');
            if (equals == note.npos) throw Error{"--note wants KEY=VALUE"};
            options.notes[note.substr(0, equals)] = note.substr(equals + 1);
        } else if (word.starts_with("-") || !options.file.empty())
            throw Error{"unknown argument " + word};
        else options.file = word;
    }
    return options;
}

std::vector<Case> chosen(const Options& options) {
    std::vector<Case> cases = all_cases();
    std::erase_if(cases,
                  [&](const Case& one) { return one.name.find(options.only) == one.name.npos; });
    return cases;
}

int compare_with_file(const Options& options) {
    const Recording recording = Recording::read(options.compare);
    Session session;
    std::size_t differing = 0, known = 0, missing = 0, same = 0;
    for (const Case& one : chosen(options)) {
        const Record* const recorded = recording.find(one.name);
        if (!recorded) {
            ++missing;
            continue;
        }
        bool lost = false;
        const Record fresh = run(session, one, lost);
        const Comparison result = compare(*recorded, fresh);
        const char* const reason = known_difference(one.name);
        result.same ? ++same : reason ? ++known : ++differing;
        if (!result.same)
            fmt::print("{}{}{}\n{}", one.name, reason ? ", known: " : "", reason ? reason : "",
                       result.words);
        else if (result.unequal)
            fmt::print("{}: {} of {} values have other bits, at most {:.2f} of the tolerance\n",
                       one.name, result.unequal, result.values, result.worst);
        if (lost) throw Error{"the context is lost"};
    }
    fmt::print("{} cases agree, {} differ, {} differ for known reasons, {} are not recorded\n",
               same, differing, known, missing);
    return differing ? 1 : 0;
}

/// The device's values with the types and tolerances that the cases have by now, for which they
/// run here.
int shorten(const Options& options) {
    if (options.file.empty()) throw Error{"which file? See the head of record_kernels.cpp"};
    Recording recording = Recording::read(options.shorten);
    const std::vector<Case> cases = all_cases();
    Session session;
    std::vector<Record> kept;
    for (const Case& one : cases) {
        const Record* const recorded = recording.find(one.name);
        if (!recorded) continue;
        kept.push_back(*recorded);
        std::vector<Part>& parts = kept.back().parts;
        bool lost = false;
        const Record here = run(session, one, lost);
        if (lost) throw Error{"the context is lost"};
        for (std::size_t k = 0; k < std::min(parts.size(), here.parts.size()); ++k) {
            if (parts[k].values.size() != parts[k].count) throw Error{"no full file"};
            parts[k].approximate = here.parts[k].approximate;
            if (bytes_of(parts[k].type) == bytes_of(here.parts[k].type))
                parts[k].type = here.parts[k].type;
        }
        finish(kept.back());
    }
    recording.records = std::move(kept);
    recording.write(options.file, kKept);
    return 0;
}

int write_ptx(const Options& options) {
    std::filesystem::create_directories(options.ptx);
    setenv("LATHE_RECORDED_PTX", options.ptx.c_str(), 1);
    Session session;
    for (const Case& one : chosen(options)) {
        bool lost = false;
        const Record record = run(session, one, lost);
        if (record.code) fmt::print("{}: {} {}\n", one.name, record.code, record.problem);
    }
    return 0;
}

int record(const Options& options) {
    if (options.file.empty()) throw Error{"which file? See the head of record_kernels.cpp"};
    const std::vector<Case> cases = chosen(options);
    Recording recording =
        run_in_workers(cases, options.only, options.jobs, options.seconds, options.file);
    for (const auto& [key, value] : options.notes) recording.header[key] = value;
    if (recording.header.empty()) throw Error{"no worker came as far as the device"};
    recording.write(options.file, kKept);
    if (!options.full.empty())
        recording.write(options.full, std::numeric_limits<std::size_t>::max());
    std::map<std::string, int> failed;
    for (const Record& one : recording.records)
        if (one.code && !one.name.starts_with("faults/")) {
            fmt::print("{}: code {}, {}\n", one.name, one.code, one.problem);
            ++failed[one.name.substr(0, one.name.find('/'))];
        }
    for (const auto& [key, value] : recording.header) fmt::print("{}: {}\n", key, value);
    for (const auto& [group, count] : failed) fmt::print("{} of {} failed\n", count, group);
    fmt::print("{} of {} cases recorded, {} bytes in {}\n", recording.records.size(), cases.size(),
               std::filesystem::file_size(options.file), options.file);
    return recording.records.size() == cases.size() && failed.empty() ? 0 : 1;
}

int main_of(int count, char** words) {
    const Options options = parsed(count, words);
    if (options.worker) return work(chosen(options), *options.worker);
    if (options.list) {
        for (const Case& one : chosen(options)) fmt::print("{}\n", one.name);
        return 0;
    }
    if (!options.compare.empty()) return compare_with_file(options);
    if (!options.shorten.empty()) return shorten(options);
    if (!options.ptx.empty()) return write_ptx(options);
    return record(options);
}

} // namespace
} // namespace lathe::recorded

int main(int count, char** words) {
    try {
        return lathe::recorded::main_of(count, words);
    } catch (const std::exception& error) {
        fmt::print(stderr, "record_kernels: {}\n", error.what());
        return 2;
    }
}
