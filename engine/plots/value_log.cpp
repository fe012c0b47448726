// SPDX-License-Identifier: MIT
#include "engine/plots/value_log.h"

#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace lathe {

namespace {

/// Rows on the way to the host; more are waited for.
constexpr std::size_t kMostUnderWay = 4096;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T> double number_in(std::span<const std::byte> bytes) {
    T number{};
    if (bytes.size() < sizeof number) return kNan;
    std::memcpy(&number, bytes.data(), sizeof number);
    return double(number);
}

double number_of(DType dtype, std::span<const std::byte> bytes) {
    switch (dtype) {
    case DType::bool_:
    case DType::uint8: return number_in<std::uint8_t>(bytes);
    case DType::int8: return number_in<std::int8_t>(bytes);
    case DType::int16: return number_in<std::int16_t>(bytes);
    case DType::uint16: return number_in<std::uint16_t>(bytes);
    case DType::int32: return number_in<std::int32_t>(bytes);
    case DType::uint32: return number_in<std::uint32_t>(bytes);
    case DType::int64: return number_in<std::int64_t>(bytes);
    case DType::uint64: return number_in<std::uint64_t>(bytes);
    case DType::float32: return number_in<float>(bytes);
    case DType::float64: return number_in<double>(bytes);
    default: return kNan;
    }
}

} // namespace

ValueLog::ValueLog(std::string name, std::shared_ptr<PlotRun> run, ValueLogConfig config)
    : Plot{std::move(name), std::move(run)}, config_{std::move(config)},
      rows_{std::max<std::size_t>(config_.curves.size(), 1), config_.limit} {
    if (config_.curves.empty()) config_.curves.push_back(this->name());
}

void ValueLog::add(std::span<const LoggedValue> values) {
    if (values.size() != curves().size())
        throw std::invalid_argument{fmt::format("log \"{}\" takes {} value{} ({}), got {}", name(),
                                                curves().size(), curves().size() == 1 ? "" : "s",
                                                fmt::join(curves(), ", "), values.size())};
    for (const LoggedValue& each : values)
        if (const auto* array = std::get_if<gpu::Array>(&each.value); array && array->size() != 1)
            throw std::invalid_argument{
                fmt::format("log \"{}\" takes numbers and arrays of one element, got an array of "
                            "{}: log its sum or its mean, or use a histogram",
                            name(), array->size())};
    auto row = std::make_shared<Row>(Row{run().step, run().time, {}, 0});
    row->values.resize(values.size(), kNan);
    for (std::size_t column = 0; column < values.size(); ++column) {
        const auto& value = values[column].value;
        if (const double* number = std::get_if<double>(&value)) row->values[column] = *number;
        else read(std::get<gpu::Array>(value), row, column);
    }
    under_way_.push_back(std::move(row));
    if (under_way_.size() > kMostUnderWay) wait();
    else if (under_way_.size() % 64 == 0) run().reads.poll();
    take_arrived();
}

void ValueLog::read(const gpu::Array& array, const std::shared_ptr<Row>& row, std::size_t column) {
    const std::string function = fmt::format("log \"{}\"", name());
    gpu::check_device(array, function);
    const DType dtype = array.dtype(function.c_str());
    if (gpu::kind_of(dtype) == gpu::Kind::complex)
        throw gpu::TypeError{fmt::format("{} takes real numbers, got {}: log .real and .imag",
                                         function, name_of(dtype))};
    gpu::Array number = array;
    if (dtype == DType::float16) {
        number = gpu::Array::empty(DType::float64, {1});
        gpu::assign(number, array);
    }
    ++row->missing;
    run().reads.read(number, [row, column, type = *number.type().dtype](auto bytes) {
        row->values[column] = number_of(type, bytes);
        --row->missing;
    });
}

void ValueLog::take_arrived() {
    while (!under_way_.empty() && under_way_.front()->missing == 0) {
        const Row& row = *under_way_.front();
        rows_.add(run().branches, row.step, row.time, row.values);
        under_way_.pop_front();
    }
}

void ValueLog::clear() {
    wait();
    rows_ = LoggedRows{curves().size(), config_.limit};
}

std::vector<double> ValueLog::present() const {
    std::vector<double> values;
    for (const RowSpan& span : on_way()) {
        const std::size_t row = std::min(span.rows->find(run().step + 1), span.end);
        if (row <= span.begin) break;
        values.clear();
        for (std::size_t column = 0; column < curves().size(); ++column)
            values.push_back(span.rows->value(row - 1, column));
    }
    return values;
}

PlotShape ValueLog::shape(const PlotWindow& window) const {
    PlotShape shape;
    shape.title = name();
    shape.x.label = config_.by_step ? "step" : "time (s)";
    shape.y = {config_.unit, config_.log_scale};
    if (const auto way = on_way(); !way.empty()) // behind the last row it would hide nothing
        if (run().step < way.back().rows->steps[way.back().end - 1])
            shape.mark = config_.by_step ? double(run().step) : run().time;
    const auto add = [&](std::span<const RowSpan> spans, bool is_dim) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const RowSpan& span : spans) {
            low = std::min(low, span.x(span.begin, config_.by_step));
            high = std::max(high, span.x(span.end - 1, config_.by_step));
        }
        for (std::size_t column = 0; column < curves().size(); ++column) {
            Curve curve = thinned(spans, column, config_.by_step, std::max(low, window.low),
                                  std::min(high, window.high), window.columns);
            if (config_.log_scale)
                for (double& y : curve.y)
                    if (y <= 0) y = kNan;
            shape.curves.push_back({.label = is_dim ? "" : curves()[column],
                                    .x = std::move(curve.x),
                                    .y = std::move(curve.y),
                                    .color = column,
                                    .is_dim = is_dim});
        }
    };
    constexpr std::size_t kMostAside = 8; // branches that are seen
    const auto others = rows_.aside(run().branches);
    const std::size_t first = others.size() - std::min(others.size(), kMostAside);
    for (const RowSpan& other : std::span{others}.subspan(first)) add({&other, 1}, true);
    add(on_way(), false);
    if (rows_.dropped() > 0)
        shape.note =
            fmt::format("{} older rows are not kept (limit {})", rows_.dropped(), rows_.most());
    return shape;
}

PlotTable ValueLog::table() {
    wait();
    const auto way = on_way();
    PlotTable table{{"step", "time"}, {}};
    table.names.insert(table.names.end(), curves().begin(), curves().end());
    table.columns.resize(table.names.size());
    for (std::vector<double>& column : table.columns) column.reserve(count_of(way));
    for (const RowSpan& span : way)
        for (std::size_t row = span.begin; row < span.end; ++row) {
            table.columns[0].push_back(double(span.rows->steps[row]));
            table.columns[1].push_back(span.rows->times[row]);
            for (std::size_t column = 0; column < curves().size(); ++column)
                table.columns[2 + column].push_back(span.rows->value(row, column));
        }
    return table;
}

} // namespace lathe
