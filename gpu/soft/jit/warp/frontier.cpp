// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/frontier.h"

#include "gpu/soft/jit/warp/unsupported.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

namespace {

constexpr unsigned kMostBlocks = 4000; // the waiting sets take the square of this in bits

} // namespace

Frontier::Frontier(llvm::Function& function, const llvm::LoopInfo& loops, const Waits& waits)
    : has_waits_{waits.any()} {
    place(nullptr, &function.getEntryBlock(), loops);
    if (size() > kMostBlocks) throw Unsupported{"too many basic blocks"};
    for (unsigned k = 0; k < size(); ++k) index_[order_[k]] = k;
    successors_.resize(size());
    latches_.assign(size(), size());
    for (unsigned k = 0; k < size(); ++k) {
        std::vector<unsigned>& list = successors_[k];
        for (llvm::BasicBlock* next : llvm::successors(order_[k])) list.push_back(index(next));
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        for (unsigned to : list) {
            if (to > k) continue;
            const llvm::Loop* loop = loops.getLoopFor(order_[to]);
            const bool latch =
                loop && loop->getHeader() == order_[to] && loop->getLoopLatch() == order_[k];
            if (!latch) throw Unsupported{"irreducible control flow"};
            for (unsigned inside = to; inside <= k; ++inside)
                latches_[inside] = std::min(latches_[inside], k);
        }
    }
    waiting_.assign(size() + 1, llvm::BitVector{size()}); // of the scheduler, too
    reached_.resize(size());
    joins_.resize(size());
    barriers_.resize(size());
    after_barriers_.resize(size());
    patience_.resize(size());
    for (unsigned k = 0; k < size(); ++k) {
        patience_[k] = waits.loops.lookup(order_[k]);
        if (!waits.barriers.count(order_[k])) continue;
        barriers_.set(k);
        after_barriers_.set(successors_[k].front());
    }
}

// Reverse postorder of the loop's body, with loops inside of it as single nodes.
void Frontier::place(const llvm::Loop* loop, llvm::BasicBlock* head, const llvm::LoopInfo& loops) {
    struct Node {
        llvm::BasicBlock* block; ///< or the header of `inner`
        const llvm::Loop* inner;
        llvm::SmallVector<llvm::BasicBlock*, 4> next;
        std::size_t visited = 0;
    };
    const auto make = [&](llvm::BasicBlock* block) {
        const llvm::Loop* inner = loops.getLoopFor(block);
        while (inner && inner != loop && inner->getParentLoop() != loop)
            inner = inner->getParentLoop();
        Node node{block, inner == loop ? nullptr : inner, {}, 0};
        if (node.inner) {
            node.block = node.inner->getHeader();
            node.inner->getExitBlocks(node.next);
        } else {
            node.next.append(llvm::succ_begin(block), llvm::succ_end(block));
        }
        return node;
    };
    llvm::DenseSet<llvm::BasicBlock*> seen;
    std::vector<Node> path, finished;
    path.push_back(make(head));
    // The header of `loop` itself is a plain block here.
    seen.insert(path.back().block);
    while (!path.empty()) {
        Node& node = path.back();
        if (node.visited == node.next.size()) {
            finished.push_back(node);
            path.pop_back();
            continue;
        }
        llvm::BasicBlock* next = node.next[node.visited++];
        if (loop && !loop->contains(next)) continue;
        Node found = make(next);
        if (seen.insert(found.block).second) path.push_back(std::move(found));
    }
    for (auto node = finished.rbegin(); node != finished.rend(); ++node) {
        if (node->inner) place(node->inner, node->block, loops);
        else order_.push_back(node->block);
    }
}

std::vector<unsigned> Frontier::next_blocks(unsigned from, const std::vector<unsigned>& targets,
                                            Exit exit) const {
    if (exit == Exit::stay) return {scheduler()};
    const auto is_target = [&](unsigned k) {
        return std::binary_search(targets.begin(), targets.end(), k);
    };
    // Lanes that come to a wait loop enter it in the order.
    const auto is_outside = [&](unsigned k) {
        if (barriers_.test(k)) return true;
        if (!patience_[k] || !is_target(k)) return patience_[k] > 0;
        return is_back_edge(from, k) && exit == Exit::give_turn;
    };
    std::vector<unsigned> found;
    bool outside = false;
    std::size_t left = 0; // targets in the order
    const auto add = [&](unsigned k) {
        if (is_outside(k)) {
            outside = true;
        } else {
            found.push_back(k);
            left += is_target(k);
        }
    };
    for (unsigned k : waiting_[from].set_bits()) add(k);
    for (unsigned k : targets) {
        if (!waiting_[from].test(k)) add(k);
    }
    std::sort(found.begin(), found.end());
    if (exit == Exit::keep_waiting)
        std::rotate(found.begin(), std::find(found.begin(), found.end(), targets.front()),
                    std::find(found.begin(), found.end(), targets.front()) + 1);
    const bool certain = !targets.empty() && left == targets.size();
    std::vector<unsigned> next;
    for (unsigned k : found) {
        next.push_back(k);
        if (certain && is_target(k) && --left == 0) return next;
    }
    if (outside) next.push_back(scheduler());
    return next;
}

void Frontier::hold(unsigned block, const llvm::BitVector& others, std::vector<unsigned>& work,
                    llvm::BitVector& queued) {
    const bool first = !reached_.test(block);
    reached_.set(block);
    if (!first && !others.test(waiting_[block])) return;
    waiting_[block] |= others;
    if (queued.test(block)) return;
    queued.set(block);
    work.push_back(block);
}

void Frontier::leave(unsigned from, const std::vector<unsigned>& targets, Exit exit,
                     std::vector<unsigned>& work, llvm::BitVector& queued) {
    llvm::BitVector held = waiting_[from];
    if (barriers_.test(from) && exit != Exit::stay) held.reset(barriers_); // none has lanes
    for (unsigned to : targets) {
        if (held.test(to)) joins_.set(to);
    }
    for (unsigned to : targets) held.set(to);
    // From a barrier that others have yet to come to only their barriers run.
    const auto run_barriers = [&](llvm::BitVector others) {
        for (unsigned k : (exit == Exit::stay ? waiting_[from] : others).set_bits()) {
            if (!barriers_.test(k)) continue;
            others.reset(k);
            hold(k, others, work, queued);
        }
    };
    if (exit == Exit::stay) return run_barriers(held);
    for (unsigned next : next_blocks(from, targets, exit)) {
        if (next < size()) {
            held.reset(next);
            hold(next, held, work, queued);
            continue;
        }
        llvm::BitVector& all = waiting_[next];
        if (!held.test(all)) return;
        all |= held;
        llvm::BitVector others = all;
        for (unsigned k : all.set_bits()) {
            if (!patience_[k]) continue;
            llvm::BitVector but_own = all;
            but_own.reset(k);
            hold(k, but_own, work, queued);
            others.reset(k);
        }
        run_barriers(others);
    }
}

void Frontier::find_waiting(const std::function<bool(unsigned)>& is_divergent) {
    std::vector<unsigned> work;
    llvm::BitVector queued{size(), true};
    reached_.set(0u);
    for (unsigned k = size(); k-- > 0;) work.push_back(k);
    const auto leave_for = [&](unsigned from, const std::vector<unsigned>& targets) {
        const bool waits = !targets.empty() && is_back_edge(from, targets.front()) &&
                           patience_[targets.front()] > 0;
        if (!waits) return leave(from, targets, Exit::in_order, work, queued);
        leave(from, targets, Exit::keep_waiting, work, queued);
        leave(from, targets, Exit::give_turn, work, queued);
    };
    while (!work.empty()) {
        const unsigned k = work.back();
        work.pop_back();
        queued.reset(k);
        if (!reached_.test(k)) continue;
        if (successors_[k].empty() || is_divergent(k)) {
            leave_for(k, successors_[k]);
        } else {
            for (unsigned to : successors_[k]) leave_for(k, {to});
        }
        if (barriers_.test(k)) leave(k, successors_[k], Exit::stay, work, queued);
    }
}

} // namespace lathe::soft::jit::warp
