// How a search is set up, and when it ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "evaluator.hpp"
#include "search/select.hpp"

namespace gtpbot {

using Rule = std::variant<Ucb1, Rave, MixedUcb, WeightedPrior, Puct>;

// Moves that a search does not look at.
class ForbiddenMoves {
 public:
  // Forbids `action` to `player` in the first `plies` moves from the root.
  void add(Player player, Action action, int plies) {
    auto& until = until_[static_cast<std::size_t>(player)];
    if (until.empty()) until.resize(kMaxActions);
    int& known = until[static_cast<std::size_t>(action)];
    known = std::max(known, plies);
    reach_ = std::max(reach_, static_cast<std::size_t>(std::max(plies, 0)));
  }
  // How many moves below the root nothing is forbidden any more.
  std::size_t reach() const { return reach_; }
  bool empty() const { return until_[0].empty() && until_[1].empty(); }
  // Drops from `actions` what `player` may not play at a node `depth` moves below the root; false
  // if no move is left.
  bool drop(Player player, std::size_t depth, ActionList& actions) const {
    const ActionList all = actions;
    actions.clear();
    for (const Action a : all) {
      if (!has(player, a, depth)) actions.push(a);
    }
    return !actions.empty();
  }

 private:
  bool has(Player player, Action action, std::size_t depth) const {
    const auto& until = until_[static_cast<std::size_t>(player)];
    return !until.empty() && static_cast<int>(depth) < until[static_cast<std::size_t>(action)];
  }
  std::array<std::vector<int>, 2> until_;  // plies by action, by player
  std::size_t reach_ = 0;
};

// How sure of a move's value to be when moves are compared: that of its mean less `errors` standard
// errors, where it has more than `visits` of the most visits (Wu, Other methods implemented in
// KataGo, 2021).
struct LowerBound {
  float visits;
  float errors;
};

struct SearchOptions {
  static constexpr int kNoDepth = std::numeric_limits<int>::max();
  // Below the root of a search by Puct, moves of less probability get no nodes where there are many
  // moves: it takes some million visits to look at one, and most of the memory would be theirs.
  static constexpr float kLeastPrior = 1e-4f;
  static constexpr int kMany = 32;

  Rule rule = Ucb1{0.7f};
  int threads = 1;
  std::size_t max_bytes = std::size_t{512} << 20;  // as the agents have it
  std::uint64_t seed = 0;
  // Visits of a node before its children are made. With an evaluator that works in batches the
  // first visit makes them, as it finds their priors.
  std::uint32_t expand_visits = 1;
  // Nodes so many moves below the root get no children; 1 makes a bandit of the root's moves.
  int max_tree_depth = kNoDepth;
  // Share what is known of a position between all ways to it, where the game allows it.
  bool transpositions = false;
  // What all ways to a position share must not depend on the way, so this excludes transpositions.
  ForbiddenMoves forbidden;
  // End a run that has a limit of time once the most visited move cannot be overtaken, or all
  // others are known to lose.
  bool stop_early = true;
  // If given, do not stop early while another move has the greater lower bound.
  std::optional<LowerBound> lower_bound;

  // The share of a net's errors so far (biases.hpp) by which its later values are corrected, from 0
  // to 1; 0 where positions are shared.
  float bias_correction = 0.0f;

  // What the second tally of a node is for.
  bool uses_amaf() const { return std::holds_alternative<Rave>(rule); }
  bool uses_squares() const {
    const Puct* puct = std::get_if<Puct>(&rule);
    return puct && puct->by_spread > 0.0f;
  }

  // True if unlikely ones of so many moves get no nodes.
  bool leaves_out(int num_moves) const {
    return num_moves > kMany && std::holds_alternative<Puct>(rule);
  }

  // Replaces `out` by the moves to look at from `state`, which stands `depth` moves below the root.
  // Of moves that the evaluator thinks little of some are looked at if nothing else is allowed, and
  // forbidden ones if nothing else is legal.
  void candidates(const Evaluator& evaluator, const State& state, std::size_t depth,
                  ActionList& out) const {
    evaluator.candidates(state, out);
    if (forbidden.empty() || forbidden.drop(state.current_player(), depth, out)) return;
    state.legal_actions(out);
    if (!forbidden.drop(state.current_player(), depth, out)) evaluator.candidates(state, out);
  }
};

struct SearchLimits {
  std::uint64_t playouts = Tally::kMaxVisits;  // of this run
  double seconds = std::numeric_limits<double>::infinity();
  // Look at these moves of the root only, all equally often, whatever the rule says.
  std::vector<Action> root_actions;
};

}  // namespace gtpbot
