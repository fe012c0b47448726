// SPDX-License-Identifier: MIT
// A rolling plot of what the program logs in its steps.
#pragma once

#include "engine/core/api.h"
#include "engine/plots/logged_rows.h"
#include "engine/plots/plot.h"
#include "gpu/array/array.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lathe {

/// A number, or an array of one element on the device.
struct LoggedValue {
    template <class T>
        requires std::integral<T> || std::floating_point<T>
    LoggedValue(T number) : value{static_cast<double>(number)} {}
    LoggedValue(gpu::Array array) : value{std::move(array)} {}

    std::variant<double, gpu::Array> value;
};

struct ValueLogConfig {
    std::vector<std::string> curves{}; ///< their names; none: one, of the log's name
    std::string unit{};                ///< of the values, "J"
    bool by_step = false;              ///< x is the step, else the simulated time
    bool log_scale = false;            ///< along y; what is not above 0 is a gap
    std::size_t limit = 1'000'000;     ///< rows that are kept; the oldest go first

    bool operator==(const ValueLogConfig&) const = default;
};

/// Curves of what the program logs in its steps.
class LATHE_API ValueLog final : public Plot {
public:
    ValueLog(std::string name, std::shared_ptr<PlotRun> run, ValueLogConfig config);

    /// One value for each curve, of the step that is under way; once more in one step replaces
    /// them. Arrays are copied in the order of the App's stream, and appear when they have arrived:
    /// nobody waits. A NaN is a gap. Throws std::invalid_argument for another count and for an
    /// array of another size than 1, gpu::TypeError for complex numbers and structures, gpu::Error.
    void add(std::span<const LoggedValue> values);
    void operator()(const LoggedValue& value) { add({&value, 1}); }
    void operator()(std::initializer_list<LoggedValue> values) {
        add({values.begin(), values.size()});
    }

    /// Forgets all rows, those of other branches too. Waits for what is under way.
    void clear();

    const ValueLogConfig& config() const noexcept { return config_; }
    const LoggedRows& rows() const noexcept { return rows_; }
    const std::vector<std::string>& curves() const noexcept { return config_.curves; }
    /// On the run's way, what has arrived.
    std::vector<RowSpan> on_way() const { return rows_.on_way(run().branches); }
    /// The values at the present step, or at the last one before it; empty: there are none.
    std::vector<double> present() const;

    PlotShape shape(const PlotWindow& window = {}) const override;
    /// Step, time in seconds, and the curves. Waits.
    PlotTable table() override;
    void take_arrived() override;
    void go_elsewhere() override { rows_.go_elsewhere(); }
    void begin_branch() override { rows_.begin_branch(run().branches); }

private:
    struct Row {
        std::uint64_t step = 0;
        double time = 0;
        std::vector<double> values{};
        std::size_t missing = 0; ///< on the way from the device
    };
    void read(const gpu::Array& array, const std::shared_ptr<Row>& row, std::size_t column);

    ValueLogConfig config_;
    LoggedRows rows_;
    std::deque<std::shared_ptr<Row>> under_way_;
};

} // namespace lathe
