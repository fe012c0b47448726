// SPDX-License-Identifier: MIT
// All adjustable values of a program, by name. Kernels and scripts declare them; values survive
// every edit: a parameter that vanishes and comes back has the value it had.
#pragma once

#include "engine/core/api.h"
#include "engine/live/parameter.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Used from one thread. References to a Parameter stay valid for the life of the set.
class LATHE_API ParameterSet {
public:
    ParameterSet() = default;
    ParameterSet(const ParameterSet&) = delete;
    ParameterSet& operator=(const ParameterSet&) = delete;

    /// Replaces what `owner` (a slot's name, "script") declared before. A name that several owners
    /// declare is one parameter, shown as the first of them declares it that does not hide it and
    /// says something of it.
    /// Values that were touched stay, converted where the type changed and clamped to a new range;
    /// others follow `initial`.
    void declare(const std::string& owner, std::vector<Parameter> parameters);

    /// Adds or replaces one parameter of `owner` and returns it.
    Parameter& declare_one(const std::string& owner, Parameter parameter);

    /// Withdraws all that `owner` declared.
    void withdraw(const std::string& owner) { declare(owner, {}); }

    /// The declared parameters: owner after owner, each in the order it declared them.
    const std::vector<Parameter*>& all() const { return shown_; }
    bool empty() const { return shown_.empty(); }

    /// Null where nobody declares `name`.
    Parameter* find(std::string_view name) const;

    /// It is declared, or members of it are.
    bool has(std::string_view name) const;
    /// That nobody declares it, in words that name the known ones.
    std::string unknown(std::string_view name) const;

    /// The value, marking the parameter as read. Throws lathe::Error for an unknown name, listing
    /// the known ones.
    const ParameterValue& get(std::string_view name);

    /// The program passed a value of its own for the kernel parameter `name`, known or not, and
    /// with it for its members.
    void note_passed(std::string_view name);

    /// Sets a value, converted to the parameter's type and clamped to its range.
    /// Throws lathe::Error for an unknown name or a value of another type.
    void set(std::string_view name, const ParameterValue& value);

    void reset(std::string_view name);
    void reset_all();

    /// "F=0.037", for the clipboard and for `--set`.
    std::string assignment(std::string_view name) const;

    /// `--set name=value`, before or after the parameter is declared. A value outside of the
    /// range becomes the range's end, with a warning in the log. Throws lathe::Error where there is
    /// no `=`, or where the parameter is declared and the value does not fit.
    void set_from_text(std::string_view assignment);

    /// Throws lathe::Error naming each `--set` whose parameter nobody declares or whose value the
    /// program passes itself (with the names that have an effect), or whose value did not fit.
    /// Called once the first kernels have been launched.
    void check_assignments() const;

    using Values = std::map<std::string, std::string, std::less<>>; ///< name → exact_value()

    /// Values that a hand had set in an earlier run, for parameters that are declared from now on.
    /// `--set` counts more, for this run; one that does not fit is dropped.
    void remember(Values values) { remembered_ = std::move(values); }
    /// Of all that have an effect.
    Values values() const;
    /// Values of another time: those of parameters that are there are set, the others are
    /// remembered. `--set` counts more. What does not fit is left out, with a warning in the log.
    void restore(const Values& values);
    /// What a hand has set, also of parameters that nobody declares now: what remember() takes.
    Values values_by_hand() const;

    /// Grows with each change of a value or of the list.
    std::uint64_t version() const { return version_; }
    /// To be called after writing through a Parameter pointer, as a hand does by its widget.
    void changed(Parameter& p);
    /// The same where the value only follows something: it is not touched by that.
    void moved(Parameter&) { ++version_; }

private:
    struct Owner {
        std::string name;
        std::vector<Parameter> declared;
    };
    Owner& owner(const std::string& name);
    void rebuild();
    const Parameter& shown_form(const Parameter& declared) const;
    void merge(const Parameter& declared);
    void apply_remembered(Parameter& p);
    void apply_waiting(Parameter& p);
    void touch(Parameter& p, bool by_hand);
    void assign(Parameter& p, std::string_view text);
    std::string settable_names() const;
    Parameter& require(std::string_view name);

    std::vector<Owner> owners_; ///< in order of their first declaration
    /// Every parameter there ever was: the values of retired ones are remembered here.
    std::map<std::string, std::unique_ptr<Parameter>, std::less<>> known_;
    std::vector<Parameter*> shown_;
    Values waiting_;    ///< name → text of `--set`
    Values assigned_;   ///< the same, once declared
    Values refused_;    ///< name → why it did not fit
    Values remembered_; ///< until their parameter is declared
    std::uint64_t version_ = 0;
};

} // namespace lathe
