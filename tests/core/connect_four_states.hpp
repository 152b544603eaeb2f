// Positions of Connect Four for the core's tests.
#pragma once

#include "games/connect_four.hpp"
#include "rng.hpp"

namespace gtpbot {

// After so many random moves, and not over.
inline ConnectFourState random_state(Rng& rng, int discs) {
  while (true) {
    ConnectFourState state;
    ActionList actions;
    for (int i = 0; i < discs && !state.is_terminal(); ++i) {
      state.legal_actions(actions);
      state.apply_unchecked(actions[static_cast<int>(rng.below(actions.size()))]);
    }
    if (!state.is_terminal()) return state;
  }
}

}  // namespace gtpbot
