// SPDX-License-Identifier: MIT
#include "gpu/inspect/traced_warp.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace lathe::gpu {

namespace {

using ptx::TraceEvent;

constexpr unsigned kWarpSize = 32;
/// Of all values of variables in shared memory.
constexpr std::size_t kMostSharedBytes = std::size_t{256} << 20;

template <class T> T read_at(std::span<const std::byte> from, std::size_t at) {
    T value{};
    if (at + sizeof value <= from.size()) std::memcpy(&value, from.data() + at, sizeof value);
    return value;
}

bool is_step(TraceEvent event) { return event == TraceEvent::line || event == TraceEvent::leave; }
bool is_access(TraceEvent event) { return event >= TraceEvent::read; }

/// Calls use(site, record) for each record.
template <class Use>
void for_records(const ptx::TracePlan& plan, std::span<const std::byte> records, const Use& use) {
    while (records.size() >= sizeof(ptx::TraceHead)) {
        const auto head = read_at<ptx::TraceHead>(records, 0);
        const auto record = records.first(std::min<std::size_t>(head.bytes, records.size()));
        use(plan.sites.at(head.site), record);
        records = records.subspan(std::max(record.size(), sizeof head));
    }
}

using ElementKind = ptx::ParameterType::Kind;

/// As the instructions that access it say; where they do not, whole numbers.
ptx::ParameterType element_of(ptx::Type type, std::uint32_t all_bytes) {
    ptx::ParameterType element;
    element.bytes = ptx::bytes_of(type);
    if (element.bytes == 0 || element.bytes > all_bytes) element.bytes = all_bytes % 4 ? 1 : 4;
    const bool is_real = ptx::is_float(type) && element.bytes >= 4;
    element.kind = is_real                ? ElementKind::floating
                   : ptx::is_signed(type) ? ElementKind::signed_integer
                                          : ElementKind::unsigned_integer;
    element.type_name = std::string{ptx::name_of(type)};
    return element;
}

/// What the compiler did not say: how many elements a dynamic array has, and the type of a variable
/// that has none.
void complete(ptx::ParameterType& type, std::uint32_t bytes, ptx::Type accessed) {
    if (type.kind == ElementKind::unknown) {
        ptx::ParameterType element = element_of(accessed, bytes);
        if (element.bytes == bytes) {
            element.name = type.name;
            type = std::move(element);
            return;
        }
        type.kind = ElementKind::array;
        type.type_name = element.type_name + "[]";
        type.shape = {0};
        type.members = {std::move(element)};
    }
    if (type.kind == ElementKind::array && !type.members.empty() && type.count == 0 &&
        type.members.front().bytes && !type.shape.empty()) {
        std::uint64_t inner = type.members.front().bytes;
        for (std::size_t k = 1; k < type.shape.size(); ++k) inner *= type.shape[k];
        if (inner) type.shape.front() = bytes / inner;
        type.count = bytes / type.members.front().bytes;
    }
    type.bytes = bytes;
}

/// Shared memory as the leader last found it.
class SharedCopy {
public:
    SharedCopy(const ptx::TracePlan& plan, std::uint32_t dynamic_bytes)
        : plan_{plan}, dynamic_bytes_{dynamic_bytes}, bytes_(plan.copy_bytes + dynamic_bytes),
          known_(plan.variables.size()) {}

    void take(std::span<const std::byte> words) {
        for (std::size_t at = 0; at + sizeof(ptx::TracedWord) <= words.size();
             at += sizeof(ptx::TracedWord)) {
            const auto word = read_at<ptx::TracedWord>(words, at);
            const std::size_t bytes = word.place & ptx::kIsByte ? 1 : 4,
                              place = word.place & ~ptx::kIsByte;
            if (place + bytes > bytes_.size()) continue;
            std::memcpy(bytes_.data() + place, &word.value, bytes);
        }
        if (!words.empty()) known_.assign(known_.size(), {});
    }

    TracedBytes value(std::size_t variable) {
        const ptx::TracedShared& is = *plan_.shared[variable];
        const std::size_t bytes = is.bytes ? is.bytes : dynamic_bytes_;
        const std::byte* const from = bytes_.data() + is.place;
        Kept& known = known_[variable];
        if (known) return *known;
        Kept& last = last_[variable]; // it may be another one that has changed
        if (!last || !std::equal(from, from + bytes, last->data(), last->data() + last->size())) {
            last = TracedBytes{{from, from + bytes}};
            total_ += bytes;
        }
        known = last;
        return *known;
    }

    bool is_too_much() const { return total_ > kMostSharedBytes; }

private:
    using Kept = std::optional<TracedBytes>;

    const ptx::TracePlan& plan_;
    std::size_t dynamic_bytes_;
    std::vector<std::byte> bytes_;
    std::vector<Kept> known_; ///< by variable: since the last change
    std::unordered_map<std::size_t, Kept> last_;
    std::size_t total_ = 0;
};

} // namespace

// -- the place of a warp -------------------------------------------------------------------------

WarpPlace WarpPlace::of(const Dim3& block, const Dim3& thread, const Dim3& block_size) {
    WarpPlace place{block, block_size};
    const unsigned number = (thread.z * block_size.y + thread.y) * block_size.x + thread.x;
    place.warp = number / kWarpSize;
    place.leader = number % kWarpSize;
    place.has_leader =
        thread.x < block_size.x && thread.y < block_size.y && thread.z < block_size.z;
    return place;
}

Dim3 WarpPlace::thread(unsigned lane) const {
    const unsigned number = warp * kWarpSize + lane, row = number / block_size.x;
    return {number % block_size.x, row % block_size.y, row / block_size.y};
}

std::uint32_t WarpPlace::lanes() const {
    const auto threads = std::uint64_t{block_size.x} * block_size.y * block_size.z;
    const auto first = std::uint64_t{warp} * kWarpSize;
    if (threads <= first) return 0;
    const auto count = std::min<std::uint64_t>(threads - first, kWarpSize);
    return count == kWarpSize ? ~0u : (1u << count) - 1;
}

// -- what the records say ------------------------------------------------------------------------

TracedWarp::TracedWarp(std::shared_ptr<const TraceMeaning> meaning, const WarpPlace& place,
                       Records records, std::uint32_t cut, std::uint32_t dynamic_bytes)
    : meaning_{std::move(meaning)}, place_{place}, records_{std::move(records)}, cut_{cut},
      dynamic_bytes_{dynamic_bytes} {
    find_types();
    align();
}

std::optional<std::size_t> TracedWarp::variable_at(std::uint32_t address) const {
    for (std::size_t v = 0; v < addresses_.size(); ++v) {
        if (!addresses_[v] || address < *addresses_[v]) continue;
        const std::uint32_t bytes = meaning_->plan.shared[v]->bytes;
        if (address - *addresses_[v] < (bytes ? bytes : dynamic_bytes_)) return v;
    }
    return {};
}

void TracedWarp::find_types() {
    const ptx::TracePlan& plan = meaning_->plan;
    addresses_.resize(plan.variables.size());
    std::vector<ptx::Type> accessed(plan.variables.size());
    for_records(plan, records_[place_.leader], [&](const ptx::TraceSite& site, auto record) {
        if (site.event == TraceEvent::enter) {
            for (const ptx::TracedPlace& value : site.values)
                addresses_[value.variable] = read_at<std::uint32_t>(record, value.offset);
        } else if (is_access(site.event)) {
            const auto v = variable_at(read_at<std::uint32_t>(record, sizeof(ptx::TraceHead)));
            if (v && accessed[*v] == ptx::Type::none) accessed[*v] = site.type;
        }
    });
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
        ptx::ParameterType type = plan.variables[v];
        if (const auto& shared = plan.shared[v])
            complete(type, shared->bytes ? shared->bytes : dynamic_bytes_, accessed[v]);
        types_.push_back(std::make_shared<const ptx::ParameterType>(std::move(type)));
    }
}

std::vector<TraceStep> TracedWarp::steps(unsigned lane, bool* is_cut) const {
    /// A call that the thread is in.
    struct Call {
        std::unordered_map<std::uint32_t, TracedBytes> values; ///< as it last wrote them
        std::size_t step = 0;                                  ///< the last one, from 1
    };
    const ptx::TracePlan& plan = meaning_->plan;
    Call begun;
    for (std::uint32_t v = 0; v < plan.constants.size(); ++v) {
        const auto bytes = std::as_bytes(std::span{plan.constants[v]});
        if (!bytes.empty()) begun.values[v] = TracedBytes{{bytes.begin(), bytes.end()}};
    }
    std::vector<TraceStep> steps;
    std::vector<Call> calls;
    SharedCopy shared{plan, dynamic_bytes_};
    const bool leads = lane == place_.leader;
    for_records(plan, records_[lane], [&](const ptx::TraceSite& site, auto record) {
        if (shared.is_too_much()) {
            if (is_cut) *is_cut = true;
            return;
        }
        if (site.event == TraceEvent::enter) {
            calls.push_back(begun);
            return;
        }
        if (site.event == TraceEvent::barrier) {
            shared.take(record.subspan(site.bytes));
            return;
        }
        if (calls.empty()) return;
        Call& call = calls.back();
        if (is_access(site.event)) {
            const auto address = read_at<std::uint32_t>(record, sizeof(ptx::TraceHead));
            const auto v = variable_at(address);
            if (!v || call.step == 0) return;
            const TracedTouch touch{types_[*v], address - *addresses_[*v], site.access_bytes,
                                    site.event != TraceEvent::write,
                                    site.event != TraceEvent::read};
            auto& all = steps[call.step - 1].touched;
            if (std::ranges::find(all, touch) == all.end()) all.push_back(touch);
            return;
        }
        for (const ptx::TracedPlace& value : site.values) {
            const std::byte* const from = record.data() + value.offset;
            call.values[value.variable] = TracedBytes{{from, from + value.bytes}};
        }
        if (leads) shared.take(record.subspan(site.bytes));
        TraceStep& step = steps.emplace_back();
        call.step = steps.size();
        step.function = meaning_->functions[site.function];
        if (site.file < meaning_->files.size()) step.file = meaning_->files[site.file];
        step.line = static_cast<int>(site.line);
        step.depth = static_cast<int>(calls.size()) - 1;
        step.is_end = site.event == TraceEvent::leave;
        for (const std::uint32_t v : site.known) {
            if (!plan.shared[v]) step.values.push_back({types_[v], call.values.at(v), false});
            else if (leads) step.values.push_back({types_[v], shared.value(v), true});
        }
        if (step.is_end && calls.size() > 1) calls.pop_back();
    });
    return steps;
}

// -- lanes side by side --------------------------------------------------------------------------

/// Sites have the order of the code: the lanes at the least one go on.
void TracedWarp::align() {
    constexpr std::uint32_t kNoSite = ~0u;
    std::array<std::vector<std::uint32_t>, kWarpSize> sites;
    const ptx::TracePlan& plan = meaning_->plan;
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for_records(plan, records_[lane], [&](const ptx::TraceSite& site, auto) {
            if (is_step(site.event))
                sites[lane].push_back(static_cast<std::uint32_t>(&site - plan.sites.data()));
        });
    std::array<std::uint32_t, kWarpSize> next{};
    const auto site_of = [&](unsigned lane) {
        return next[lane] < sites[lane].size() ? sites[lane][next[lane]] : kNoSite;
    };
    while (true) {
        std::uint32_t site = kNoSite, lanes = 0;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) site = std::min(site, site_of(lane));
        if (site == kNoSite) return;
        const auto steps = next;
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            if (site_of(lane) == site) lanes |= 1u << lane, ++next[lane];
        if (!(lanes >> place_.leader & 1)) continue;
        active_.push_back(lanes);
        together_.push_back(steps);
    }
}

std::uint32_t TracedWarp::active(std::size_t step) const {
    return step < active_.size() ? active_[step] : 0;
}

std::optional<std::size_t> TracedWarp::step_of(unsigned lane, std::size_t step) const {
    if (lane >= kWarpSize || !(active(step) >> lane & 1)) return {};
    return together_[step][lane];
}

} // namespace lathe::gpu
