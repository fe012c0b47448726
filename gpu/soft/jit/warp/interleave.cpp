// SPDX-License-Identifier: MIT
// Two parts take a shuffle a register. A multiple of two is halved first: 4 parts take 2 shuffles a
// register, 8 take 3. Of an odd number each register is collected from as many as it comes from.
#include "gpu/soft/jit/warp/interleave.h"

#include <llvm/IR/DerivedTypes.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

namespace {

using llvm::Value;

unsigned length_of(const Value* piece) {
    return llvm::cast<llvm::FixedVectorType>(piece->getType())->getNumElements();
}

/// Every second one of parts.
template <class T> std::vector<T> every_second(const std::vector<T>& all, std::size_t first) {
    std::vector<T> some;
    for (std::size_t k = first; k < all.size(); k += 2) some.push_back(all[k]);
    return some;
}

/// A piece whose element k comes from element `place[k].second` of `from[place[k].first]`; null
/// pieces are undefined.
Value* collect(llvm::IRBuilderBase& b, const Pieces& from,
               const std::vector<std::pair<std::size_t, unsigned>>& place) {
    const auto length = static_cast<unsigned>(place.size());
    Value* all = nullptr;
    std::vector<int> order(length, llvm::PoisonMaskElem);
    std::vector<bool> there(length);
    for (std::size_t n = 0; n < from.size(); ++n) {
        bool needed = false;
        for (unsigned k = 0; k < length; ++k) needed |= from[n] && place[k].first == n;
        if (!needed) continue;
        for (unsigned k = 0; k < length; ++k) {
            order[k] = there[k] ? static_cast<int>(k) : llvm::PoisonMaskElem;
            if (place[k].first != n) continue;
            order[k] = static_cast<int>(place[k].second + (all ? length : 0));
            there[k] = true;
        }
        all = all ? b.CreateShuffleVector(all, from[n], order)
                  : b.CreateShuffleVector(from[n], order);
    }
    return all;
}

} // namespace

std::vector<Pieces> deinterleave(llvm::IRBuilderBase& b, const Pieces& all,
                                 const std::vector<bool>& wanted) {
    const std::size_t parts = wanted.size();
    std::vector<Pieces> results(parts);
    if (std::none_of(wanted.begin(), wanted.end(), [](bool w) { return w; })) return results;
    if (parts == 1) return {all};
    const unsigned length = length_of(all[0]);
    if (parts % 2 == 0) {
        for (unsigned half = 0; half < 2; ++half) {
            const std::vector<bool> of_half = every_second(wanted, half);
            if (std::none_of(of_half.begin(), of_half.end(), [](bool w) { return w; })) continue;
            std::vector<int> order(length);
            for (unsigned k = 0; k < length; ++k) order[k] = static_cast<int>(2 * k + half);
            Pieces some;
            for (std::size_t k = 0; k < all.size(); k += 2)
                some.push_back(b.CreateShuffleVector(all[k], all[k + 1], order));
            const std::vector<Pieces> inner = deinterleave(b, some, of_half);
            for (std::size_t p = 0; p < inner.size(); ++p) results[2 * p + half] = inner[p];
        }
        return results;
    }
    for (std::size_t p = 0; p < parts; ++p) {
        if (!wanted[p]) continue;
        for (std::size_t j = 0; j < all.size() / parts; ++j) {
            std::vector<std::pair<std::size_t, unsigned>> place(length);
            for (unsigned k = 0; k < length; ++k) {
                const std::size_t n = (j * length + k) * parts + p;
                place[k] = {n / length, static_cast<unsigned>(n % length)};
            }
            results[p].push_back(collect(b, all, place));
        }
    }
    return results;
}

Pieces interleave(llvm::IRBuilderBase& b, const std::vector<Pieces>& parts) {
    const std::size_t count = parts.size();
    if (count == 1) return parts[0];
    std::size_t each = 0; // pieces of a part
    llvm::Type* type = nullptr;
    for (const Pieces& part : parts) {
        if (part.empty()) continue;
        each = part.size();
        type = part[0]->getType();
    }
    if (!type) return {};
    const unsigned length = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
    Pieces all;
    if (count % 2 == 0) {
        Pieces halves[2];
        for (unsigned half = 0; half < 2; ++half) {
            halves[half] = interleave(b, every_second(parts, half));
            if (halves[half].empty())
                halves[half].assign(each * count / 2, llvm::PoisonValue::get(type));
        }
        for (std::size_t j = 0; j < halves[0].size(); ++j) {
            for (unsigned upper = 0; upper < 2; ++upper) {
                std::vector<int> order(length);
                for (unsigned k = 0; k < length; ++k)
                    order[k] =
                        static_cast<int>(k / 2 + upper * (length / 2) + (k % 2 ? length : 0));
                all.push_back(b.CreateShuffleVector(halves[0][j], halves[1][j], order));
            }
        }
        return all;
    }
    Pieces flat;
    for (const Pieces& part : parts)
        for (std::size_t j = 0; j < each; ++j) flat.push_back(part.empty() ? nullptr : part[j]);
    for (std::size_t t = 0; t < each * count; ++t) {
        std::vector<std::pair<std::size_t, unsigned>> place(length);
        for (unsigned k = 0; k < length; ++k) {
            const std::size_t n = t * length + k, index = n / count;
            place[k] = {(n % count) * each + index / length, static_cast<unsigned>(index % length)};
        }
        Value* piece = collect(b, flat, place);
        all.push_back(piece ? piece : llvm::PoisonValue::get(type));
    }
    return all;
}

} // namespace lathe::soft::jit::warp
