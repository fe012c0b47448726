// SPDX-License-Identifier: MIT
// One value against another.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/plot.h"
#include "engine/plots/value_log.h"
#include "gpu/array/array.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

struct PhasePlotConfig {
    std::string x_label{}, y_label{}; ///< empty: the names of logged values
    bool line = false;                ///< points of arrays are joined in their order, else dots
    bool equal = false;               ///< a unit is as long along y as along x
};

/// One value against another: of two arrays, or of two curves that are logged.
class LATHE_API PhasePlot final : public Plot {
public:
    static constexpr std::size_t kMostPoints = 20'000;
    struct LoggedCurve {
        std::shared_ptr<ValueLog> log;
        std::size_t column = 0;
    };

    using Plot::Plot;

    /// Of equal size, in C order. Of more than kMostPoints elements each k-th is taken.
    /// Asynchronous. Throws std::invalid_argument for sizes that differ, gpu::TypeError for complex
    /// numbers and structures, gpu::Error.
    void take(const gpu::Array& x, const gpu::Array& y, const PhasePlotConfig& config);
    /// From now on, the rows of the same steps.
    void follow(LoggedCurve x, LoggedCurve y, const PhasePlotConfig& config);

    PlotShape shape(const PlotWindow& window = {}) const override;
    /// x and y. Waits.
    PlotTable table() override;

private:
    struct State {
        std::vector<double> x, y;
        std::size_t elements = 0; ///< of the arrays
    };
    Curve logged() const;
    std::pair<std::string, std::string> labels() const;

    PhasePlotConfig config_;
    std::optional<std::pair<LoggedCurve, LoggedCurve>> follows_;
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace lathe
