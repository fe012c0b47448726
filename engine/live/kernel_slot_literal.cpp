// SPDX-License-Identifier: MIT
// A number that is moved while the kernel runs. It is read from a variable by a version compiled
// for that; where there can be none, or none yet, the slot compiles as for an edit.
#include "engine/core/error.h"
#include "engine/live/carry_over.h"
#include "engine/live/kernel_slot_state.h"

#include <fmt/format.h>

#include <utility>

namespace lathe {

/// A compile of a value is under way while the number is moved on: it is not dropped, or a steady
/// hand would see no picture at all.
bool KernelSlot::State::is_stepping() const { return is_held() && state == SlotState::compiling; }

/// What the variant's compile says of the way.
void KernelSlot::State::find_way() {
    const bool runs_it = running.loaded && running.loaded == variant.loaded();
    const bool is_new = variant.poll();
    if (variant.state() == LiteralVariant::State::compiling) return;
    if (variant.state() == LiteralVariant::State::ready) {
        moved->way = LiteralWay::variable;
        if (is_new && runs_it) is_unwritten = true;
    } else if (std::exchange(moved->way, LiteralWay::constant) != LiteralWay::constant &&
               is_unwritten) {
        is_unwritten = false;
        due = services.now();
    }
}

/// The version with the variable runs, and has the number. True where another ran before.
bool KernelSlot::State::write_literal() {
    is_unwritten = false;
    const bool is_other = running.loaded != variant.loaded();
    running = {variant.loaded(), source.text, Effort::full, {}};
    services.write(*running.loaded, variable_bytes(moved->place, moved->number));
    state = SlotState::good;
    if (is_other) ++generation;
    return is_other;
}

void KernelSlot::State::wait_for_literal() {
    variant.wait();
    find_way();
}

/// The number stays as it is.
void KernelSlot::State::let_go() {
    moved->held = false;
    const KernelVersion before = std::exchange(before_move, {});
    const bool was_unwritten = std::exchange(is_unwritten, false);
    variant.cancel();
    if (!has_moved || moved->way == LiteralWay::constant) return; // compiled, or due
    if (source.text == moved->base && before.loaded) {
        running = before;
        if (running.effort == Effort::quick) full_due = services.now() + services.rest;
        state = SlotState::good;
        ++generation;
    } else if (was_unwritten && !runs_variant()) {
        due = services.now();
    } else if (was_unwritten || state != SlotState::faulted) {
        start(Effort::full); // the picture is right already, so it need not be quick
    }
}

bool KernelSlot::grab_literal(int line, int column) {
    release_literal();
    State& s = *s_;
    const auto place = literal_at(s.source.text, line, column);
    if (!place) return false;
    const auto number = LiteralNumber::parse(place->text(s.source.text));
    static std::uint64_t grabs = 0;
    s.moved = MovedLiteral{s.source.text, *place, *number, *number};
    s.moved->id = ++grabs;
    s.has_moved = s.is_unwritten = false;
    KernelSource source = s.source;
    if (auto text = with_variable(s.source.text, *place)) {
        source.text = std::move(*text);
        s.variant.want(source, number->bytes().size(), s.services.build, s.services.build_on);
    } else {
        s.variant.refuse();
    }
    return true;
}

void KernelSlot::move_literal(const LiteralNumber& number) {
    State& s = *s_;
    if (!s.moved || !s.moved->held)
        throw Error{fmt::format("{}: no number of the text is held", s.source.name)};
    MovedLiteral& m = *s.moved;
    if (number.type() != m.number.type())
        throw Error{fmt::format("{} is a number of type {}, {} one of type {}", m.first.text(),
                                name_of(m.first.type()), number.text(), name_of(number.type()))};
    if (number.text() == m.number.text()) return;
    m.number = number;
    std::string text = with_text(m.base, m.place, in_place(m.place, number));
    s.diagnostics = carry_over(s.diagnostics, s.source.text, text);
    s.source.text = std::move(text);
    ++s.text_version;
    if (m.way == LiteralWay::constant) {
        if (s.state != SlotState::compiling) s.state = SlotState::waiting;
        s.due = s.services.now();
        return;
    }
    if (!std::exchange(s.has_moved, true)) {
        const bool is_text = s.state == SlotState::good && !s.runs_variant();
        s.before_move = is_text ? s.running : KernelVersion{};
    }
    s.is_unwritten = true;
    s.due.reset();
    s.drop_results();
    s.state = SlotState::waiting;
}

void KernelSlot::release_literal() {
    if (s_->moved && s_->moved->held) s_->let_go();
}

const MovedLiteral* KernelSlot::moved_literal() const { return s_->moved ? &*s_->moved : nullptr; }

} // namespace lathe
