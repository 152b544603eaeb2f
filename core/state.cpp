#include "state.hpp"

#include <algorithm>

namespace gtpbot {

bool State::is_legal(Action a) const {
  ActionList actions;
  legal_actions(actions);
  return std::find(actions.begin(), actions.end(), a) != actions.end();
}

float State::playout(Rng& rng, FirstPlays* plays) {
  ActionList actions;
  while (!is_terminal()) {
    legal_actions(actions);
    const Action a =
        actions[static_cast<int>(rng.below(static_cast<std::uint32_t>(actions.size())))];
    if (plays) plays->record(a, current_player());
    apply_unchecked(a);
  }
  return black_value();
}

void State::apply_action(Action a) {
  const std::string text = std::to_string(index(a));
  if (is_terminal()) throw GameOver("action " + text + ": the game is over: " + to_string());
  if (index(a) >= num_actions()) {
    throw IllegalMove("action " + text + ": expected 0 to " + std::to_string(num_actions() - 1));
  }
  if (!is_legal(a)) {
    throw IllegalMove("action " + text + " is illegal (" + why_illegal(a) + "): " + to_string());
  }
  apply_unchecked(a);
}

}  // namespace gtpbot
