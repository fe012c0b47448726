// SPDX-License-Identifier: MIT
// What a case may do with a device: load PTX, upload, launch, read back. Everything that decides
// the results goes into a hash on the way, so that a recording can tell that its case has changed.
#pragma once

#include "gpu/driver/check.h"
#include "tests/soft/recorded/recording.h"

#include <cuda.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lathe::recorded {

/// Memory of the device, freed at the end of the scope.
class Memory {
public:
    explicit Memory(std::size_t bytes); ///< zeroes
    ~Memory();
    Memory(Memory&& other) noexcept : address_{std::exchange(other.address_, 0)} {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    CUdeviceptr get() const { return address_; }
    template <class T> std::vector<T> read(std::size_t count, std::size_t first = 0) const {
        std::vector<T> values(count);
        copy_out(values.data(), count * sizeof(T), first * sizeof(T));
        return values;
    }

private:
    void copy_out(void* to, std::size_t bytes, std::size_t offset) const;
    CUdeviceptr address_ = 0;
};

struct Grid {
    std::array<unsigned, 3> blocks{1, 1, 1}, threads{1, 1, 1};
    unsigned shared_bytes = 0;
    bool cooperative = false;
};

class Session {
public:
    Session(); ///< makes the primary context current
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// A function of a module of PTX. The module stays loaded until the next one.
    CUfunction function(const std::string& ptx, const std::string& name);
    /// The same of CUDA source, compiled by NVRTC for compute_75, fused only where the source says
    /// so: the PTX leaves no choice to the next compiler.
    CUfunction compiled(const std::string& source, const std::string& name,
                        std::vector<std::string> options = {"-fmad=false"});
    /// Source that stands for a part of a larger one: only `own` goes into the hash.
    CUfunction compiled_part(const std::string& source, const std::string& own,
                             const std::string& name);

    template <class T> Memory upload(const std::vector<T>& values) {
        return upload(values.data(), values.size() * sizeof(T));
    }
    Memory upload(const void* data, std::size_t bytes);
    /// Something else that decides the results.
    void note(const void* data, std::size_t bytes) { definition = mixed(definition, data, bytes); }
    template <class T> void note_value(const T& value) { note(&value, sizeof value); }

    /// Launches and waits. Arguments by value; addresses and handles (unsigned long long) are not
    /// part of the hash, std::uint64_t is.
    template <class... Args> void launch(CUfunction f, const Grid& grid, Args... args) {
        (note_argument(args), ...);
        void* pointers[] = {static_cast<void*>(&args)..., nullptr};
        launch_pointers(f, grid, pointers);
    }

    std::uint64_t definition = kHashStart, ptx = kHashStart; ///< of the case that runs

private:
    template <class T> void note_argument(const T& value) {
        if constexpr (!std::is_same_v<T, CUdeviceptr>) note_value(value);
    }
    void launch_pointers(CUfunction f, const Grid& grid, void** arguments);
    CUmodule module_of(const std::string& ptx);

    std::string loaded_;
    CUmodule module_ = nullptr;
    std::map<std::string, std::string> compiled_; ///< PTX by source and options, the latest
};

struct Case {
    std::string name; ///< "float/rounding_modes/add.rn.f32"
    std::function<std::vector<Part>(Session&)> run;
};

/// All cases, in the order in which they should run: those that end a context come last.
std::vector<Case> all_cases();

// One list a file.
void add_op_cases(std::vector<Case>& cases);
void add_more_op_cases(std::vector<Case>& cases);
void add_function_cases(std::vector<Case>& cases);
void add_random_cases(std::vector<Case>& cases);
void add_kernel_cases(std::vector<Case>& cases);
void add_ptx_cases(std::vector<Case>& cases);
void add_warp_cases(std::vector<Case>& cases);
void add_matrix_cases(std::vector<Case>& cases);
void add_texture_cases(std::vector<Case>& cases);
void add_surface_cases(std::vector<Case>& cases);
void add_fault_cases(std::vector<Case>& cases);

/// Runs one case; what it throws becomes its code and words.
/// `context_lost` where nothing more can run in this process.
Record run(Session& session, const Case& one, bool& context_lost);

/// Device, driver, toolkit, processor of this machine.
std::map<std::string, std::string> header_of_this_machine();

template <class T>
Part part(std::string label, Type type, const std::vector<T>& values, Tolerance tolerance = {}) {
    Part made{std::move(label), type, {}, tolerance, 0, {}, false, {}};
    made.values.reserve(values.size());
    for (const T& value : values) {
        std::uint64_t bits = 0;
        static_assert(sizeof value <= sizeof bits);
        __builtin_memcpy(&bits, &value, sizeof value);
        made.values.push_back(bits);
    }
    return made;
}

} // namespace lathe::recorded
