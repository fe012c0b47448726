// SPDX-License-Identifier: MIT
#include "engine/live/inspector.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/inspector_slot.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/launch_replays.h"
#include "gpu/driver/check.h"
#include "gpu/inspect/launch_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace lathe {

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenCounts{250};
/// Frames that are not counted between two that are. Launches that come in every second or third
/// frame alone are met, too: the three gaps make 13 frames.
constexpr std::array kGaps{3, 3, 4};
constexpr std::chrono::milliseconds kBetweenSearches{1000};
constexpr int kPauseOfSearches = 20; ///< times as long as the last one took
constexpr int kPauseOfReplays = 4;

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

Inspector::Inspector(gpu::Device device, InspectorWay way) : device_{device}, way_{way} {}
Inspector::~Inspector() = default;

std::string Inspector::problem() {
    if (const std::string why = gpu::driver_problem(); !why.empty()) return why;
    return gpu::can_inspect() ? std::string{} : gpu::replay_problem();
}

std::string Inspector::rates_problem() {
    if (const std::string why = gpu::driver_problem(); !why.empty()) return why;
    return gpu::can_inspect() ? ""
                              : "Launches are timed on the software device only: set "
                                "LATHE_DEVICE=software. Nsight Compute draws a GPU's roofline.";
}

bool Inspector::is_by_replays() const {
    return way_ == InspectorWay::replays || !gpu::can_inspect();
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
        replays_.reset();
        told_.clear();
    } else if (mode_ == Inspecting::off && is_by_replays()) {
        if (const std::string why = gpu::replay_problem(); !why.empty()) throw Error{why};
        replays_ = std::make_unique<LaunchReplays>(device_);
        next_replays_ = {};
    } else if (mode_ == Inspecting::off) {
        counting_ = std::make_unique<gpu::CountingScope>();
        before_ = gpu::line_counts();
        began_ = steady_clock::now();
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
    if (look_soon_ || steady_clock::now() >= next_search_) return true;
    return std::ranges::any_of(slots, [&](const KernelSlot* slot) {
        const auto known = slots_.find(slot);
        return slot->ready() && known != slots_.end() && known->second->wants_search();
    });
}

bool Inspector::want_counts(std::span<KernelSlot* const> slots) {
    return std::ranges::any_of(
        slots, [&](const KernelSlot* slot) { return inspected(*slot).wants_counts(); });
}

bool Inspector::count_is_due(std::span<KernelSlot* const> slots) {
    const bool is_wanted = look_soon_ || want_counts(slots);
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
    if (replays_) return begin_replays(slots);
    bool is_new = false;
    if (rates_wanted_ > 0 && !rates_) {
        rates_ = std::make_unique<KernelRates>();
        is_new = true; // as the counts begin with the times
    }
    for (const KernelSlot* slot : slots) is_new |= inspected(*slot).follow_version();
    const bool searches = mode_ == Inspecting::hazards && search_is_due(slots);
    if (is_new || searches) { // what ran before is not of these versions, or not of this search
        before_ = gpu::line_counts();
        began_ = steady_clock::now();
        if (rates_) rates_->begin();
    }
    const bool counts = count_is_due(slots) || searches; // a search needs to know what is launched
    look_soon_ = false;
    if (!counts) counting_.reset();
    if (counts && !counting_) counting_ = std::make_unique<gpu::CountingScope>();
    if (!searches) return;
    try {
        search_.emplace();
        search_began_ = steady_clock::now();
    } catch (const gpu::Error& error) { // there is no memory for it
        log::error("hazards are not searched: {}", error.what());
        mode_ = Inspecting::costs;
    }
}

void Inspector::begin_replays(std::span<KernelSlot* const> slots) {
    for (const KernelSlot* slot : slots) inspected(*slot).follow_version();
    take_replays(slots);
    if (replays_->is_busy()) return;
    const bool searches = mode_ == Inspecting::hazards && search_is_due(slots);
    const bool is_wanted = look_soon_ || want_counts(slots);
    if (!searches && !is_wanted && steady_clock::now() < next_replays_) return;
    look_soon_ = false;
    replays_->begin_frame(searches);
}

LaunchWatch* Inspector::launch_watch() { return replays_.get(); }

bool Inspector::is_searching() const { return search_ || (replays_ && replays_->is_searching()); }

void Inspector::end_frame(std::span<KernelSlot* const> slots) {
    if (replays_) {
        if (replays_->is_armed() && !replays_->end_frame())
            for (const KernelSlot* slot : slots)
                inspected(*slot).take(std::span<gpu::LineCounts>{}, steady_clock::now());
        return;
    }
    if (!counting_) return;
    const bool is_new = want_counts(slots);
    if (!search_ && !is_new && steady_clock::now() - began_ < kBetweenCounts) return;
    take_counts(slots);
    if (search_) take_search(slots);
}

void Inspector::take_replays(std::span<KernelSlot* const> slots) {
    const auto frame = replays_->take();
    if (!frame) return;
    for (const std::string& problem : frame->problems)
        if (told_.insert(problem).second) log::warning("the inspector cannot replay {}", problem);
    const Time now = steady_clock::now();
    for (const KernelSlot* slot : slots) {
        const auto text = frame->texts.find(slot);
        if (text == frame->texts.end() || text->second != slot->running_text()) continue;
        inspected(*slot).take(frame->counts, now);
        if (frame->is_searched) take_findings(*slot, frame->findings, now);
    }
    next_replays_ = now + std::max<Time::duration>(kPauseOfReplays * frame->took, kBetweenCounts);
    if (frame->is_searched)
        next_search_ =
            now + std::max<Time::duration>(kPauseOfSearches * frame->took, kBetweenSearches);
}

void Inspector::take_counts(std::span<KernelSlot* const> slots) {
    auto sums = gpu::line_counts();
    const auto counts = counted_since(before_, sums);
    before_ = std::move(sums);
    began_ = steady_clock::now();
    for (const KernelSlot* slot : slots) inspected(*slot).take(counts, began_);
    if (rates_) rates_->take(counts);
}

void Inspector::unwant_rates() {
    if (--rates_wanted_ == 0) rates_.reset();
}

std::vector<gpu::KernelRate> Inspector::rates() const {
    return rates_ ? rates_->all() : std::vector<gpu::KernelRate>{};
}

void Inspector::take_search(std::span<KernelSlot* const> slots) {
    const auto findings = search_->findings();
    search_.reset();
    const Time now = steady_clock::now();
    for (const KernelSlot* slot : slots) take_findings(*slot, findings, now);
    const auto pause = kPauseOfSearches * (now - search_began_);
    next_search_ = now + std::max<Time::duration>(pause, kBetweenSearches);
}

void Inspector::take_findings(const KernelSlot& slot, std::span<const gpu::HazardFinding> findings,
                              Time now) {
    for (LineFinding& finding : inspected(slot).take(findings, now))
        news_.push_back({slot.name(), std::move(finding)});
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
    return duration<double>(steady_clock::now() - *newest).count();
}

} // namespace lathe
