// SPDX-License-Identifier: MIT
#include "engine/live/inspector.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/inspector_slot.h"
#include "engine/live/kernel_slot.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace lathe {

namespace {

using std::chrono::duration;

constexpr std::chrono::milliseconds kBetweenCounts{250};
/// Frames that are not counted between two that are. Launches that come in every second or third
/// frame alone are met, too: the three gaps make 13 frames.
constexpr std::array kGaps{3, 3, 4};
constexpr std::chrono::milliseconds kBetweenSearches{1000};
constexpr int kPauseOfSearches = 20; ///< times as long as the last one took

/// A finding comes again with a larger count.
auto key_of(const gpu::HazardFinding& f) {
    const auto place = [](const gpu::HazardThread& t) {
        return std::tuple{t.file, t.line, t.inlined_at};
    };
    return std::tuple{f.hazard, f.kernel, place(f.first), place(f.second)};
}
using FindingKey = decltype(key_of({}));

} // namespace

std::string_view name_of(Inspecting mode) {
    switch (mode) {
    case Inspecting::off: return "off";
    case Inspecting::costs: return "costs";
    case Inspecting::hazards: break;
    }
    return "hazards";
}

Inspecting inspecting_from(std::string_view name) {
    for (const Inspecting mode : {Inspecting::off, Inspecting::costs, Inspecting::hazards})
        if (name == name_of(mode)) return mode;
    throw Error{fmt::format("inspecting is off, costs or hazards, got '{}'", name)};
}

std::string to_string(const InspectorNews& news) {
    const gpu::HazardFinding& what = news.finding.what;
    std::string text = fmt::format("{}:{}: ", news.slot, news.finding.line());
    if (news.finding.second > 0 && news.finding.second != news.finding.line())
        text += fmt::format("with line {}: ", news.finding.second);
    return text +
           fmt::format("{}, in {}. {}", gpu::title_of(what.hazard), what.kernel, what.message);
}

/// Launches are looked at for hazards while it lives.
struct Inspector::Search {
    explicit Search(Time now) : began{now} {
        for (const auto& finding : gpu::hazard_findings()) before[key_of(finding)] = finding.count;
    }
    /// Since it began.
    std::vector<gpu::HazardFinding> findings() const {
        std::vector<gpu::HazardFinding> grown;
        for (auto& finding : gpu::hazard_findings()) {
            const auto known = before.find(key_of(finding));
            const std::uint64_t first = known == before.end() ? 0 : known->second;
            if (finding.count <= first) continue;
            finding.count -= first;
            grown.push_back(std::move(finding));
        }
        return grown;
    }
    Time began;
    std::map<FindingKey, std::uint64_t> before;
    gpu::HazardScope scope;
};

Inspector::Inspector(std::function<Time()> now) : now_{std::move(now)} {
    if (!now_) now_ = [] { return std::chrono::steady_clock::now(); };
}
Inspector::~Inspector() = default;

std::string Inspector::problem() {
    try {
        gpu::require_inspector();
        return {};
    } catch (const Error& error) { return error.what(); }
}

void Inspector::set_mode(Inspecting mode) {
    if (mode == mode_) return;
    if (mode == Inspecting::off) {
        search_.reset();
        counting_.reset();
        rates_.reset();
        slots_.clear();
        news_.clear();
        before_.clear();
    } else if (mode_ == Inspecting::off) {
        counting_ = std::make_unique<gpu::CountingScope>();
        before_ = gpu::line_counts();
        began_ = now_();
        not_counted_ = counted_ = 0;
    }
    if (mode == Inspecting::costs) search_.reset();
    next_search_ = {};
    mode_ = mode;
}

InspectedSlot& Inspector::inspected(const KernelSlot& slot) {
    auto& known = slots_[&slot];
    if (!known) known = std::make_unique<InspectedSlot>(slot);
    return *known;
}

bool Inspector::search_is_due(std::span<KernelSlot* const> slots) const {
    if (look_soon_ || now_() >= next_search_) return true;
    return std::ranges::any_of(slots, [&](const KernelSlot* slot) {
        const auto known = slots_.find(slot);
        return slot->ready() && known != slots_.end() && known->second->wants_search();
    });
}

bool Inspector::count_is_due(std::span<KernelSlot* const> slots) {
    const bool is_wanted = look_soon_ || std::ranges::any_of(slots, [&](const KernelSlot* slot) {
                               return inspected(*slot).wants_counts();
                           });
    if (!is_wanted && not_counted_ < kGaps[std::size_t(counted_) % kGaps.size()]) {
        ++not_counted_;
        return false;
    }
    not_counted_ = 0;
    ++counted_;
    return true;
}

void Inspector::begin_frame(std::span<KernelSlot* const> slots) {
    if (mode_ == Inspecting::off) return;
    bool is_new = false;
    if (rates_wanted_ > 0 && !rates_) {
        rates_ = std::make_unique<KernelRates>();
        is_new = true; // as the counts begin with the times
    }
    for (const KernelSlot* slot : slots) is_new |= inspected(*slot).follow_version();
    const bool searches = mode_ == Inspecting::hazards && search_is_due(slots);
    if (is_new || searches) { // what ran before is not of these versions, or not of this search
        before_ = gpu::line_counts();
        began_ = now_();
        if (rates_) rates_->begin();
    }
    const bool counts = count_is_due(slots) || searches; // a search needs to know what is launched
    look_soon_ = false;
    if (!counts) counting_.reset();
    if (counts && !counting_) counting_ = std::make_unique<gpu::CountingScope>();
    if (!searches) return;
    try {
        search_ = std::make_unique<Search>(now_());
    } catch (const gpu::Error& error) { // there is no memory for it
        log::error("hazards are not searched: {}", error.what());
        mode_ = Inspecting::costs;
    }
}

void Inspector::end_frame(std::span<KernelSlot* const> slots) {
    if (!counting_) return;
    const bool is_new = std::ranges::any_of(
        slots, [&](const KernelSlot* slot) { return inspected(*slot).wants_counts(); });
    if (!search_ && !is_new && now_() - began_ < kBetweenCounts) return;
    take_counts(slots);
    if (search_) take_findings(slots);
}

void Inspector::take_counts(std::span<KernelSlot* const> slots) {
    auto sums = gpu::line_counts();
    const auto counts = counted_since(before_, sums);
    before_ = std::move(sums);
    began_ = now_();
    for (const KernelSlot* slot : slots) inspected(*slot).take(counts, began_);
    if (rates_) rates_->take(counts);
}

void Inspector::unwant_rates() {
    if (--rates_wanted_ == 0) rates_.reset();
}

std::vector<gpu::KernelRate> Inspector::rates() const {
    return rates_ ? rates_->all() : std::vector<gpu::KernelRate>{};
}

void Inspector::take_findings(std::span<KernelSlot* const> slots) {
    const auto search = std::exchange(search_, nullptr);
    const auto findings = search->findings();
    const Time now = now_();
    for (const KernelSlot* slot : slots)
        for (LineFinding& finding : inspected(*slot).take(findings, now))
            news_.push_back({slot->name(), std::move(finding)});
    const auto pause = kPauseOfSearches * (now - search->began);
    next_search_ = now + std::max<Time::duration>(pause, kBetweenSearches);
}

const SlotInspection* Inspector::of(const KernelSlot& slot) {
    const auto known = slots_.find(&slot);
    return known == slots_.end() ? nullptr : &known->second->show();
}

std::vector<InspectorNews> Inspector::take_news() { return std::exchange(news_, {}); }

std::optional<double> Inspector::age() const { return age_of(&SlotInspection::counted_at); }

std::optional<double> Inspector::search_age() const { return age_of(&SlotInspection::searched_at); }

std::optional<double> Inspector::age_of(std::optional<Time> SlotInspection::* when) const {
    std::optional<Time> newest;
    for (const auto& [slot, known] : slots_)
        if (const auto at = known->show().*when) newest = std::max(newest.value_or(*at), *at);
    if (!newest) return {};
    return duration<double>(now_() - *newest).count();
}

} // namespace lathe
