// SPDX-License-Identifier: MIT
#include "python/bind/cuda/host_function.h"

#include "engine/core/log.h"
#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

struct Job {
    std::shared_ptr<PyCall> call;
    bool begun = false;
    bool done = false;
    bool is_left_out = false;
};

/// From threads of the driver to the one thread of Python's.
class Queue {
public:
    static Queue& instance() {
        static auto* const queue = new Queue; // threads of the driver may outlive static objects
        return *queue;
    }

    void run(std::shared_ptr<PyCall> call) {
        const auto job = std::make_shared<Job>();
        job->call = std::move(call);
        std::unique_lock lock{mutex_};
        if (closed_) return;
        jobs_.push_back(job);
        changed_.notify_all();
        using Clock = std::chrono::steady_clock;
        auto since = Clock::now();
        while (!closed_ && !job->done) {
            if (job->begun || running_) { // it will end, or the one before it
                changed_.wait(lock);
                since = Clock::now();
            } else if (changed_.wait_until(lock, since + patience_) == std::cv_status::timeout &&
                       Clock::now() - since >= patience_ && !job->begun && !running_) {
                // Later it would run beside work that was to come after it.
                job->is_left_out = true;
                std::erase(jobs_, job);
                ++left_out_;
                log::warning("a host function has waited {} s for Python's lock, which somebody "
                             "holds: it is left out, and the next call that waits for the device "
                             "raises",
                             std::chrono::duration<double>(patience_).count());
                return;
            }
        }
    }

    void set_patience(std::chrono::milliseconds patience) {
        std::lock_guard lock{mutex_};
        patience_ = patience;
    }
    /// How many functions were left out since the last call.
    unsigned take_left_out() {
        std::lock_guard lock{mutex_};
        return std::exchange(left_out_, 0);
    }

    /// The next one, after the last one's end; null at the program's end. Without Python's lock.
    std::shared_ptr<Job> next(std::shared_ptr<Job> last) {
        if (last) {
            std::lock_guard lock{mutex_};
            last->done = true;
            running_ = false;
            changed_.notify_all();
        }
        last.reset(); // without the lock: the last one to have it leaves its references here
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
        if (closed_) return nullptr;
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        return job;
    }

    /// The thread of Python's has the lock, and calls it now. False where it must not any more.
    bool begin(Job& job) {
        std::lock_guard lock{mutex_};
        if (job.is_left_out) return false;
        job.begun = running_ = true;
        changed_.notify_all();
        return true;
    }

    void close() {
        std::lock_guard lock{mutex_};
        closed_ = true;
        changed_.notify_all();
    }
    bool closed() {
        std::lock_guard lock{mutex_};
        return closed_;
    }

    /// References that a thread without Python's lock could not give back.
    void leave(PyObject* object) {
        std::lock_guard lock{mutex_};
        left_.push_back(object);
    }
    /// Under Python's lock.
    void tidy() {
        std::vector<PyObject*> left;
        {
            std::lock_guard lock{mutex_};
            left.swap(left_);
        }
        for (PyObject* object : left) Py_DECREF(object);
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::vector<PyObject*> left_;
    std::chrono::milliseconds patience_{std::chrono::seconds{10}};
    unsigned left_out_ = 0;
    bool running_ = false;
    bool closed_ = false;
};

thread_local bool is_thread_for_host_functions = false;

/// What the thread of Python's asks for, again and again.
class Worker {
public:
    /// (function, arguments), or None at the end.
    py::object next() {
        is_thread_for_host_functions = true;
        Queue::instance().tidy();
        do {
            const GilRelease release;
            job_ = Queue::instance().next(std::move(job_));
        } while (job_ && !Queue::instance().begin(*job_));
        if (!job_) return py::none();
        return job_->call->get();
    }

private:
    std::shared_ptr<Job> job_;
};

} // namespace

PyCall::PyCall(py::object function, py::tuple arguments)
    : pair_{py::make_tuple(std::move(function), std::move(arguments)).release().ptr()} {
    if (!PyCallable_Check(PyTuple_GET_ITEM(pair_, 0))) {
        const py::object pair = py::reinterpret_steal<py::object>(pair_);
        throw py::type_error("a host function must be callable, got " +
                             py::repr(pair.cast<py::tuple>()[0]).cast<std::string>());
    }
}

PyCall::~PyCall() {
    if (!Py_IsInitialized()) return;
    if (PyGILState_Check()) Py_DECREF(pair_);
    else Queue::instance().leave(pair_);
}

void PyCall::set(py::object function, py::tuple arguments) {
    PyCall other{std::move(function), std::move(arguments)};
    std::swap(pair_, other.pair_);
}

py::tuple PyCall::get() const { return py::reinterpret_borrow<py::tuple>(pair_); }

std::function<void()> host_function(std::shared_ptr<PyCall> call) {
    py::module_::import("lathe.cuda.host_functions").attr("start")();
    Queue::instance().tidy();
    expect_python_in_streams();
    return [call = std::move(call)] { Queue::instance().run(call); };
}

void refuse_in_host_function(const char* routine) {
    if (is_thread_for_host_functions)
        throw gpu::Error{routine, CUDA_ERROR_NOT_PERMITTED,
                         "a host function must not wait for the device: its stream waits for it"};
}

void raise_left_out(const char* routine) {
    if (const unsigned count = Queue::instance().take_left_out())
        throw gpu::Error{routine, CUDA_ERROR_LAUNCH_TIMEOUT,
                         fmt::format("{} host function{} left out: nobody let go of Python's lock, "
                                     "and the stream went on without",
                                     count, count == 1 ? " was" : "s were")};
}

void bind_host_function(py::module_& m) {
    py::class_<Worker>(m, "HostFunctionWorker", "Of lathe.cuda.host_functions.")
        .def(py::init<>())
        .def("next", &Worker::next, "(function, arguments) to call, or None when all is over.");
    m.def(
        "set_host_function_patience",
        [](double seconds) {
            Queue::instance().set_patience(
                std::chrono::milliseconds{static_cast<long long>(seconds * 1000)});
        },
        py::arg("seconds"), "How long a stream waits for Python's lock; for tests.");
    m.def(
        "close_host_functions", [] { Queue::instance().close(); },
        "No more of them: streams go on, and the worker ends.");
}

} // namespace lathe::bind
