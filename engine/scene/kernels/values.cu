// SPDX-License-Identifier: MIT
// Before it stands a typedef of Value, a real number.

/// Elements of so many numbers: how many have a NaN, and how many others an infinite one.
extern "C" __global__ void count_not_finite(const Value* values, long long count, int parts,
                                            unsigned long long* counts) {
    unsigned long long nan = 0, infinite = 0;
    for (long long i = first_item(); i < count; i += item_step()) {
        bool is_nan = false, is_infinite = false;
        for (int part = 0; part < parts; ++part) {
            const double x = (double)values[i * parts + part];
            is_nan = is_nan || x != x;
            is_infinite = is_infinite || x - x != x - x;
        }
        nan += is_nan;
        infinite += is_infinite && !is_nan;
    }
    if (nan > 0) atomicAdd(counts, nan);
    if (infinite > 0) atomicAdd(counts + 1, infinite);
}
