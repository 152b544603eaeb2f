// The tree: nodes in one block of memory whose size is its cap, the root's state, and what
// survives a move.
//
// Children lie side by side. Making them takes memory from the end of the block; moving the root
// down frees nothing at first, and so costs next to nothing. The live nodes are slid together when
// a search misses room and has the time. While nodes are slid, one percent of their memory is
// needed more.
//
// With transpositions, nodes that lead to the same position have the same children (Childs, Brodeur
// and Kocsis, Transpositions and move groups in Monte Carlo tree search, 2008). A node still counts
// its own visits; what the ways to a position share is in the Position before the children.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "block.hpp"
#include "search/biases.hpp"
#include "search/node.hpp"
#include "search/position_table.hpp"

namespace gtpbot {

class Tree {
 public:
  // Throws std::bad_alloc if the address space cannot hold max_bytes, which are for nodes and what
  // is known of positions and errors beside them. Memory is used as it fills.
  // Transpositions are shared only if they are asked for and the game is_history_free().
  // Nodes keep forecasts, if that is asked for, unless they share.
  Tree(const State& root, std::size_t max_bytes, bool transpositions = false,
       bool forecasts = false);

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

  bool shares() const { return table_.size() > 0; }
  // Preconditions: shares(), and node is expanded.
  Position& position(const Node& node) {
    return position_at(node.first_child.load(std::memory_order_acquire));
  }

  // What is known of a net's errors; wanted() if nodes that are expanded have forecasts.
  Biases& biases() { return biases_; }
  // Preconditions: biases().wanted(), and `first` is the first of a node's children.
  Forecast& forecast(Node* first) { return *reinterpret_cast<Forecast*>(first - 1); }

  std::size_t num_nodes() const;
  std::size_t max_nodes() const { return max_nodes_; }
  // About how many nodes cannot be reached any more; none if none have been left behind.
  std::size_t garbage() const { return garbage_; }
  // True once there was no room for children of some node, until some is freed.
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }

  // Room for `count` children, uninitialised; null if the cap is reached. Any thread.
  Node* allocate(int count);
  // Makes `first`, from allocate(), the children of `node`, which leads to a position with `hash`.
  void attach(Node& node, const Node* first, int count, std::uint64_t hash);
  // Gives `node`, which has those of likely moves, the children of all `actions`; those that are
  // new have `priors`. False if the cap is reached. No other thread may be at work.
  bool complete(Node& node, const ActionList& actions, std::span<const float> priors);
  // Gives `node` the children that another way to the position with `hash` has; false if none has.
  bool join(Node& node, std::uint64_t hash);

  // Begins anew at `root`.
  void reset(const State& root);
  // Forgets all that is known, and stays where it is.
  void clear();
  // Moves the root along `action` and keeps what is known below it. If the action was never
  // looked at, or only proven, nothing is known. Precondition: action is legal at the root.
  void advance(Action action);
  // Frees the memory of what cannot be reached any more; the most visits that a node has. Nothing,
  // and nothing is changed, if more than `most` nodes can be reached, as these take time.
  std::optional<std::uint32_t> compact(std::size_t most);

 private:
  Position& position_at(NodeIndex first_child) const {
    return *reinterpret_cast<Position*>(&nodes_[first_child - 1]);
  }
  // Places that lie before the children of a position and go with them.
  NodeIndex ahead() const { return shares() || biases_.wanted() ? 1 : 0; }
  bool shows_no_move(const Node& node) const;
  void leave_all_but(const Node& kept, std::span<const Node> children);
  void forget_nodes();
  class LivePlaces;
  std::optional<std::uint32_t> find_live(LivePlaces& live, std::size_t most) const;
  void slide(const LivePlaces& live);

  std::unique_ptr<State> root_state_;
  PositionTable table_;
  Biases biases_;
  std::size_t max_nodes_;
  Block<Node> nodes_;
  std::atomic<std::size_t> used_{0};
  std::atomic<bool> is_full_{false};
  NodeIndex root_ = kNoNode;
  std::size_t garbage_ = 0;
};

}  // namespace gtpbot
