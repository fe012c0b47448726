// SPDX-License-Identifier: MIT
#include "engine/live/parameter_presets.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/kept_file.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_code.h"
#include "engine/live/parameter_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

namespace lathe {

namespace {

ParameterValue value_between(const Parameter& p, const ParameterValue& from,
                             const ParameterValue& to, double t) {
    if (p.kind == ParameterKind::real)
        return between(std::get<double>(from), std::get<double>(to), t, p.log);
    if (p.kind == ParameterKind::integer)
        return std::int64_t(std::llround(between(double(std::get<std::int64_t>(from)),
                                                 double(std::get<std::int64_t>(to)), t, p.log)));
    if (p.kind != ParameterKind::vector) return t < 0.5 ? from : to;
    auto mixed = std::get<std::vector<double>>(from);
    const auto& end = std::get<std::vector<double>>(to);
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = between(mixed[i], end[i], t, p.log);
    return mixed;
}

} // namespace

ParameterPresets::ParameterPresets(ParameterSet& parameters, const ParameterBindings* bindings,
                                   Now now)
    : parameters_{parameters}, bindings_{bindings}, now_{std::move(now)} {
    if (!now_) now_ = [] { return std::chrono::steady_clock::now(); };
}

void ParameterPresets::keep_in(std::filesystem::path file) {
    file_ = std::move(file);
    read();
}

const ParameterPresets::Values& ParameterPresets::at(int number) const {
    if (number < 1 || number > kCount)
        throw Error{fmt::format("presets are 1 to {}, got {}", kCount, number)};
    return saved_[std::size_t(number - 1)];
}

bool ParameterPresets::has(int number) const { return !at(number).empty(); }

ParameterPresets::Values ParameterPresets::present() const {
    Values values;
    for (const Parameter* p : parameters_.all())
        if (p->widget != ParameterWidget::hidden) values[p->name] = exact_value(*p, p->value);
    return values;
}

void ParameterPresets::save(int number) {
    (void)at(number);
    saved_[std::size_t(number - 1)] = present();
    write();
}

void ParameterPresets::clear(int number) {
    (void)at(number);
    saved_[std::size_t(number - 1)].clear();
    write();
}

bool ParameterPresets::recall(int number, std::chrono::duration<double> fade) {
    if (!has(number)) return false;
    fading_.clear();
    for (const auto& [name, text] : at(number)) {
        const Parameter* const p = parameters_.find(name);
        if (!p || (bindings_ && bindings_->is_following(*p))) continue;
        try {
            const ParameterValue to = parse_value(*p, text);
            if (to != p->value) fading_.push_back({name, p->value, to, p->value});
        } catch (const Error& e) { log::debug("preset {}: {}", number, e.what()); }
    }
    began_ = now_();
    duration_ = fade;
    if (fade.count() <= 0) advance();
    return true;
}

void ParameterPresets::advance() {
    if (fading_.empty()) return;
    const std::chrono::duration<double> since = now_() - began_;
    const double t = duration_.count() > 0 ? std::min(since / duration_, 1.0) : 1.0;
    std::erase_if(fading_, [&](Fading& f) {
        Parameter* const p = parameters_.find(f.name);
        if (!p || p->value != f.last || p->value.index() != f.to.index()) return true;
        f.last = p->value = t < 1 ? value_between(*p, f.from, f.to, t) : f.to;
        parameters_.changed(*p);
        return t >= 1;
    });
}

std::string ParameterPresets::code(int number) const {
    std::string code, members; // whose names are no identifiers
    for (const auto& [name, text] : number == 0 ? present() : at(number)) {
        const std::string value = python_value(text);
        const bool is_member = name.find_first_of(".[") != name.npos;
        auto& part = is_member ? members : code;
        part += fmt::format("{}{}", part.empty() ? "" : ", ",
                            is_member ? fmt::format("\"{}\": {}", name, value)
                                      : fmt::format("{}={}", name, value));
    }
    if (members.empty()) return code;
    return fmt::format("{}{}**{{{}}}", code, code.empty() ? "" : ", ", members);
}

void ParameterPresets::read() {
    std::ifstream in{file_};
    for (std::string line; !file_.empty() && std::getline(in, line);) {
        const auto equal = line.find('=');
        const int number = line.empty() ? 0 : line[0] - '0';
        if (number < 1 || number > kCount || equal == line.npos || equal < 3) continue;
        saved_[std::size_t(number - 1)][line.substr(2, equal - 2)] = line.substr(equal + 1);
    }
}

void ParameterPresets::write() const {
    if (file_.empty()) return;
    std::string lines;
    for (std::size_t i = 0; i < saved_.size(); ++i)
        for (const auto& [name, text] : saved_[i])
            lines += fmt::format("{} {}={}\n", i + 1, name, text);
    const std::string why = replace_file(file_, lines);
    if (!why.empty()) log::warning("presets are not kept: {}", why);
}

} // namespace lathe
