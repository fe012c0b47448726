// SPDX-License-Identifier: MIT
// How the values of a scalar kernel differ between the lanes of a warp: the same in all (uniform),
// base + lane * stride (affine), or anything (varying). Decides which values stay scalar.
//
// Where rows of a block are shorter than a warp, a warp holds strips: runs of lanes side by side
// along x. A value may then have a base for each strip and one stride within: threadIdx.y is the
// same in the lanes of a strip, threadIdx.x counts from the strip's first.
//
// A shape speaks of the lanes that run a block together, so the analysis follows the order in
// which a warp runs its blocks: a phi where lanes from different places meet is varying. Where
// lanes wait outside of the order (Waits), others may come by a definition whose value the waiting
// ones still need: such a value is torn, and varying.
#pragma once

#include "gpu/soft/jit/warp/frontier.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <optional>

namespace lathe::soft::jit::warp {

struct Shape {
    enum class Kind : std::uint8_t { unknown, affine, strips, varying };
    Kind kind = Kind::unknown;
    /// No lane has a negative or a large value. With stride 1, lane 0 (or the first lane of each
    /// strip) has a multiple of the width (or of a strip's lanes).
    bool is_index = false;
    /// Affine: lane 0 has a multiple of the width. With stride 1 no lane wraps.
    bool aligned = false;
    /// Varying: worked out from an affine value, so addresses may still be consecutive, within a
    /// strip where there are some.
    bool hopeful = false;
    /// From a lane to the next, within a strip where there are some.
    std::int64_t stride = 0;
    /// Strips: from a strip's base to the next one's, where it is known.
    std::optional<std::int64_t> pitch = {};

    static Shape uniform() { return affine(0); }
    static Shape affine(std::int64_t stride, bool aligned = false) {
        return {Kind::affine, false, aligned, false, stride};
    }
    static Shape index() { return {Kind::affine, true, false, false, 1}; }
    static Shape strips(std::int64_t stride, std::optional<std::int64_t> pitch = {}) {
        return {Kind::strips, false, false, false, stride, pitch};
    }
    static Shape varying(bool hopeful = false) { return {Kind::varying, false, false, hopeful, 0}; }

    bool is_unknown() const { return kind == Kind::unknown; }
    bool is_uniform() const { return kind == Kind::affine && stride == 0; }
    bool is_affine() const { return kind == Kind::affine; }
    bool is_strips() const { return kind == Kind::strips; }
    /// Known from one scalar, or one for each strip.
    bool is_linear() const { return is_affine() || is_strips(); }
    /// The same in all lanes of a strip.
    bool is_even() const { return is_linear() && stride == 0; }
    bool is_varying() const { return kind == Kind::varying; }
    /// Consecutive numbers from a multiple of the width on: none wraps, and what is a multiple of
    /// the width's power of two lies before lane 0 or behind the last one.
    bool is_run() const { return is_affine() && aligned && stride == 1; }
    bool operator==(const Shape&) const = default;
};

struct ShapeOptions {
    unsigned width = 32;
    /// Threads of a warp that lie side by side along x. All of them (the width): tid.x is affine,
    /// tid.y and tid.z are uniform. A part of the width: a warp holds that many strips. 0: the
    /// place of each lane is worked out.
    unsigned strip = 32;
    /// Strips are whole rows, and a warp's lie in one layer: tid.z is uniform.
    bool whole_rows = false;
    /// Sign and zero extensions of affine values are affine where the start of the function can
    /// check that no lane wraps (see guards()).
    bool trust_extensions = true;
    bool counts = false;  ///< the code counts (counting.h)
    bool watches = false; ///< the code tells of its accesses (watching.h)
    /// Blocks are made of whole warps: each begins with all its lanes.
    bool whole_warps = false;
    /// The kernel is refused where single threads are faster (gathers.h).
    bool may_refuse = false;

    /// A row of a block has a multiple of the width.
    bool has_whole_rows_of_warps() const { return whole_warps && strip == width; }

    unsigned strips() const { return strip ? width / strip : 1; }
    bool has_strips() const { return strips() > 1; }
};

class Shapes {
public:
    /// Analyses the function and fills the waiting sets of `frontier`.
    Shapes(llvm::Function& function, Frontier& frontier, const ShapeOptions& options);

    Shape of(const llvm::Value* value) const;
    bool is_uniform(const llvm::Value* value) const { return of(value).is_uniform(); }
    /// From a strip's base to the next one's, where it is known.
    std::optional<std::int64_t> pitch(const Shape& s) const {
        return s.is_affine() ? s.stride * std::int64_t{options_.strip} : s.pitch;
    }
    /// True where lanes may leave the block by different edges.
    bool is_divergent(const llvm::BasicBlock* block) const;
    /// True where lanes that wait need the value they have: a definition writes its own lanes only.
    bool is_torn(const llvm::Value* value) const {
        return torn_.contains(value) && of(value).is_varying();
    }
    /// Extensions taken as affine; each must be checked before the body runs.
    const std::vector<const llvm::CastInst*>& guards() const { return guards_; }
    /// The phi that an extended value is made of, of values that are all known at the start, or
    /// null: then the extension is to be checked for each of them.
    const llvm::PHINode* choice_at_start(const llvm::CastInst& extension) const;

private:
    Shape transfer(const llvm::Instruction& i) const;
    Shape phi(const llvm::PHINode& i) const;
    Shape binary(const llvm::BinaryOperator& i) const;
    Shape cast(const llvm::CastInst& i) const;
    Shape address(const llvm::GetElementPtrInst& i) const;
    Shape call(const llvm::CallBase& i) const;
    Shape compare(const llvm::ICmpInst& i) const;
    Shape select(const llvm::SelectInst& i) const;
    /// Uniform where all operands are, the same within strips likewise, else varying.
    Shape joined(const llvm::Instruction& i) const;
    Shape meet(Shape x, Shape y) const;
    /// Lanes differ by `stride`, strips by `pitch`.
    Shape linear(std::int64_t stride, std::optional<std::int64_t> pitch) const;
    /// True where lane 0 has a multiple of the width.
    bool is_multiple(const llvm::Value* value) const;
    bool is_size_of_rows(const llvm::Instruction& load) const;
    /// Of what is made of two numbers: with `aligned`, where both are linear.
    Shape aligned(Shape s, bool holds) const;
    /// What the first lane has a multiple of, of an index.
    std::int64_t unit(const Shape& s) const {
        return s.is_strips() ? options_.strip : options_.width;
    }
    /// The shape of a sum of multiples.
    Shape sum(Shape x, std::int64_t times, Shape y, std::int64_t more) const;
    /// With `choice` one phi of such values may be among what it is made of.
    bool is_known_at_start(const llvm::Value* value, unsigned depth = 0,
                           const llvm::PHINode** choice = nullptr) const;
    /// What lane 0 has, where that is a constant: lane numbers and what is made of them; or null.
    const llvm::Constant* in_first_lane(const llvm::Value* value, unsigned depth = 0) const;
    /// True where lanes of every warp lie on both sides of a wrap: nothing to be trusted.
    bool always_wraps(const llvm::CastInst& extension) const;
    void find_lives(const llvm::Function& function);
    /// Adds torn values; true where there are new ones.
    bool find_torn();

    Frontier& frontier_;
    ShapeOptions options_;
    const llvm::DataLayout& layout_;
    llvm::DenseMap<const llvm::Value*, Shape> shapes_;
    std::vector<const llvm::CastInst*> guards_;
    /// Blocks at whose start a value is known and needed; only where lanes wait.
    llvm::DenseMap<const llvm::Instruction*, llvm::BitVector> lives_;
    llvm::DenseSet<const llvm::Value*> torn_;
};

} // namespace lathe::soft::jit::warp
