// SPDX-License-Identifier: MIT
// What the lanes of a warp tell each other: values of any trivially copyable type, and their sums
// by any associative operator, in the order of the lanes. All lanes of the warp call these
// together. A Form has a type Value and Value combine(Value a, Value b) const, a before b.
#pragma once

namespace lathe {

template <class T> struct Words {
    static const int kCount = (sizeof(T) + 3) / 4;
    unsigned at[kCount];

    Words() = default;
    __device__ __forceinline__ explicit Words(const T& value) {
        at[kCount - 1] = 0;
        memcpy(at, &value, sizeof(T));
    }
    __device__ __forceinline__ T value() const {
        T made;
        memcpy(&made, at, sizeof(T));
        return made;
    }
};

template <class T> __device__ __forceinline__ T lane_up(const T& value, unsigned distance) {
    Words<T> words(value);
    for (int k = 0; k < Words<T>::kCount; ++k)
        words.at[k] = __shfl_up_sync(~0u, words.at[k], distance);
    return words.value();
}
template <class T> __device__ __forceinline__ T lane_across(const T& value, unsigned distance) {
    Words<T> words(value);
    for (int k = 0; k < Words<T>::kCount; ++k)
        words.at[k] = __shfl_xor_sync(~0u, words.at[k], distance);
    return words.value();
}
template <class T> __device__ __forceinline__ T of_lane(const T& value, unsigned lane) {
    Words<T> words(value);
    for (int k = 0; k < Words<T>::kCount; ++k) words.at[k] = __shfl_sync(~0u, words.at[k], lane);
    return words.value();
}
// Each lane's inclusive prefix in its warp, of lane `first` and those behind it.
template <class Form>
__device__ __forceinline__ typename Form::Value
scan_warp(const Form& form, typename Form::Value value, unsigned lane, unsigned first = 0) {
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const typename Form::Value other = lane_up(value, distance);
        if (lane >= first + distance) value = form.combine(other, value);
    }
    return value;
}

// Sums of rows of 32 values each: a step halves the lanes that a row's sums are spread over and
// leaves each half of the lanes half of the rows; at last lane k has a sum of row k % kRows.
template <int kRows, int distance> struct HalvedRows {
    template <class Form, class Value>
    static __device__ __forceinline__ Value sum(const Form& form, const Value (&of)[kRows],
                                                unsigned lane) {
        const bool upper = lane & distance;
        Value half[kRows / 2];
#pragma unroll
        for (int k = 0; k < kRows / 2; ++k) {
            Value kept = of[2 * k], given = of[2 * k + 1];
            if (upper) kept = of[2 * k + 1], given = of[2 * k];
            given = lane_across(given, distance);
            half[k] = upper ? form.combine(given, kept) : form.combine(kept, given);
        }
        return HalvedRows<kRows / 2, 2 * distance>::sum(form, half, lane);
    }
};
template <int distance> struct HalvedRows<1, distance> {
    template <class Form, class Value>
    static __device__ __forceinline__ Value sum(const Form&, const Value (&of)[1], unsigned) {
        return of[0];
    }
};
// The warp's sum of them, a power of two, for all lanes.
template <class Form, int kRows>
__device__ __forceinline__ typename Form::Value
sum_of_rows(const Form& form, const typename Form::Value (&of)[kRows], unsigned lane) {
    typename Form::Value sum = HalvedRows<kRows, 1>::sum(form, of, lane);
#pragma unroll
    for (int step = 0; step < 5; ++step) {
        const int distance = (kRows << step) < 32 ? kRows << step : (kRows << step) / 32;
        const typename Form::Value other = lane_across(sum, distance);
        sum = lane & distance ? form.combine(other, sum) : form.combine(sum, other);
    }
    return sum;
}

} // namespace lathe
