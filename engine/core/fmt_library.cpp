// SPDX-License-Identifier: MIT
// fmt as an object of our own, where only its shared library is installed and a wheel must not need
// that (cmake/static.cmake). fmt's header defines the functions; its templates are instantiated
// here.
#include <fmt/format-inl.h>

namespace d = fmt::detail;

template d::locale_ref::locale_ref(const std::locale&);
template std::locale d::locale_ref::get<std::locale>() const;
template d::thousands_sep_result<char> d::thousands_sep_impl(d::locale_ref);
template char d::decimal_point_impl(d::locale_ref);
template d::dragonbox::decimal_fp<float> d::dragonbox::to_decimal(float) noexcept;
template d::dragonbox::decimal_fp<double> d::dragonbox::to_decimal(double) noexcept;
template void d::buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 100000
template void d::vformat_to(d::buffer<char>&, fmt::string_view, fmt::format_args, d::locale_ref);
#endif
