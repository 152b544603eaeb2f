// What a search believes about positions that it has not looked into.
#pragma once

#include <span>

#include "state.hpp"

namespace gtpbot {

// A belief about a move: as if `weight` playouts had already shown `value`.
struct Prior {
  float value = 0.5f;  // from 0 (lost) to 1 (won) for the player who makes the move
  float weight = 0.0f;
};

// One evaluator serves all threads of a search, so it must not change.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // True if it can value states of the game of `state`; every game, unless it says otherwise.
  virtual bool serves(const State& /*state*/) const { return true; }

  // The value for Black of `leaf`, from -1 to 1; uses `leaf` up. By default, one random playout.
  // `plays`, unless null, is cleared and records the moves of a playout.
  virtual float evaluate(State& leaf, Rng& rng, FirstPlays* plays) const {
    return leaf.playout(rng, plays);
  }

  // Beliefs about `actions`, the candidates of `state`; `priors` has as many elements, all
  // without weight.
  virtual void prior(const State& /*state*/, const ActionList& /*actions*/,
                     std::span<Prior> /*priors*/) const {}
};

}  // namespace gtpbot
