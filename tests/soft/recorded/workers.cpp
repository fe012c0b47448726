// SPDX-License-Identifier: MIT
#include "tests/soft/recorded/workers.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

namespace lathe::recorded {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kTurn = 10;   // cases that share a module stay together
constexpr double kLongestCase = 20; // seconds; the first one starts the driver, too
constexpr double kLongestStart = 60;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The first process's view of a worker.
struct Worker {
    WorkerShare share;
    pid_t process = -1;
    int pipe = -1;
    std::size_t current = kNone; ///< the case it is at
    Clock::time_point since{};   ///< when it said so
    std::string unread;
    bool running() const { return process > 0; }
};

class Crew {
public:
    Crew(const std::vector<Case>& cases, std::string only, std::string file)
        : cases_{cases}, only_{std::move(only)}, file_{std::move(file)} {}

    void run(unsigned jobs, bool faults, Clock::time_point end) {
        std::vector<Worker> workers(jobs);
        for (unsigned k = 0; k < jobs; ++k) {
            workers[k].share = {k, jobs, 0, faults, 0, ""};
            start(workers[k]);
        }
        for (;;) {
            std::vector<pollfd> polled;
            for (const Worker& worker : workers)
                if (worker.running()) polled.push_back({worker.pipe, POLLIN, 0});
            if (polled.empty()) return;
            poll(polled.data(), polled.size(), 200);
            const bool late = Clock::now() > end;
            for (Worker& worker : workers) {
                if (!worker.running()) continue;
                listen(worker);
                const double limit = worker.current == kNone ? kLongestStart : kLongestCase;
                if (late) {
                    finish(worker, "the time was up", false);
                } else if (seconds_since(worker.since) > limit) {
                    finish(worker, fmt::format("it did not end in {} s", limit), true);
                } else if (int status = 0; waitpid(worker.process, &status, WNOHANG) > 0) {
                    listen(worker);
                    ended(worker, status);
                }
            }
        }
    }

    Recording gathered() {
        Recording recording;
        std::map<std::string, Record> found = std::move(lost_);
        for (const std::string& piece : pieces_) {
            std::ifstream stream{piece, std::ios::binary};
            const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
            std::size_t at = bytes.find("\n\n");
            if (at != bytes.npos) {
                std::istringstream lines{bytes.substr(0, at)};
                for (std::string line; std::getline(lines, line);)
                    if (const std::size_t colon = line.find(": "); colon != line.npos)
                        recording.header[line.substr(0, colon)] = line.substr(colon + 2);
                at += 2;
                try { // a worker that was ended may have left half a record
                    while (at < bytes.size()) {
                        Record record = from_bytes(bytes, at);
                        found[record.name] = std::move(record);
                    }
                } catch (const Error&) {}
            }
            std::filesystem::remove(piece);
        }
        for (const Case& one : cases_)
            if (const auto at = found.find(one.name); at != found.end())
                recording.records.push_back(std::move(at->second));
        return recording;
    }

private:
    void start(Worker& worker) {
        int ends[2];
        if (pipe(ends) != 0) throw Error{"pipe failed"};
        worker.share.reports = ends[1];
        worker.share.piece = fmt::format("{}.piece{}", file_, pieces_.size());
        pieces_.push_back(worker.share.piece);
        const std::string text = worker.share.text(),
                          program = std::filesystem::read_symlink("/proc/self/exe");
        worker.process = fork();
        if (worker.process == 0) {
            close(ends[0]);
            execl(program.c_str(), program.c_str(), "--worker", text.c_str(), "--only",
                  only_.c_str(), static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        if (worker.process < 0) {
            close(ends[0]);
            throw Error{"fork failed"};
        }
        worker.pipe = ends[0];
        worker.current = kNone;
        worker.since = Clock::now();
        worker.unread.clear();
    }

    void listen(Worker& worker) {
        pollfd polled{worker.pipe, POLLIN, 0};
        char buffer[4096];
        while (poll(&polled, 1, 0) > 0 && polled.revents & POLLIN) {
            const ssize_t got = ::read(worker.pipe, buffer, sizeof buffer);
            if (got <= 0) break;
            worker.unread.append(buffer, static_cast<std::size_t>(got));
        }
        for (std::size_t line; (line = worker.unread.find('\n')) != std::string::npos;) {
            worker.current = std::stoull(worker.unread.substr(0, line));
            worker.unread.erase(0, line + 1);
            worker.since = Clock::now();
        }
    }

    /// Ends it; goes on behind the case it was at where `again`.
    void finish(Worker& worker, const std::string& why, bool again) {
        kill(worker.process, SIGKILL);
        const auto began = Clock::now();
        int status = 0;
        // A process that hangs in the driver may not die at once: leave it then.
        while (waitpid(worker.process, &status, WNOHANG) == 0 && seconds_since(began) < 3)
            usleep(20'000);
        note(worker, why);
        leave(worker, again);
    }

    void ended(Worker& worker, int status) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            leave(worker, false);
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
            leave(worker, true); // it has recorded the case that lost the context
        } else {
            note(worker, WIFSIGNALED(status)
                             ? fmt::format("its process died of signal {}", WTERMSIG(status))
                             : fmt::format("its process ended with {}", WEXITSTATUS(status)));
            leave(worker, true);
        }
    }

    void note(const Worker& worker, const std::string& why) {
        if (worker.current == kNone) {
            fmt::print("a worker did not begin: {}\n", why);
            return;
        }
        Record record;
        record.name = cases_[worker.current].name;
        record.code = -2;
        record.problem = why;
        fmt::print("{}: {}\n", record.name, why);
        lost_[record.name] = std::move(record);
    }

    void leave(Worker& worker, bool again) {
        close(worker.pipe);
        worker.process = -1;
        std::fflush(stdout);
        // One that never began will not begin the next time, and many losses mean a lost device.
        if (!again || worker.current == kNone || ++restarts_ > 40) return;
        worker.share.first = worker.current + 1;
        start(worker);
    }

    const std::vector<Case>& cases_;
    std::string only_, file_;
    std::vector<std::string> pieces_;
    std::map<std::string, Record> lost_;
    int restarts_ = 0;
};

} // namespace

WorkerShare WorkerShare::parse(const std::string& text) {
    WorkerShare share;
    std::istringstream words{text};
    words >> share.turn >> share.workers >> share.first >> share.faults >> share.reports;
    std::getline(words >> std::ws, share.piece);
    return share;
}

std::string WorkerShare::text() const {
    return fmt::format("{} {} {} {:d} {} {}", turn, workers, first, faults, reports, piece);
}

bool WorkerShare::has(std::size_t index, const Case& one) const {
    return index >= first && one.name.starts_with("faults/") == faults &&
           index / kTurn % workers == turn;
}

int work(const std::vector<Case>& cases, const WorkerShare& share) {
    std::FILE* const piece = std::fopen(share.piece.c_str(), "wb");
    if (!piece) throw Error{share.piece + " could not be written"};
    Session session;
    std::string header;
    for (const auto& [key, value] : header_of_this_machine())
        header += fmt::format("{}: {}\n", key, value);
    header += "\n";
    std::fwrite(header.data(), 1, header.size(), piece);
    std::fflush(piece);
    for (std::size_t index = 0; index < cases.size(); ++index) {
        if (!share.has(index, cases[index])) continue;
        const std::string begin = fmt::format("{}\n", index);
        if (write(share.reports, begin.data(), begin.size()) < 0) return 1;
        bool lost = false;
        const std::string bytes = to_bytes(run(session, cases[index], lost), kAll);
        std::fwrite(bytes.data(), 1, bytes.size(), piece);
        std::fflush(piece);
        if (lost) _exit(3); // the driver's own end may hang
    }
    std::fclose(piece);
    return 0;
}

Recording run_in_workers(const std::vector<Case>& cases, const std::string& only, unsigned jobs,
                         double seconds, const std::string& file) {
    const auto end = Clock::now() + std::chrono::milliseconds{static_cast<int>(1000 * seconds)};
    Crew crew{cases, only, file};
    crew.run(jobs, false, end - std::chrono::seconds{10});
    crew.run(1, true, end);
    return crew.gathered();
}

} // namespace lathe::recorded
