// What a search believes about positions that it has not looked into.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "state.hpp"

namespace gtpbot {

// A belief about a move: as if `weight` playouts had already shown `value`.
struct Prior {
  float value = 0.5f;  // from 0 (lost) to 1 (won) for the player who makes the move
  float weight = 0.0f;
};

// A position that waits with others for its evaluation.
struct Leaf {
  std::unique_ptr<State> state;  // used up by the evaluation
  ActionList actions;            // the candidates of `state`, if priors are wanted; else none
  // Of `state`, for the search that put it here; 0 where that has no use for it.
  std::uint64_t hash = 0;
  std::uint64_t local_key = 0;  // 0 too if the state has none
  // What the evaluation finds.
  std::vector<float> priors;  // the probability of each of `actions`; they add up to 1
  float black_value = 0.0f;
};

// One evaluator serves all threads of a search, so it must not change.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // True if it can value states of the game of `state`; every game, unless it says otherwise.
  virtual bool serves(const State& /*state*/) const { return true; }

  // The value for Black of `leaf`, from -1 to 1; uses `leaf` up. By default, one random playout.
  // `plays`, unless null, records the moves of a playout.
  virtual float evaluate(State& leaf, Rng& rng, FirstPlays* plays) const {
    return leaf.playout(rng, plays);
  }

  // Replaces `out` by the moves of `state` to look into; all candidates, unless it knows better.
  virtual void candidates(const State& state, ActionList& out) const { state.candidates(out); }

  // Beliefs about `actions`, the candidates of `state`; `priors` has as many elements, all
  // without weight.
  virtual void prior(const State& /*state*/, const ActionList& /*actions*/,
                     std::span<Prior> /*priors*/) const {}

  // How many leaves it likes to value at once: nets are much faster so. 0 if it values leaves one
  // by one, by evaluate() and prior(); otherwise a search calls evaluate_batch() instead.
  virtual int batch_size() const { return 0; }
  // True if it says the same of a position however often it is asked.
  virtual bool is_constant() const { return false; }
  // True if it remembers how it valued the position of `leaf`, and did the same again.
  virtual bool recall(Leaf& /*leaf*/) const { return false; }
  virtual void evaluate_batch(std::span<Leaf> /*leaves*/, Rng& /*rng*/) const {}
};

// Values a leaf by a playout whose players win where they can, and else keep the other from it; a
// search looks into no other moves, either.
class DecisivePlayouts final : public Evaluator {
 public:
  void candidates(const State& state, ActionList& out) const override {
    state.decisive_candidates(out);
  }
  float evaluate(State& leaf, Rng& rng, FirstPlays* plays) const override {
    return leaf.decisive_playout(rng, plays);
  }
};

}  // namespace gtpbot
