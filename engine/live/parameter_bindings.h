// SPDX-License-Identifier: MIT
// Which sliders follow something (follow.h), and how they are moved by it: waves with each step,
// mouse and keys with each frame. Whoever sets a slider otherwise ends that; it can be resumed. A
// reset forgets what a hand has bound.
#pragma once

#include "engine/core/api.h"
#include "engine/live/follow.h"
#include "engine/live/parameter_motion.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

class ParameterSet;

/// Mouse and keys of a frame.
struct FollowInput {
    /// Where the mouse is over the picture, 0 to 1 to the right and up; unset: elsewhere.
    std::optional<std::pair<double, double>> mouse{};
    std::function<int(std::string_view)> presses{}; ///< of a key in this frame, repeats included
    std::function<bool(std::string_view)> is_down{};
};

/// Whom a binding is from.
enum class BoundBy { source, program, hand };

struct ParameterBinding {
    std::string target; ///< a parameter, or a vector's component: "tint.x"
    Follow follow;
    BoundBy by = BoundBy::program;
    bool is_active = true;     ///< no: somebody has set the slider since
    std::uint64_t changes = 0; ///< the parameter's when it was moved last
    double value = 0;          ///< what it was moved to
};

/// Used from the frame thread.
class LATHE_API ParameterBindings {
public:
    /// The set must outlive the bindings.
    explicit ParameterBindings(ParameterSet& parameters) : parameters_{parameters} {}

    /// `target` follows from the next step or frame on, whatever it followed before. Throws
    /// lathe::Error for a name that nobody declares, a vector without a component, a range that is
    /// missing or not within the slider's, and for what such a parameter cannot follow.
    void bind(std::string_view target, const Follow& follow, BoundBy by = BoundBy::program);
    /// It stays where it is. False where it followed nothing. Throws for an unknown name.
    bool unbind(std::string_view target);
    /// Follows again what it followed before it was set; nothing where there is no such thing.
    void resume(std::string_view target);
    /// A hand takes the slider.
    void suspend(std::string_view target);
    /// Why it cannot follow that; empty where it can.
    std::string problem_of(std::string_view target, const Follow& follow) const;

    /// Those that were set since are among them. Null: there is none.
    const ParameterBinding* find(std::string_view target) const;
    /// The parameter, or a component of it, follows something at present.
    bool is_following(const Parameter& p) const;
    const std::vector<ParameterBinding>& all() const { return all_; }
    /// What a hand had bound in an earlier run: it follows that as soon as it is declared, unless
    /// the program binds it itself.
    void remember(std::string target, Follow follow) { remembered_[std::move(target)] = follow; }
    /// What follows something by a hand, or is to.
    std::map<std::string, Follow, std::less<>> bound_by_hand() const;
    /// Of a program that is executed once more.
    void forget_programs();

    /// A step begins: waves are at `time`, seconds of the program. Also takes notice of what
    /// declarations say.
    void follow_time(double time);
    /// A frame begins.
    void follow_input(const FollowInput& input);

private:
    ParameterPlace place_of(std::string_view target) const;
    ParameterBinding* entry(std::string_view target);
    void take_resets();
    void take_declarations();
    void take_remembered();
    void take_declaration(Parameter& p);
    void start(ParameterBinding& b, const Follow& follow, bool is_active);
    bool is_followed(ParameterBinding& b, const ParameterPlace& place);
    void move(ParameterBinding& b, const ParameterPlace& place, double value, bool is_touch);
    void follow_mouse(ParameterBinding& b, const ParameterPlace& place, const FollowInput& input);
    void follow_keys(ParameterBinding& b, const ParameterPlace& place, const FollowInput& input);

    ParameterSet& parameters_;
    std::vector<ParameterBinding> all_;
    std::map<std::string, Follow, std::less<>> remembered_; ///< until they are declared
    /// What declarations said of each parameter when it was seen last.
    std::map<std::string, std::optional<Follow>, std::less<>> declared_;
};

} // namespace lathe
