// SPDX-License-Identifier: MIT
// How often values of an array occur.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/plot.h"
#include "gpu/array/array.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct HistogramConfig {
    int bins = 64;
    /// Values outside are not counted. Unset: from the least to the greatest finite value.
    std::optional<std::array<double, 2>> range{};
    std::string unit{};
    bool log_scale = false; ///< of the counts
};

/// Counts of an array's values, made by a kernel.
class LATHE_API Histogram final : public Plot {
public:
    static constexpr int kMostBins = 4096;

    using Plot::Plot;

    /// As numpy.histogram counts the values in double: bins of one width, the last one closed. A
    /// NaN is not counted. Asynchronous. Throws std::invalid_argument for bins outside 1 to
    /// kMostBins and for a range that is not finite or does not ascend, gpu::TypeError for complex
    /// numbers and structures, gpu::Error.
    void count(const gpu::Array& array, const HistogramConfig& config);

    struct Counts {
        std::vector<double> edges{};         ///< bins + 1
        std::vector<std::uint64_t> counts{}; ///< bins
        std::uint64_t below = 0, above = 0;  ///< of the range; infinite values among them
        std::uint64_t nan = 0;
        std::uint64_t step = 0; ///< that it was counted in
    };
    /// What has arrived; empty vectors at first.
    const Counts& counts() const noexcept { return *counts_; }

    PlotShape shape(const PlotWindow& window = {}) const override;
    /// Lower edge, upper edge and count of the bins. Waits.
    PlotTable table() override;

private:
    HistogramConfig config_;
    std::shared_ptr<Counts> counts_ = std::make_shared<Counts>(); ///< reads under way share it
};

} // namespace lathe
