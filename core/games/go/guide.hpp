// What the `rave` agent knows of Go: playouts with some sense, and first beliefs about moves.
#pragma once

#include "evaluator.hpp"
#include "games/go/go_state.hpp"

namespace gtpbot::go {

// Values a leaf by a playout of some kind.
class Playouts : public Evaluator {
 public:
  bool serves(const State& state) const final;
  // Precondition: serves(leaf).
  float evaluate(State& leaf, Rng& rng, FirstPlays* plays) const final;

  // Plays `board` to the end, as play_out() has it.
  virtual void playout(Board& board, Player to_move, Point last, Rng& rng,
                       FirstPlays* plays) const = 0;
};

// Playouts in the manner of MoGo. Each move is the first of these that there is:
//   an answer to the last move: capture its chain, or rescue what it put into atari;
//   a pattern (patterns.hpp) next to the last move;
//   a random move that fills no eye and, mostly, puts no chain of its own into atari.
class Guide final : public Playouts {
 public:
  struct Params {
    float atari_rate = 0.9f;     // how often the first kind of move is looked for
    float pattern_rate = 0.95f;  // and the second
    float prior_weight = 1.0f;   // scales the weights of all priors
  };

  explicit Guide(const Params& params) : params_(params) {}

  void playout(Board& board, Player to_move, Point last, Rng& rng,
               FirstPlays* plays) const override;
  // Precondition: serves(state).
  void prior(const State& state, const ActionList& actions, std::span<Prior> priors) const override;

 private:
  Point choose(Board& board, Player player, Point last, Rng& rng) const;

  Params params_;
};

}  // namespace gtpbot::go
