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

Frontier::Frontier(llvm::Function& function, const llvm::LoopInfo& loops) {
    place(nullptr, &function.getEntryBlock(), loops);
    if (size() > kMostBlocks) throw Unsupported{"too many basic blocks"};
    for (unsigned k = 0; k < size(); ++k) index_[order_[k]] = k;
    successors_.resize(size());
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
        }
    }
    waiting_.assign(size(), llvm::BitVector{size()});
    reached_.resize(size());
    joins_.resize(size());
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
        if (node->inner)
            place(node->inner, node->block, loops);
        else
            order_.push_back(node->block);
    }
}

std::vector<unsigned> Frontier::next_blocks(const llvm::BitVector& waiting,
                                            const std::vector<unsigned>& targets) {
    std::vector<unsigned> next(targets);
    for (unsigned k : waiting.set_bits()) {
        if (targets.empty() || k < targets.back()) next.push_back(k);
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    return next;
}

void Frontier::find_waiting(const std::function<bool(unsigned)>& is_divergent) {
    std::vector<unsigned> work;
    llvm::BitVector queued{size(), true};
    reached_.set(0u);
    for (unsigned k = size(); k-- > 0;) work.push_back(k);
    const auto leave = [&](unsigned from, const std::vector<unsigned>& targets) {
        llvm::BitVector held = waiting_[from];
        for (unsigned to : targets) {
            if (held.test(to)) joins_.set(to);
        }
        for (unsigned to : targets) held.set(to);
        for (unsigned next : next_blocks(waiting_[from], targets)) {
            llvm::BitVector others = held;
            others.reset(0, next + 1);
            const bool first = !reached_.test(next);
            reached_.set(next);
            if (!first && !others.test(waiting_[next])) continue;
            waiting_[next] |= others;
            if (!queued.test(next)) {
                queued.set(next);
                work.push_back(next);
            }
        }
    };
    while (!work.empty()) {
        const unsigned k = work.back();
        work.pop_back();
        queued.reset(k);
        if (!reached_.test(k)) continue;
        if (successors_[k].empty() || is_divergent(k)) {
            leave(k, successors_[k]);
        } else {
            for (unsigned to : successors_[k]) leave(k, {to});
        }
    }
}

} // namespace lathe::soft::jit::warp
