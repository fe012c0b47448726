// SPDX-License-Identifier: MIT
// Ownership of a C handle, written once: every wrapper of a driver or GL object holds a Handle
// and has no special members of its own.
#pragma once

#include <utility>

namespace lathe {

/// Owns or borrows one handle. Traits: `Type`, `static constexpr Type null`,
/// `static void destroy(Type) noexcept`.
template <class Traits> class Handle {
public:
    using Type = typename Traits::Type;

    Handle() = default;
    explicit Handle(Type value) : value_{value}, owned_{true} {}
    /// Borrows: the handle is never destroyed here.
    static Handle wrap(Type value) {
        Handle h{value};
        h.owned_ = false;
        return h;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Handle(Handle&& o) noexcept
        : value_{std::exchange(o.value_, Traits::null)}, owned_{std::exchange(o.owned_, false)} {}
    Handle& operator=(Handle&& o) noexcept {
        Handle old{std::move(o)};
        std::swap(value_, old.value_);
        std::swap(owned_, old.owned_);
        return *this;
    }
    ~Handle() {
        if (owned_) Traits::destroy(value_);
    }

    Type get() const noexcept { return value_; }
    bool owned() const noexcept { return owned_; }
    explicit operator bool() const noexcept { return value_ != Traits::null; }
    /// Gives the handle away; the caller destroys it.
    [[nodiscard]] Type release() noexcept {
        owned_ = false;
        return std::exchange(value_, Traits::null);
    }

private:
    Type value_ = Traits::null;
    bool owned_ = false;
};

} // namespace lathe
