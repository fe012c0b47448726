// SPDX-License-Identifier: MIT
// What a hand has set is kept in a file between runs: values of sliders, and what they follow. A
// line each: "F=0.037", "k~sine 4s".
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <filesystem>
#include <string>

namespace lathe {

class ParameterBindings;
class ParameterSet;

/// Used from the frame thread.
class LATHE_API KeptParameters {
public:
    /// Both must outlive this. Without a file nothing is kept.
    KeptParameters(ParameterSet& parameters, ParameterBindings& bindings)
        : parameters_{parameters}, bindings_{bindings} {}

    /// What the last run left there comes back, for parameters that are declared from now on; not
    /// where `is_fresh`. From now on it is kept there, and what does not come back is forgotten.
    void keep_in(std::filesystem::path file, bool is_fresh = false);
    /// Writes the file if something changed, once a second at most; at once where `now`. A file
    /// that cannot be written is a warning, once.
    void save(bool now = false);

private:
    std::string text() const;
    void read();

    ParameterSet& parameters_;
    ParameterBindings& bindings_;
    std::filesystem::path file_; ///< empty: nothing is kept
    std::string written_;
    std::chrono::steady_clock::time_point looked_{};
};

} // namespace lathe
