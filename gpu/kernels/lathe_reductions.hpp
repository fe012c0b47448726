// SPDX-License-Identifier: MIT
// What reductions keep of the elements seen so far, how a run of N elements goes in, and how two
// such states become one. lathe_reduce.hpp is the walk over the elements.
//
// A run is added as a tree in the type of the elements, and runs in double; runs of doubles as
// unevaluated sums of two doubles (T. J. Dekker, "A floating-point technique for extending the
// available precision", 1971). So the error of a sum is that of log2(N) additions, whatever its
// length; pairwise summation has log2 of the length.
#pragma once

#include <lathe_numbers.hpp>

namespace lathe {

template <int N, class T, class Get> struct Tree {
    template <class Add>
    static __device__ __forceinline__ T of(const Get& get, int at, const Add& add) {
        constexpr int half = N / 2;
        return add(Tree<half, T, Get>::of(get, at, add),
                   Tree<N - half, T, Get>::of(get, at + half, add));
    }
};
template <class T, class Get> struct Tree<1, T, Get> {
    template <class Add>
    static __device__ __forceinline__ T of(const Get& get, int at, const Add&) {
        return T(get(at));
    }
};
template <int N, class T, class Get> __device__ __forceinline__ T tree_sum(const Get& get) {
    return Tree<N, T, Get>::of(get, 0, [](const T& a, const T& b) { return a + b; });
}

// --- What sums are kept in. add: one number; value: what they come to.

template <class Whole> struct WholeSum {
    Whole sum;
    static __device__ __forceinline__ WholeSum nothing() { return {Whole(0)}; }
    __device__ __forceinline__ void add(Whole x) { sum = Whole(wide(sum) + wide(x)); }
    __device__ __forceinline__ void add(const WholeSum& other) { add(other.sum); }
    __device__ __forceinline__ Whole value() const { return sum; }
};
struct DoubleSum { // of floats
    double sum;
    static __device__ __forceinline__ DoubleSum nothing() { return {0.0}; }
    __device__ __forceinline__ void add(double x) { sum += x; }
    __device__ __forceinline__ void add(const DoubleSum& other) { sum += other.sum; }
    __device__ __forceinline__ double value() const { return sum; }
};
struct TwofoldSum { // of doubles
    double sum, rest;
    static __device__ __forceinline__ TwofoldSum nothing() { return {0.0, 0.0}; }
    __device__ __forceinline__ void add(double x) { // D. E. Knuth's sum without branches
        const double total = __dadd_rn(sum, x), part = __dadd_rn(total, -sum);
        rest += __dadd_rn(__dadd_rn(sum, -__dadd_rn(total, -part)), __dadd_rn(x, -part));
        sum = total;
    }
    __device__ __forceinline__ void add(const TwofoldSum& other) {
        add(other.sum);
        rest += other.rest;
    }
    // What was cut off an infinite sum is no number.
    __device__ __forceinline__ double value() const {
        return ::isfinite(sum) && rest != 0 ? sum + rest : sum;
    }
};
template <class Part, class T, class Wide = double> struct ComplexSum {
    Part x, y;
    static __device__ __forceinline__ ComplexSum nothing() {
        return {Part::nothing(), Part::nothing()};
    }
    __device__ __forceinline__ void add(const pycuda::complex<T>& z) {
        x.add(z.real());
        y.add(z.imag());
    }
    __device__ __forceinline__ void add(const ComplexSum& other) {
        x.add(other.x);
        y.add(other.y);
    }
    __device__ __forceinline__ pycuda::complex<Wide> value() const {
        return {x.value(), y.value()};
    }
};

template <class T> struct SumOf {
    typedef WholeSum<long long> Type;
};
template <> struct SumOf<unsigned> {
    typedef WholeSum<wide> Type;
};
template <> struct SumOf<wide> {
    typedef WholeSum<wide> Type;
};
template <> struct SumOf<float> {
    typedef DoubleSum Type;
};
template <> struct SumOf<double> {
    typedef TwofoldSum Type;
};
template <class T> struct SumOf<pycuda::complex<T>> {
    typedef ComplexSum<typename SumOf<T>::Type, T> Type;
};

/// What a kernel is told beside the elements: how many there are, ddof or the norm's order.
struct Facts {
    double count, parameter;
};

// --- Sums. T: what the elements are computed in.

template <class T> struct Sum {
    typedef typename SumOf<T>::Type State;
    static __device__ __forceinline__ State neutral() { return State::nothing(); }
    template <int N, class Run>
    static __device__ __forceinline__ void take(State& state, const Run& run) {
        state.add(tree_sum<N, T>(run));
    }
    static __device__ __forceinline__ void merge(State& state, const State& later) {
        state.add(later);
    }
    static __device__ __forceinline__ auto finish(const State& state, const Facts&) {
        return state.value();
    }
};
template <class T> struct Mean : Sum<T> {
    static __device__ __forceinline__ auto finish(const typename Sum<T>::State& state,
                                                  const Facts& facts) {
        return divided(state.value(), facts.count);
    }
    static __device__ __forceinline__ double divided(double sum, double count) {
        return sum / count;
    }
    template <class U>
    static __device__ __forceinline__ pycuda::complex<U> divided(const pycuda::complex<U>& sum,
                                                                 double count) {
        return {sum.real() / count, sum.imag() / count};
    }
};
template <class T> struct RootOfSum : Sum<T> { // the Euclidean norm, of squares
    static __device__ __forceinline__ double finish(const typename Sum<T>::State& state,
                                                    const Facts&) {
        return ::sqrt(state.value());
    }
};
template <class T> struct PowerOfSum : Sum<T> { // another one, of powers
    static __device__ __forceinline__ double finish(const typename Sum<T>::State& state,
                                                    const Facts& facts) {
        return ::pow(state.value(), 1 / facts.parameter);
    }
};

// --- Variances, by the differences from each run's own mean; states by T. F. Chan, G. H. Golub and
// R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.

template <class T> struct Variance {
    struct State {
        double count, mean, rest, squares; ///< the mean is mean + rest
    };
    static __device__ __forceinline__ State neutral() { return {0, 0, 0, 0}; }
    template <int N, class Run>
    static __device__ __forceinline__ void take(State& state, const Run& run) {
        const T near = tree_sum<N, T>(run) * T(1.0 / N);
        const auto apart = [&](int k) { return run(k) - near; };
        const auto square = [&](int k) { return (run(k) - near) * (run(k) - near); };
        const double off = N == 1 ? 0 : double(tree_sum<N, T>(apart));
        const double squares = N == 1 ? double(square(0)) : double(tree_sum<N, T>(square));
        merge(state, State{double(N), double(near), off / N, squares - off * off / N});
    }
    static __device__ __forceinline__ void merge(State& state, const State& later) {
        if (later.count == 0) return;
        if (state.count == 0) {
            state = later;
            return;
        }
        const double count = state.count + later.count, share = later.count / count;
        const double apart = (later.mean - state.mean) + (later.rest - state.rest);
        state.squares += later.squares + apart * apart * state.count * share;
        const double step = state.rest + apart * share, mean = __dadd_rn(state.mean, step);
        state.rest = __dadd_rn(step, -__dadd_rn(mean, -state.mean));
        state.mean = mean;
        state.count = count;
    }
    static __device__ __forceinline__ double finish(const State& state, const Facts& facts) {
        const double freedom = facts.count - facts.parameter;
        return state.squares / (freedom > 0 ? freedom : 0);
    }
};
template <class T> struct Variance<pycuda::complex<T>> {
    struct State {
        typename Variance<T>::State x, y;
    };
    static __device__ __forceinline__ State neutral() {
        return {Variance<T>::neutral(), Variance<T>::neutral()};
    }
    template <int N, class Run>
    static __device__ __forceinline__ void take(State& state, const Run& run) {
        Variance<T>::template take<N>(state.x, [&](int k) { return run(k).real(); });
        Variance<T>::template take<N>(state.y, [&](int k) { return run(k).imag(); });
    }
    static __device__ __forceinline__ void merge(State& state, const State& later) {
        Variance<T>::merge(state.x, later.x);
        Variance<T>::merge(state.y, later.y);
    }
    static __device__ __forceinline__ double finish(const State& state, const Facts& facts) {
        return Variance<T>::finish(state.x, facts) + Variance<T>::finish(state.y, facts);
    }
};
template <class T> struct Deviation : Variance<T> {
    static __device__ __forceinline__ double finish(const typename Variance<T>::State& state,
                                                    const Facts& facts) {
        return ::sqrt(Variance<T>::finish(state, facts));
    }
};

// --- Squares, exact for floats

__device__ __forceinline__ double squared(double x) { return x * x; }
template <class T> __device__ __forceinline__ T squared(const pycuda::complex<T>& z) {
    return z.real() * z.real() + z.imag() * z.imag();
}

// --- Products, minima, truth: by one function of two values.

template <class T, class Rule> struct Fold {
    struct State {
        T value;
    };
    static __device__ __forceinline__ State neutral() { return {Rule::neutral()}; }
    template <int N, class Run>
    static __device__ __forceinline__ void take(State& state, const Run& run) {
        state.value = Rule::of(state.value, Tree<N, T, Run>::of(run, 0, [](const T& a, const T& b) {
                                   return Rule::of(a, b);
                               }));
    }
    static __device__ __forceinline__ void merge(State& state, const State& later) {
        state.value = Rule::of(state.value, later.value);
    }
    static __device__ __forceinline__ T finish(const State& state, const Facts&) {
        return state.value;
    }
};

template <class T> struct Times {
    static __device__ __forceinline__ T neutral() { return T(1); }
    static __device__ __forceinline__ T of(const T& a, const T& b) { return a * b; }
};
struct Either {
    static __device__ __forceinline__ int neutral() { return 0; }
    static __device__ __forceinline__ int of(int a, int b) { return a | b; }
};
struct Both {
    static __device__ __forceinline__ int neutral() { return 1; }
    static __device__ __forceinline__ int of(int a, int b) { return a & b; }
};

template <class T> __device__ __forceinline__ bool no_number(const T& x) { return x != x; }
template <class T> __device__ __forceinline__ bool no_number(const pycuda::complex<T>& z) {
    return is_nan(z);
}
template <class T> __device__ __forceinline__ bool comes_before(const T& a, const T& b) {
    return a < b;
}
template <class T>
__device__ __forceinline__ bool comes_before(const pycuda::complex<T>& a,
                                             const pycuda::complex<T>& b) {
    return less(a, b);
}
// a <= b, false where one of them is no number.
template <class T> __device__ __forceinline__ bool not_after(const T& a, const T& b) {
    return a <= b;
}
template <class T>
__device__ __forceinline__ bool not_after(const pycuda::complex<T>& a,
                                          const pycuda::complex<T>& b) {
    return !is_nan(a) && !is_nan(b) && !less(b, a);
}

// The least and the greatest number of a type.
template <class T> struct Ends {
    static __device__ __forceinline__ T low() {
        return T(-1) < T(0) ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
    }
    static __device__ __forceinline__ T high() { return T(~low()); }
};
template <> struct Ends<float> {
    static __device__ __forceinline__ float low() { return __int_as_float(0xff800000); }
    static __device__ __forceinline__ float high() { return __int_as_float(0x7f800000); }
};
template <> struct Ends<double> {
    static __device__ __forceinline__ double low() {
        return __longlong_as_double(0xfff0000000000000LL);
    }
    static __device__ __forceinline__ double high() {
        return __longlong_as_double(0x7ff0000000000000LL);
    }
};
template <class T> struct Ends<pycuda::complex<T>> {
    static __device__ __forceinline__ pycuda::complex<T> low() {
        return {Ends<T>::low(), Ends<T>::low()};
    }
    static __device__ __forceinline__ pycuda::complex<T> high() {
        return {Ends<T>::high(), Ends<T>::high()};
    }
};
template <class T> struct NoNumber {
    static __device__ __forceinline__ T of() { return T(0) / T(0); }
};
template <class T> struct NoNumber<pycuda::complex<T>> {
    static __device__ __forceinline__ pycuda::complex<T> of() {
        return {NoNumber<T>::of(), NoNumber<T>::of()};
    }
};

// NaN wins.
template <class T> struct Least {
    static __device__ __forceinline__ T neutral() { return Ends<T>::high(); }
    static __device__ __forceinline__ T of(const T& a, const T& b) {
        return no_number(a) || not_after(a, b) ? a : b;
    }
};
template <class T> struct Greatest {
    static __device__ __forceinline__ T neutral() { return Ends<T>::low(); }
    static __device__ __forceinline__ T of(const T& a, const T& b) {
        return no_number(a) || not_after(b, a) ? a : b;
    }
};
// NaN loses; what is left is NaN where nothing else was there.
template <class T> struct LeastNumber {
    static __device__ __forceinline__ T neutral() { return NoNumber<T>::of(); }
    static __device__ __forceinline__ T of(const T& a, const T& b) {
        return no_number(a) || comes_before(b, a) ? b : a;
    }
};
template <class T> struct GreatestNumber {
    static __device__ __forceinline__ T neutral() { return NoNumber<T>::of(); }
    static __device__ __forceinline__ T of(const T& a, const T& b) {
        return no_number(a) || comes_before(a, b) ? b : a;
    }
};

// --- Where the least or greatest is: the first of equals, and the first NaN before all.

template <class T, class Rule> struct Place {
    struct State {
        T value;
        long long at; ///< -1: nothing seen
    };
    static __device__ __forceinline__ State neutral() { return {T(0), -1}; }
    static __device__ __forceinline__ void consider(State& state, const T& value, long long at) {
        const bool better = Rule::before(value, state.value) ||
                            (!Rule::before(state.value, value) && at < state.at);
        if (state.at < 0 || better) {
            state.value = value;
            state.at = at;
        }
    }
    // Few runs have what is as good as the best so far: only those are looked through.
    template <int N, class Run>
    static __device__ __forceinline__ void take(State& state, const Run& run) {
        const T best = Tree<N, T, Run>::of(
            run, 0, [](const T& a, const T& b) { return Rule::Value::of(a, b); });
        if (state.at >= 0 && Rule::before(state.value, best)) return;
#pragma unroll
        for (int k = 0; k < N; ++k) consider(state, run(k), run.place(k));
    }
    static __device__ __forceinline__ void merge(State& state, const State& later) {
        if (later.at >= 0) consider(state, later.value, later.at);
    }
    static __device__ __forceinline__ long long finish(const State& state, const Facts&) {
        return state.at;
    }
};
// In rounds they are asked of each run: without branches.
template <class T> struct Ascending {
    typedef Least<T> Value;
    static __device__ __forceinline__ bool before(const T& a, const T& b) {
        return !no_number(b) & (no_number(a) | comes_before(a, b));
    }
};
template <class T> struct Descending {
    typedef Greatest<T> Value;
    static __device__ __forceinline__ bool before(const T& a, const T& b) {
        return !no_number(b) & (no_number(a) | comes_before(b, a));
    }
};

} // namespace lathe
