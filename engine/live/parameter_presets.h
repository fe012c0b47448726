// SPDX-License-Identifier: MIT
// Nine sets of values of all parameters, saved by number, recalled at once or by a cross-fade, and
// kept in a file between runs.
#pragma once

#include "engine/core/api.h"
#include "engine/live/parameter.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class ParameterBindings;
class ParameterSet;

/// Used from the frame thread. Numbers are 1 to kCount; others throw lathe::Error.
class LATHE_API ParameterPresets {
public:
    static constexpr int kCount = 9;
    using Now = std::function<std::chrono::steady_clock::time_point()>;

    /// Set and bindings (may be null) must outlive the presets. `now`: for tests.
    explicit ParameterPresets(ParameterSet& parameters, const ParameterBindings* bindings = nullptr,
                              Now now = {});
    /// Reads the file, and keeps what is saved from now on there. A file that cannot be written is
    /// a warning.
    void keep_in(std::filesystem::path file);

    bool has(int number) const;
    /// The values of all parameters that are shown.
    void save(int number);
    void clear(int number);
    /// Parameters get the preset's values, at once or within `fade`: real numbers and vectors pass
    /// through what lies between (by factors where the slider is logarithmic), whole numbers are
    /// rounded, others change in the middle. What follows something is left alone. Names that
    /// nobody declares any more are left out, as is what does not fit. A parameter that somebody
    /// moves meanwhile leaves the fade. False where nothing was saved.
    bool recall(int number, std::chrono::duration<double> fade = {});
    /// Between frames: the next values of a fade.
    void advance();
    bool is_fading() const { return !fading_.empty(); }

    /// "F=0.037, **{"light.x": 0.5}": arguments of a call in Python. Of the preset, or, for 0, of
    /// the present values.
    std::string code(int number) const;

private:
    using Values = std::map<std::string, std::string, std::less<>>; ///< name → text
    struct Fading {
        std::string name;
        ParameterValue from, to, last;
    };
    Values present() const;
    const Values& at(int number) const;
    void read();
    void write() const;

    ParameterSet& parameters_;
    const ParameterBindings* bindings_;
    std::filesystem::path file_; ///< empty: they are not kept
    Now now_;
    std::array<Values, kCount> saved_;
    std::vector<Fading> fading_;
    std::chrono::steady_clock::time_point began_{};
    std::chrono::duration<double> duration_{};
};

} // namespace lathe
