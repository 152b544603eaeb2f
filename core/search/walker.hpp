// What the workers of a search have in common: ways down the tree, and what is told on the way up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "search/options.hpp"
#include "search/tree.hpp"

namespace gtpbot {

// A value from -1 to 1 as tallies add it up: from 0 to Tally::kWin.
inline std::uint32_t fixed_point(float value) {
  return static_cast<std::uint32_t>((value + 1.0f) * (0.5f * Tally::kWin) + 0.5f);
}

inline Proof proof_of(float black_value, Player mover) {
  if (black_value == 0.0f) return Proof::kDraw;
  return (black_value > 0.0f) == (mover == Player::kBlack) ? Proof::kWin : Proof::kLoss;
}

inline float black_value_of(Proof proof, Player mover) {
  if (proof == Proof::kDraw) return 0.0f;
  return (proof == Proof::kWin) == (mover == Player::kBlack) ? 1.0f : -1.0f;
}

// The nodes from the root to where a simulation is.
using Path = std::vector<Node*>;

class Walker {
 public:
  Walker(Tree& tree, const SearchOptions& options, const SearchLimits& limits, Rng rng)
      : tree_(tree),
        options_(options),
        rng_(rng),
        root_actions_(limits.root_actions),
        root_player_(tree.root_state().current_player()) {}

 protected:
  // The player whose move leads to the node at `depth` of a path.
  Player mover(std::size_t depth) const {
    return depth % 2 ? root_player_ : opponent(root_player_);
  }

  static bool is_expanded(const Node& node) {
    return node.first_child.load(std::memory_order_acquire) != kNoNode;
  }

  // True if a node at `depth` may have children.
  bool is_within(std::size_t depth) const {
    return depth < static_cast<std::size_t>(options_.max_tree_depth);
  }

  // The moves that are looked at equally often; 0 if the selection rule picks among all.
  std::uint64_t num_root_actions() const { return root_actions_.size(); }

  // What is proven of a node, or of the position that it shares with others.
  Proof proven(Node& node) {
    const Proof known = node.proven();
    if (known != Proof::kNone || !tree_.shares() || !is_expanded(node)) return known;
    const Proof shared = tree_.position(node).proof.load(std::memory_order_relaxed);
    if (shared != Proof::kNone) node.proof.store(shared, std::memory_order_relaxed);
    return shared;
  }

  // The child to try next. Precondition: the node is expanded.
  template <class Select>
  Node* pick(const Select& select, Node& node) {
    Node* children = tree_.children(node);
    if (!root_actions_.empty() && &node == &tree_.root()) return least_visited(children, node);
    return &children[select(seen_at(node), children, node.num_children, rng_)];
  }

  // Counts visits at the node at `depth` of `path`, with their values for Black in fixed point.
  void credit(const Path& path, std::size_t depth, std::uint32_t visits,
              std::uint64_t black_value) {
    const std::uint64_t all = std::uint64_t{visits} * Tally::kWin;
    const bool black = mover(depth) == Player::kBlack;
    Node& node = *path[depth];
    node.tally.add(Tally(visits, black ? black_value : all - black_value));
    if (tree_.biases().wanted() && is_expanded(node)) {
      tree_.biases().learn(tree_.forecast(tree_.children(node)), node.tally.load());
    }
    if (depth + 1 < path.size() && path[depth + 1]->proven() != Proof::kNone) prove(node);
  }

  // A node is won for the player to move if one child is, and otherwise as good as its best child
  // once all are proven.
  void prove(Node& node) {
    const Node* children = tree_.children(node);
    Proof best = Proof::kLoss;
    bool all = node.has_all_children();
    for (int i = 0; i < node.num_children; ++i) {
      const Proof proof = children[i].proven();
      if (proof == Proof::kWin) return set_proof(node, Proof::kLoss);
      all = all && proof != Proof::kNone;
      if (proof == Proof::kDraw) best = Proof::kDraw;
    }
    if (all) set_proof(node, for_opponent(best));
  }

  // Notes how the game ends, or ended, at the node at `depth`.
  void settle(Node& node, std::size_t depth, float black_value) {
    node.proof.store(proof_of(black_value, mover(depth)), std::memory_order_relaxed);
  }

  Tree& tree_;
  const SearchOptions& options_;
  Rng rng_;

 private:
  // Of all playouts through a node that is expanded, or through its position on whichever way. The
  // children are summed up, lest all threads write to one place more for every position they pass.
  Tally seen_at(Node& node) {
    if (!tree_.shares()) return node.tally.load();
    const Node* children = tree_.children(node);
    Tally after;
    for (int i = 0; i < node.num_children; ++i) after = after + children[i].tally.load();
    return tree_.position(node).before + after.for_opponent();
  }

  void set_proof(Node& node, Proof proof) {
    node.proof.store(proof, std::memory_order_relaxed);
    if (tree_.shares()) tree_.position(node).proof.store(proof, std::memory_order_relaxed);
  }

  // Precondition: one of the children is wanted.
  Node* least_visited(Node* children, const Node& node) const {
    Node* least = children;
    std::uint32_t fewest = ~0u;
    for (int i = 0; i < node.num_children; ++i) {
      const std::uint32_t visits = children[i].visits_with_pending(children[i].tally.load());
      const bool wanted = std::find(root_actions_.begin(), root_actions_.end(),
                                    children[i].action) != root_actions_.end();
      if (wanted && visits < fewest) {
        least = &children[i];
        fewest = visits;
      }
    }
    return least;
  }

  const std::vector<Action>& root_actions_;
  Player root_player_;
};

}  // namespace gtpbot
