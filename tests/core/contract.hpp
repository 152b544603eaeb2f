// What every State promises, checked along random games.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "state.hpp"

namespace gtpbot::check {

// The list of legal actions is ascending and agrees with is_legal().
inline void check_legality(const State& state) {
  ActionList legal;
  state.legal_actions(legal);
  CHECK(std::is_sorted(legal.begin(), legal.end()));
  CHECK_EQ(legal.empty(), state.is_terminal());
  for (int i = 0; i < state.num_actions(); ++i) {
    const Action a = action_at(i);
    CHECK_EQ(state.is_legal(a), std::find(legal.begin(), legal.end(), a) != legal.end());
  }
}

// Candidates are some of the legal actions, decisive ones some of those, and at least one.
inline void check_candidates(const State& state) {
  ActionList legal;
  ActionList candidates;
  ActionList decisive;
  state.legal_actions(legal);
  state.candidates(candidates);
  state.decisive_candidates(decisive);
  CHECK_EQ(candidates.empty(), legal.empty());
  CHECK_EQ(decisive.empty(), legal.empty());
  CHECK(std::includes(legal.begin(), legal.end(), candidates.begin(), candidates.end()));
  CHECK(std::includes(candidates.begin(), candidates.end(), decisive.begin(), decisive.end()));
}

// A refused action, sensible or not, throws and leaves everything as it was.
inline void check_refusal(State& state) {
  const std::uint64_t hash = state.hash();
  const std::string text = state.to_string();
  for (const int i : {0, 1, state.num_actions(), 0x7fff, 0xffff}) {
    const Action a = action_at(i);
    if (state.is_terminal()) {
      CHECK_THROWS(state.apply_action(a), GameOver, text);
    } else if (i >= state.num_actions() || !state.is_legal(a)) {
      CHECK_THROWS(state.apply_action(a), IllegalMove, std::to_string(i));
    }
  }
  CHECK_EQ(state.hash(), hash);
  CHECK_EQ(state.to_string(), text);
}

// What a net is shown are numbers, of all positions, finished ones too.
inline void check_planes(const State& state) {
  const auto size = static_cast<std::size_t>(state.plane_shape().size());
  std::vector<float> planes(size, std::nanf(""));
  state.write_planes(planes.data());
  CHECK(std::all_of(planes.begin(), planes.end(), [](float x) { return std::isfinite(x); }));
}

// Playouts end, within the value's range, on copies that share nothing with the original.
inline void check_playout(const State& state, Rng& rng) {
  const std::uint64_t hash = state.hash();
  FirstPlays plays;
  plays.clear();
  const std::unique_ptr<State> copy = state.clone();
  CHECK_EQ(copy->hash(), hash);
  CHECK(std::abs(copy->playout(rng, &plays)) <= 1.0f);
  copy->assign(state);
  CHECK_EQ(copy->hash(), hash);
  CHECK(std::abs(copy->playout(rng, nullptr)) <= 1.0f);
  copy->assign(state);
  CHECK(std::abs(copy->decisive_playout(rng, &plays)) <= 1.0f);
  CHECK_EQ(state.hash(), hash);
}

// Plays one random game from `first`, and checks each position on the way.
inline void check_random_game(const State& first, Rng& rng, int max_length) {
  const std::unique_ptr<State> state = first.clone();
  ActionList legal;
  for (int ply = 0;; ++ply) {
    check_legality(*state);
    check_candidates(*state);
    check_refusal(*state);
    check_planes(*state);
    check_playout(*state, rng);
    if (state->is_terminal() || ply == max_length) break;
    state->legal_actions(legal);
    state->apply_action(
        legal[static_cast<int>(rng.below(static_cast<std::uint32_t>(legal.size())))]);
  }
  if (state->is_terminal()) CHECK(std::abs(state->black_value()) <= 1.0f);
}

}  // namespace gtpbot::check
