#include "search/tree.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace gtpbot {

Tree::Tree(const State& root, std::size_t max_bytes)
    : max_nodes_(std::min(max_bytes / sizeof(Node), std::size_t{0xffffffff})),
      nodes_(static_cast<Node*>(std::malloc(std::max<std::size_t>(max_nodes_, 2) * sizeof(Node)))) {
  if (!nodes_) throw std::bad_alloc();
  reset(root);
}

std::size_t Tree::num_nodes() const {
  return std::min(used_.load(std::memory_order_relaxed), max_nodes_);
}

Node* Tree::allocate(int count) {
  const auto size = static_cast<std::size_t>(count);
  if (used_.load(std::memory_order_relaxed) + size > max_nodes_) return nullptr;
  const std::size_t first = used_.fetch_add(size, std::memory_order_relaxed);
  if (first + size > max_nodes_) return nullptr;
  return &nodes_[first];
}

void Tree::reset(const State& root) {
  root_state_ = root.clone();
  clear();
}

// Index 0 means "no node"; the root comes right after it.
void Tree::clear() {
  used_.store(2, std::memory_order_relaxed);
  root_ = 1;
  nodes_[root_].init(Action{});
}

void Tree::advance(Action action) {
  const Node& old = root();
  const NodeIndex first = old.first_child.load();
  root_state_->apply_unchecked(action);
  if (first != kNoNode) {
    for (NodeIndex i = first; i < first + old.num_children; ++i) {
      if (nodes_[i].action != action || nodes_[i].visits() == 0) continue;
      root_ = i;
      if (num_nodes() > max_nodes_ / 2) compact();
      return;
    }
  }
  clear();
}

// Slides the live blocks of children towards the beginning, in the order in which they lie, so
// that each moves into space that is already free.
void Tree::compact() {
  struct Block {
    NodeIndex first;
    NodeIndex size;
    NodeIndex moved_to;
  };
  std::vector<Block> blocks{{root_, 1, 0}};
  const auto add_children_of = [&](const Node& node) {
    const NodeIndex first = node.first_child.load();
    if (first != kNoNode) blocks.push_back({first, node.num_children, 0});
  };
  for (std::size_t next = 0; next < blocks.size(); ++next) {
    const Block block = blocks[next];
    for (NodeIndex i = 0; i < block.size; ++i) add_children_of(nodes_[block.first + i]);
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.first < b.first; });
  NodeIndex end = 1;
  for (Block& block : blocks) {
    block.moved_to = end;
    end += block.size;
  }
  const auto moved = [&](NodeIndex first) {
    const auto block = std::lower_bound(blocks.begin(), blocks.end(), first,
                                        [](const Block& b, NodeIndex i) { return b.first < i; });
    return block->moved_to;
  };
  root_ = moved(root_);
  for (const Block& block : blocks) {
    for (NodeIndex i = block.first; i < block.first + block.size; ++i) {
      const NodeIndex first = nodes_[i].first_child.load();
      if (first != kNoNode) nodes_[i].first_child.store(moved(first));
    }
    std::memmove(static_cast<void*>(&nodes_[block.moved_to]), &nodes_[block.first],
                 block.size * sizeof(Node));
  }
  used_.store(end);
}

}  // namespace gtpbot
