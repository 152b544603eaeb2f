// The tree: nodes in one block of memory whose size is its cap, the root's state, and what
// survives a move.
//
// Children lie side by side. Making them takes memory from the end of the block; moving the root
// down frees nothing at first, and the live nodes are slid together when the block is half full.
// Thus memory never passes the cap, and moving the root costs nothing most of the time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "search/node.hpp"

namespace gtpbot {

class Tree {
 public:
  // Throws std::bad_alloc if the address space cannot hold max_bytes. Memory is used as it fills.
  Tree(const State& root, std::size_t max_bytes);

  const State& root_state() const { return *root_state_; }
  Node& root() { return nodes_[root_]; }
  const Node& root() const { return nodes_[root_]; }
  // The first of the children. Precondition: node is expanded.
  Node* children(const Node& node) {
    return &nodes_[node.first_child.load(std::memory_order_acquire)];
  }
  const Node* children(const Node& node) const {
    return &nodes_[node.first_child.load(std::memory_order_acquire)];
  }

  std::size_t num_nodes() const;
  std::size_t max_nodes() const { return max_nodes_; }

  // Room for `count` nodes, uninitialised; null if the cap is reached. Any thread.
  Node* allocate(int count);
  // Makes `first`, from allocate(), the children of `node`.
  void attach(Node& node, const Node* first, int count) {
    node.num_children = static_cast<std::uint16_t>(count);
    node.first_child.store(static_cast<NodeIndex>(first - nodes_.get()), std::memory_order_release);
  }

  // Begins anew at `root`.
  void reset(const State& root);
  // Forgets all that is known, and stays where it is.
  void clear();
  // Moves the root along `action` and keeps what is known below it. If the action was never
  // looked at, nothing is known. Precondition: action is legal at the root.
  void advance(Action action);

 private:
  struct Free {
    void operator()(Node* p) const { std::free(p); }
  };
  void compact();

  std::unique_ptr<State> root_state_;
  std::size_t max_nodes_;
  std::unique_ptr<Node[], Free> nodes_;
  std::atomic<std::size_t> used_{0};
  NodeIndex root_ = kNoNode;
};

}  // namespace gtpbot
