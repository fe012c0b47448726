// SPDX-License-Identifier: MIT
#include "gpu/array/reduction_rules.h"

#include <fmt/format.h>

#include <cmath>

namespace lathe::gpu {

namespace {

/// What numbers of a result's type are computed in.
std::string_view wide_type(DType dtype) {
    switch (kind_of(dtype)) {
    case Kind::boolean: return "int";
    case Kind::signed_integer: return "long long";
    case Kind::unsigned_integer: return "unsigned long long";
    default: return compute_type(dtype);
    }
}

std::string cast_to(std::string_view type, std::string_view of = "x0") {
    return fmt::format("lathe::cast<{}>({})", type, of);
}

/// Integers modulo 2^64, whatever type comes out.
std::string modular(DType result, std::string_view of) {
    return kind_of(result) == Kind::signed_integer
               ? fmt::format("(unsigned long long){}", cast_to("long long", of))
               : cast_to("unsigned long long", of);
}

ReductionRule sum_rule(DType of, DType result, const char* state) {
    std::string_view type = wide_type(result);
    if (!is_inexact(result) && !is_inexact(of) && item_bytes(of) <= 2) type = "int"; // a run fits
    return {fmt::format("lathe::{}<{}>", state, type), cast_to(type), result};
}

ReductionRule product_rule(DType result) {
    std::string type;
    switch (kind_of(result)) {
    case Kind::complex: type = "pycuda::complex<double>"; break;
    case Kind::floating: type = "double"; break;
    default:
        return {"lathe::Fold<unsigned long long, lathe::Times<unsigned long long>>",
                modular(result, "x0"), result};
    }
    return {fmt::format("lathe::Fold<{0}, lathe::Times<{0}>>", type), cast_to(type), result};
}

ReductionRule order_rule(DType of, const char* rule) {
    const std::string_view type = of == DType::bool_ ? "int" : compute_type(of);
    return {fmt::format("lathe::Fold<{0}, lathe::{1}<{0}>>", type, rule), cast_to(type), of};
}

ReductionRule place_rule(DType of, const char* rule) {
    const std::string_view type = of == DType::bool_ ? "int" : compute_type(of);
    return {fmt::format("lathe::Place<{0}, lathe::{1}<{0}>>", type, rule), cast_to(type),
            DType::int64};
}

ReductionRule truth_rule(const char* rule) {
    return {fmt::format("lathe::Fold<int, lathe::{}>", rule), "int(lathe::truth(x0))",
            DType::bool_};
}

ReductionRule norm_rule(DType of, DType result, double order) {
    const bool is_complex = kind_of(of) == Kind::complex;
    const std::string size = is_complex ? "lathe::modulus(lathe::cast<pycuda::complex<double>>(x0))"
                                        : "::fabs(lathe::cast<double>(x0))";
    switch (norm_class(order)) {
    case 0: return {"lathe::Sum<int>", "int(lathe::truth(x0))", result};
    case 1: return {"lathe::Sum<double>", size, result};
    case 2:
        return {"lathe::RootOfSum<double>",
                is_complex ? "lathe::squared(lathe::cast<pycuda::complex<double>>(x0))"
                           : "lathe::squared(lathe::cast<double>(x0))",
                result};
    case 3: return {"lathe::Fold<double, lathe::Greatest<double>>", size, result};
    case 4: return {"lathe::Fold<double, lathe::Least<double>>", size, result};
    default: return {"lathe::PowerOfSum<double>", fmt::format("::pow({}, power)", size), result};
    }
}

ReductionRule dot_rule(DType result, bool conjugate) {
    if (result == DType::bool_)
        return {"lathe::Fold<int, lathe::Either>", "int(lathe::truth(x0) && lathe::truth(x1))",
                result};
    if (!is_inexact(result))
        return {"lathe::Sum<unsigned long long>",
                fmt::format("{} * {}", modular(result, "x0"), modular(result, "x1")), result};
    const std::string_view type = compute_type(result);
    const bool turned = conjugate && kind_of(result) == Kind::complex;
    return {fmt::format("lathe::Sum<{}>", type),
            fmt::format("{}({}) * {}", turned ? "conj" : "", cast_to(type), cast_to(type, "x1")),
            result};
}

} // namespace

unsigned norm_class(double order) noexcept {
    if (order == 0) return 0;
    if (order == 1) return 1;
    if (order == 2) return 2;
    if (std::isinf(order)) return order > 0 ? 3 : 4;
    return 5;
}

bool has_identity(Reduction reduction, double parameter) noexcept {
    switch (reduction) {
    case Reduction::min:
    case Reduction::max:
    case Reduction::fmin:
    case Reduction::fmax:
    case Reduction::argmin:
    case Reduction::argmax: return false;
    case Reduction::norm: return !std::isinf(parameter);
    default: return true;
    }
}

const char* name_of(Reduction reduction) {
    switch (reduction) {
    case Reduction::sum: return "add";
    case Reduction::prod: return "multiply";
    case Reduction::min: return "minimum";
    case Reduction::max: return "maximum";
    case Reduction::fmin: return "fmin";
    case Reduction::fmax: return "fmax";
    case Reduction::argmin: return "argmin";
    case Reduction::argmax: return "argmax";
    case Reduction::any: return "logical_or";
    case Reduction::all: return "logical_and";
    case Reduction::count_nonzero: return "count_nonzero";
    case Reduction::mean: return "mean";
    case Reduction::var: return "var";
    case Reduction::std: return "std";
    case Reduction::norm: return "norm";
    case Reduction::dot: return "dot";
    case Reduction::vdot: return "vdot";
    }
    return "reduce";
}

DType result_dtype(Reduction reduction, DType of, std::optional<DType> dtype) {
    switch (reduction) {
    case Reduction::sum:
    case Reduction::prod:
        if (dtype) return *dtype;
        if (is_inexact(of)) return of;
        return kind_of(of) == Kind::unsigned_integer ? DType::uint64 : DType::int64;
    case Reduction::mean:
    case Reduction::var:
    case Reduction::std: {
        const DType computed = dtype ? *dtype : is_inexact(of) ? of : DType::float64;
        if (!is_inexact(computed))
            throw TypeError{fmt::format("{} is not for {}", name_of(reduction), name_of(computed))};
        return reduction == Reduction::mean ? computed : real_for(computed);
    }
    case Reduction::norm: return is_inexact(of) ? real_for(of) : DType::float64;
    case Reduction::argmin:
    case Reduction::argmax:
    case Reduction::count_nonzero: return DType::int64;
    case Reduction::any:
    case Reduction::all: return DType::bool_;
    default: return dtype.value_or(of);
    }
}

ReductionRule rule_of(Reduction reduction, DType a, DType b, std::optional<DType> dtype,
                      double parameter) {
    const bool two = reduction == Reduction::dot || reduction == Reduction::vdot;
    const DType result = result_dtype(reduction, two ? promote(a, b) : a, dtype);
    switch (reduction) {
    case Reduction::sum:
        return result == DType::bool_ ? truth_rule("Either") : sum_rule(a, result, "Sum");
    case Reduction::prod: return result == DType::bool_ ? truth_rule("Both") : product_rule(result);
    case Reduction::min: return order_rule(a, "Least");
    case Reduction::max: return order_rule(a, "Greatest");
    case Reduction::fmin: return order_rule(a, is_inexact(a) ? "LeastNumber" : "Least");
    case Reduction::fmax: return order_rule(a, is_inexact(a) ? "GreatestNumber" : "Greatest");
    case Reduction::argmin: return place_rule(a, "Ascending");
    case Reduction::argmax: return place_rule(a, "Descending");
    case Reduction::any: return truth_rule("Either");
    case Reduction::all: return truth_rule("Both");
    case Reduction::count_nonzero: return {"lathe::Sum<int>", "int(lathe::truth(x0))", result};
    case Reduction::mean: return sum_rule(a, result, "Mean");
    case Reduction::var:
    case Reduction::std: {
        const std::string_view type = compute_type(dtype           ? *dtype
                                                   : is_inexact(a) ? a
                                                                   : DType::float64);
        return {fmt::format("lathe::{}<{}>", reduction == Reduction::var ? "Variance" : "Deviation",
                            type),
                cast_to(type), result};
    }
    case Reduction::norm: return norm_rule(a, result, parameter);
    case Reduction::dot:
    case Reduction::vdot: return dot_rule(result, reduction == Reduction::vdot);
    }
    return {};
}

} // namespace lathe::gpu
