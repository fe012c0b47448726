// SPDX-License-Identifier: MIT
#include "gpu/array/launch_notes.h"

#include "engine/core/source_name.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lathe::gpu {

std::atomic<int> detail::noting_launches{0};

namespace {

struct Note {
    ArrayPlace place;
    LaunchedThreads threads;
    Kernel kernel;
    bool is_sure = false;
    bool is_known = true; ///< which kernel it was
};

/// Of one memory, the last launch at the end; parts of it may be given to different ones.
struct NotesOfMemory {
    std::weak_ptr<const void> owner;
    std::vector<Note> notes;
};

constexpr std::size_t kMostNotes = 4;    // of one memory
constexpr std::size_t kFirstSweep = 256; // memories

struct Table {
    std::mutex mutex;
    std::unordered_map<const void*, NotesOfMemory> memories;
    std::size_t next_sweep = kFirstSweep;

    /// Of the memory of that owner. A loop's launches look here, and find it at once.
    NotesOfMemory& of(const void* owner) {
        Recent& recent = recents[reinterpret_cast<std::uintptr_t>(owner) / 16 % recents.size()];
        if (recent.owner != owner) recent = {owner, &memories[owner]};
        return *recent.notes;
    }
    /// Before memories go.
    void forget_recents() { recents.fill({}); }

private:
    struct Recent {
        const void* owner;
        NotesOfMemory* notes; ///< stays where it is while others come
    };
    std::array<Recent, 64> recents{};
};
Table& table() {
    static auto* const made = new Table; // launches of a process that ends may come later
    return *made;
}

template <class A, class B> bool are_same(const A& a, const B& b) noexcept {
    return !a.owner_before(b) && !b.owner_before(a);
}

/// What is known of memory that is gone.
void sweep(Table& t) {
    t.forget_recents();
    std::erase_if(t.memories, [](const auto& each) { return each.second.owner.expired(); });
    t.next_sweep = std::max(kFirstSweep, 2 * t.memories.size());
}

/// The note of what lies there, as the last one.
Note& last_note(NotesOfMemory& memory, const Array& array) {
    std::vector<Note>& notes = memory.notes;
    if (!notes.empty() && notes.back().place.is_of(array)) [[likely]]
        return notes.back();
    const auto found = std::find_if(notes.begin(), notes.end(),
                                    [&](const Note& each) { return each.place.is_of(array); });
    if (found != notes.end()) {
        std::rotate(found, found + 1, notes.end());
        return notes.back();
    }
    if (notes.size() == kMostNotes) notes.erase(notes.begin());
    Note& made = notes.emplace_back();
    made.place = ArrayPlace{array};
    return made;
}

using Sizes = std::array<std::uint64_t, 3>; // along x, y, z

Sizes sizes_of(const Dim3& d) { return {d.x, d.y, d.z}; }

/// Whether the launch has a thread for each, and no block more than that takes.
bool cover(const LaunchedThreads& threads, const Sizes& elements, std::size_t axes) {
    const Sizes exact = sizes_of(threads.elements);
    if (exact[0] != 0) return exact == elements;
    const Sizes grid = sizes_of(threads.grid), block = sizes_of(threads.block);
    for (std::size_t k = 0; k < 3; ++k) {
        if (k >= axes && block[k] != 1) return false;
        if (grid[k] != (elements[k] + block[k] - 1) / block[k]) return false;
    }
    return true;
}

struct Thread {
    Dim3 block, thread;
    bool operator==(const Thread&) const = default;
};

Thread thread_at(const LaunchedThreads& threads, const Sizes& at) {
    const Sizes size = sizes_of(threads.block);
    std::array<unsigned, 3> block{}, thread{};
    for (std::size_t k = 0; k < 3; ++k) {
        block[k] = unsigned(at[k] / size[k]);
        thread[k] = unsigned(at[k] % size[k]);
    }
    return {{block[0], block[1], block[2]}, {thread[0], thread[1], thread[2]}};
}

/// The thread of some bytes of what a launch was given, by all ways in which its threads can be
/// those of the array.
class Search {
public:
    Search(const Note& note, std::uint64_t first, std::uint64_t last)
        : note_{note}, first_{first}, last_{last} {}

    std::optional<Thread> operator()() {
        const ArrayPlace& place = note_.place;
        std::uint64_t total = 1, bytes = place.item_bytes;
        for (std::size_t k = 0; k < place.axes; ++k) bytes *= std::uint64_t(place.shape[k]);
        for (std::size_t axes = 1; axes <= place.axes; ++axes) {
            const auto size = std::uint64_t(place.shape[axes - 1]);
            total *= size;
            bytes /= size;
            look(total, bytes, 1, {total, 1, 1});
            if (axes == 2) look(total, bytes, 2, {size, std::uint64_t(place.shape[0]), 1});
            if (axes == 3)
                look(total, bytes, 3,
                     {size, std::uint64_t(place.shape[1]), std::uint64_t(place.shape[0])});
        }
        return differ_ ? std::nullopt : found_;
    }

private:
    void look(std::uint64_t count, std::uint64_t bytes, std::size_t axes, const Sizes& sizes) {
        if (count > std::uint64_t(std::numeric_limits<std::int32_t>::max()) * 2 + 1 ||
            !cover(note_.threads, sizes, axes))
            return;
        const std::uint64_t at = first_ / bytes;
        if (last_ / bytes != at) { // several threads wrote it
            differ_ = true;
            return;
        }
        const Thread thread = thread_at(
            note_.threads, {at % sizes[0], at / sizes[0] % sizes[1], at / sizes[0] / sizes[1]});
        differ_ = differ_ || (found_ && *found_ != thread);
        found_ = thread;
    }

    const Note& note_;
    std::uint64_t first_, last_; ///< bytes of it
    std::optional<Thread> found_;
    bool differ_ = false;
};

/// Bytes of `axes` axes from `first` on, 0 where they do not lie together.
std::uint64_t bytes_behind(const ArrayPlace& place, std::size_t first) {
    auto bytes = std::int64_t(place.item_bytes);
    for (std::size_t k = place.axes; k-- > first;) {
        if (place.shape[k] != 1 && place.strides[k] != bytes) return 0;
        bytes *= place.shape[k];
    }
    return std::uint64_t(bytes);
}

} // namespace

ArrayPlace::ArrayPlace(const Array& array) {
    if (!array.owner() || array.dimensions() > kMostAxes || array.size() == 0) return;
    owner = array.owner();
    offset_bytes = array.graphics_offset();
    axes = array.dimensions();
    item_bytes = array.type().bytes;
    std::copy(array.shape().begin(), array.shape().end(), shape.begin());
    std::copy(array.strides().begin(), array.strides().end(), strides.begin());
}

bool ArrayPlace::is_of(const Array& array) const noexcept {
    if (axes != array.dimensions() || item_bytes != array.type().bytes ||
        offset_bytes != array.graphics_offset())
        return false;
    for (std::size_t k = 0; k < axes; ++k)
        if (shape[k] != array.shape()[k] || strides[k] != array.strides()[k]) return false;
    return true;
}

NotedLaunches::~NotedLaunches() {
    if (--detail::noting_launches != 0) return;
    Table& t = table();
    const std::scoped_lock lock{t.mutex};
    t.forget_recents();
    t.memories.clear();
}

void note_launch(const Kernel& kernel, const LaunchedThreads& threads,
                 std::span<const Array* const> written, bool is_sure) {
    if (!NotedLaunches::are_wanted()) return;
    Table& t = table();
    const std::scoped_lock lock{t.mutex};
    for (const Array* const array : written) {
        if (!array->owner() || array->dimensions() > ArrayPlace::kMostAxes || array->size() == 0)
            continue;
        NotesOfMemory& memory = t.of(array->owner().get());
        if (!are_same(memory.owner, array->owner())) { // another one at its address
            memory.owner = array->owner();
            memory.notes.clear();
        }
        Note& note = last_note(memory, *array);
        const bool is_same = &note.kernel.name() == &kernel.name(); // the very same, kept by both
        const bool is_another =
            !is_same && note.kernel.get() && note.kernel.name() != kernel.name();
        if (is_sure) note.is_known = true;
        else if (is_another && !note.is_sure) note.is_known = false;
        else if (is_another) continue; // it may have read what the other one wrote
        note.threads = threads;
        if (!is_same) note.kernel = kernel;
        note.is_sure = is_sure;
    }
    if (t.memories.size() > t.next_sweep) sweep(t);
}

std::optional<ThreadOfKernel> thread_of(const ArrayPlace& place,
                                        std::span<const std::int64_t> index) {
    if (index.size() > place.axes || place.owner.expired()) return {};
    std::uint64_t first = place.offset_bytes;
    for (std::size_t k = 0; k < index.size(); ++k) {
        if (index[k] < 0 || index[k] >= place.shape[k]) return {};
        first += std::uint64_t(index[k] * place.strides[k]);
    }
    const std::uint64_t bytes = bytes_behind(place, index.size());
    if (bytes == 0) return {};
    Table& t = table();
    const std::scoped_lock lock{t.mutex};
    const auto memory = t.memories.find(place.owner.lock().get());
    if (memory == t.memories.end() || !are_same(memory->second.owner, place.owner)) return {};
    const std::vector<Note>& notes = memory->second.notes;
    for (std::size_t k = notes.size(); k-- > 0;) {
        const Note& note = notes[k];
        const std::uint64_t begin = note.place.offset_bytes;
        const std::uint64_t length = bytes_behind(note.place, 0);
        if (length == 0) return {}; // where it wrote is not known
        if (first < begin || first + bytes > begin + length) continue;
        if (!note.is_known) return {};
        const auto found = Search{note, first - begin, first + bytes - 1 - begin}();
        if (!found) return {};
        return ThreadOfKernel{source_name(note.kernel.name()), found->block, found->thread};
    }
    return {};
}

} // namespace lathe::gpu
