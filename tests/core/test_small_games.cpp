// Tic Tac Toe and Connect Four: what their playouts record, and which moves they do not miss.
#include <algorithm>
#include <string>

#include "check.hpp"
#include "games/connect_four.hpp"
#include "games/tictactoe.hpp"

namespace gtpbot {
namespace {

using Playout = float (State::*)(Rng&, FirstPlays*);

// The actions that `player` was the first to make in one playout of a copy of `state`.
ActionList first_plays(const State& state, Player player, std::uint64_t seed,
                       Playout playout = &State::playout) {
  Rng rng(seed);
  FirstPlays plays;
  plays.clear();
  (state.clone().get()->*playout)(rng, &plays);
  ActionList made;
  for (int i = 0; i < kMaxActions; ++i) {
    if (plays.player[static_cast<std::size_t>(i)] == index(player)) made.push(action_at(i));
  }
  return made;
}

void the_last_move_is_recorded() {
  TicTacToeState state;
  for (const int a : {0, 1, 2, 4, 3, 5, 7, 6}) state.apply_action(action_at(a));
  CHECK_EQ(first_plays(state, Player::kBlack, 1).size(), 1);
  CHECK_EQ(index(first_plays(state, Player::kBlack, 1)[0]), 8);
  CHECK(first_plays(state, Player::kWhite, 1).empty());
}

// In Tic Tac Toe no cell is played twice, so the players record as many as they play.
void players_take_turns() {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const int black = first_plays(TicTacToeState(), Player::kBlack, seed).size();
    const int white = first_plays(TicTacToeState(), Player::kWhite, seed).size();
    CHECK(black == white || black == white + 1);
    CHECK(black + white >= 5);
  }
}

// The inner columns are full, without a line.
void only_columns_with_room_are_played() {
  for (const int length : {4, 5}) {
    ConnectFourState state(7, 6, length);
    state.apply_action(action_at(3));
    for (const int column : {1, 2, 3, 4, 5}) {
      while (state.is_legal(action_at(column))) state.apply_action(action_at(column));
    }
    for (const Player player : {Player::kBlack, Player::kWhite}) {
      for (const Action a : first_plays(state, player, 3)) CHECK(index(a) == 0 || index(a) == 6);
    }
  }
}

void a_column_belongs_to_who_played_it_first() {
  CHECK_EQ(first_plays(ConnectFourState(1, 3, 3), Player::kBlack, 1).size(), 1);
  CHECK(first_plays(ConnectFourState(1, 3, 3), Player::kWhite, 1).empty());
}

bool wins(State& state, Action a) {
  const Player player = state.current_player();
  state.apply_action(a);
  return state.is_terminal() && state.black_value() == black_value_of(win_of(player));
}

// The moves that win at once.
ActionList winning_moves(const State& state) {
  ActionList legal, winning;
  state.legal_actions(legal);
  for (const Action a : legal) {
    if (wins(*state.clone(), a)) winning.push(a);
  }
  return winning;
}

// Those after which the opponent does not.
ActionList safe_moves(const State& state) {
  ActionList legal, safe;
  state.legal_actions(legal);
  for (const Action a : legal) {
    const std::unique_ptr<State> after = state.clone();
    after->apply_action(a);
    if (winning_moves(*after).empty()) safe.push(a);
  }
  return safe;
}

bool same(const ActionList& one, const ActionList& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end());
}

bool has(const ActionList& actions, Action a) {
  return std::find(actions.begin(), actions.end(), a) != actions.end();
}

// A playout that was over as soon as the opponent could win began with a move that let him.
void check_playout(const State& state, std::uint64_t seed) {
  const Player player = state.current_player();
  const Playout decisively = &State::decisive_playout;
  Rng rng(seed);
  const ActionList winning = winning_moves(state), safe = safe_moves(state);
  const ActionList made = first_plays(state, player, seed, decisively);
  const bool wins = state.clone()->decisive_playout(rng, nullptr) == black_value_of(win_of(player));
  if (!winning.empty()) CHECK(wins && made.size() == 1 && has(winning, made[0]));
  if (winning.empty() && safe.size() == 1) CHECK(has(made, safe[0]));
  const bool is_short =
      made.size() == 1 && first_plays(state, opponent(player), seed, decisively).empty();
  if (winning.empty() && !safe.empty() && is_short) CHECK(has(safe, made[0]));
}

void decisive_moves_are_made(const ConnectFourState& first) {
  Rng rng(5);
  ActionList legal, decisive;
  int won = 0, saved = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (ConnectFourState state = first; !state.is_terminal();) {
      state.legal_actions(legal);
      state.decisive_candidates(decisive);
      const ActionList winning = winning_moves(state), safe = safe_moves(state);
      if (!winning.empty() || !safe.empty())
        CHECK(same(decisive, winning.empty() ? safe : winning));
      won += !winning.empty();
      saved += winning.empty() && !safe.empty() && safe.size() < legal.size();
      check_playout(state, seed);
      state.apply_action(legal[static_cast<int>(rng.below(legal.size()))]);
    }
  }
  CHECK(won > 100 && saved > 100);
}

// Neither player goes below the cell marked `!`, where Black completes a row: not White, lest he do
// so, and not Black, lest White fill it. White, who is to move, runs out of other moves first.
//
//     . O X O . O .
//     O O O X X X !
//     O X X X O O .
//     X O O O X X X
//     X O X X O X X
//     X O O O X X O
void a_win_to_come_is_not_given_away() {
  ConnectFourState state;
  for (const char column : std::string("6762121222736655641133524574364341543")) {
    state.apply_action(action_at(column - '1'));
  }
  Rng rng(1);
  for (int i = 0; i < 100; ++i) CHECK_EQ(state.clone()->decisive_playout(rng, nullptr), 1.0f);
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::the_last_move_is_recorded();
  gtpbot::players_take_turns();
  gtpbot::only_columns_with_room_are_played();
  gtpbot::a_column_belongs_to_who_played_it_first();
  gtpbot::decisive_moves_are_made(gtpbot::ConnectFourState());
  gtpbot::decisive_moves_are_made(gtpbot::ConnectFourState(5, 4, 3));
  gtpbot::decisive_moves_are_made(gtpbot::ConnectFourState(9, 6, 5));
  gtpbot::a_win_to_come_is_not_given_away();
  return gtpbot::check::status();
}
