// How a search is set up, and when it ends.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "search/select.hpp"

namespace gtpbot {

using Rule = std::variant<Ucb1, Rave, MixedUcb, WeightedPrior, Puct>;

struct SearchOptions {
  static constexpr int kNoDepth = std::numeric_limits<int>::max();

  Rule rule = Ucb1{0.7f};
  int threads = 1;
  std::size_t max_bytes = std::size_t{1} << 30;
  std::uint64_t seed = 0;
  // Visits of a node before its children are made. With an evaluator that works in batches the
  // first visit makes them, as it finds their priors.
  std::uint32_t expand_visits = 1;
  // Nodes so many moves below the root get no children; 1 makes a bandit of the root's moves.
  int max_tree_depth = kNoDepth;
  // Share what is known of a position between all ways to it, where the game allows it.
  bool transpositions = false;
};

struct SearchLimits {
  std::uint64_t playouts = Tally::kMaxVisits;  // of this run
  double seconds = std::numeric_limits<double>::infinity();
  // Look at these moves of the root only, all equally often, whatever the rule says.
  std::vector<Action> root_actions;
};

}  // namespace gtpbot
