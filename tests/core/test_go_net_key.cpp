// What GoState::net_key() tells apart: all that a net sees but how the position came about.
#include <map>
#include <vector>

#include "check.hpp"
#include "games/go/go_state.hpp"
#include "games/go/planes.hpp"
#include "rng.hpp"

namespace gtpbot::go {
namespace {

using Planes = std::vector<float>;

// The planes without those that tell of the way: the last moves, and what earlier positions forbid.
Planes regardless_of_way(const GoState& state) {
  Planes planes(static_cast<std::size_t>(state.plane_shape().size()));
  state.write_planes(planes.data());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const auto plane = static_cast<int>(i % kPlanes);
    if (plane == kKo || (plane >= kRecentMoves && plane < kPassed)) planes[i] = 0.0f;
  }
  return planes;
}

struct Seen {
  std::map<std::uint64_t, Planes> by_key;
  int again = 0;
};

void look_at(const GoState& state, Seen& seen) {
  const Planes planes = regardless_of_way(state);
  const auto [known, is_new] = seen.by_key.emplace(state.net_key(), planes);
  seen.again += is_new ? 0 : 1;
  CHECK(known->second == planes);
}

void play_games(const Rules& rules, Seen& seen) {
  Rng rng(7);
  ActionList actions;
  for (int game = 0; game < 60; ++game) {
    GoState state(3, rules);
    for (int move = 0; move < 40 && !state.is_terminal(); ++move) {
      look_at(state, seen);
      state.legal_actions(actions);
      state.apply_unchecked(
          actions[static_cast<int>(rng.below(static_cast<std::uint32_t>(actions.size())))]);
    }
  }
}

void equal_keys_mean_equal_planes() {
  for (const Scoring scoring : {Scoring::kArea, Scoring::kTerritory}) {
    Seen seen;
    for (const int komi_halves : {-3, 0, 15}) {
      Rules rules;
      rules.scoring = scoring;
      rules.komi_halves = komi_halves;
      play_games(rules, seen);
    }
    CHECK(seen.again > 300);
  }
}

// Points of a 3x3 board, which lie in rows from below.
GoState after(const std::vector<int>& points) {
  GoState state(3, Rules());
  for (const int point : points) state.apply_action(action_at(point));
  return state;
}

void ways_to_a_position_share_a_key() {
  CHECK_EQ(after({0, 1, 2, 3}).net_key(), after({2, 3, 0, 1}).net_key());
  CHECK(after({0, 1, 2}).net_key() != after({0, 1, 5}).net_key());
  CHECK(after({0}).net_key() != after({0, 9}).net_key());
}

}  // namespace
}  // namespace gtpbot::go

int main() {
  gtpbot::go::equal_keys_mean_equal_planes();
  gtpbot::go::ways_to_a_position_share_a_key();
  return gtpbot::check::status();
}
