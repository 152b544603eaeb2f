// What settles a position without a look at what follows it in the tree.
#pragma once

#include <optional>

#include "state.hpp"

namespace gtpbot {

// Finds out how games end that both players play without a mistake (Baier and Winands, MCTS-minimax
// hybrids, 2015). It may try for long before it gives up, so a search asks once a leaf.
class Prover {
 public:
  Prover() = default;
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;
  virtual ~Prover() = default;

  // Searches with so many threads or fewer may ask it.
  virtual int threads() const = 0;
  // True if it can tell of positions of the game of `state`.
  virtual bool serves(const State& state) const = 0;
  // The value for Black, -1, 0 or 1; nothing if it was not found out. Different threads, numbered
  // from 0, may ask at once. Precondition: serves(state), and the game is not over.
  virtual std::optional<float> prove(const State& state, int thread) = 0;
};

}  // namespace gtpbot
