// SPDX-License-Identifier: MIT
// Several elementwise operations as one kernel: an expression is a list of statements on arrays,
// numbers and values of earlier statements. Values that are wanted in memory are written, the
// others exist in registers only. Each statement rounds and casts as if its value had been in
// memory, so that results are the bits that one kernel after the other gives.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/reduction.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lathe::gpu {

class LATHE_API Expression {
public:
    /// Arrays of one kernel, written or read, and statements.
    static constexpr std::size_t kMostArrays = 16, kMostStatements = 64, kMostNumbers = 48;
    using Value = std::size_t; ///< counts from 0

    /// What a statement reads.
    struct Term {
        const Array* array = nullptr; ///< in memory; copied, so that the memory stays
        std::optional<Value> value{}; ///< or an earlier statement's
        Scalar number{};              ///< or this
    };
    struct Write {
        Value value;
        const Array* to; ///< of the value's type and shape
    };

    /// Adds a statement whose values, as many as the loop has results, get types and shape from
    /// `results`. Returns the first one's number. Types and shapes are checked by who asks.
    Value add(const Loop& loop, std::span<const Term> terms, std::span<const Array> results);
    bool empty() const noexcept { return statements_.empty(); }
    bool has_room(std::size_t statements = 1) const noexcept;
    /// Whether every value has this shape.
    bool is_all_of(const Extents& shape) const noexcept {
        return shapes_.empty() || (shapes_.size() == 1 && shapes_[0] == shape);
    }
    /// The arrays in memory that statements read.
    std::span<const Array> inputs() const noexcept { return inputs_; }
    void clear() noexcept;

    /// One kernel for each shape among the writes, the one in which most is written last; several
    /// statements are computed twice where values of different shapes need them. At most
    /// kMostArrays arrays are read and written together. An array that is written may be one that
    /// is read if it is the same elements at the same places (is_safe_beside) and all statements
    /// have one shape. Asynchronous on `stream`. Throws gpu::Error, CompileError.
    void write(std::span<const Write> writes, StreamView stream = StreamView::legacy()) const;

    /// A value for reduce(): `as` is how it would lie in memory, and stays where it is as long as
    /// the result, as the expression does. What else is written by the same kernel has the value's
    /// shape. At most MappedValues::kMostArrays arrays are read and written.
    MappedValues map(Value value, const Array& as, std::span<const Write> writes = {}) const;

private:
    struct Ref {
        enum class Kind : std::uint8_t { input, number, value } kind;
        std::uint8_t number;
    };
    struct Statement {
        Loop loop;
        std::array<Ref, Loop::kMostInputs> terms;
        std::uint8_t first_value;
    };
    struct Result {
        std::uint8_t statement, shape;
        DType stored;
    };
    struct Part; // the statements that some values need

    Ref input(const Array& array);
    void launch(std::span<const Write> writes, StreamView stream) const;
    void describe(const Part& part, std::string& key) const;
    std::vector<StatementForm> forms(const Part& part) const;

    std::vector<Statement> statements_;
    std::vector<Result> values_;
    std::vector<Extents> shapes_;
    std::vector<Array> inputs_;
    std::vector<Scalar> numbers_;
};

} // namespace lathe::gpu
