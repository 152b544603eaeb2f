// Tic Tac Toe and Connect Four: what their playouts record, and which moves they do not miss.
#include <algorithm>

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

// The moves by which the opponent will win at once unless they are made now.
ActionList feared_moves(const State& state) {
  ActionList legal, feared;
  state.legal_actions(legal);
  for (const Action a : legal) {
    const Action other = legal[legal[0] == a && legal.size() > 1 ? 1 : 0];
    const std::unique_ptr<State> after = state.clone();
    after->apply_action(other);
    if (other != a && !after->is_terminal() && wins(*after, a)) feared.push(a);
  }
  return feared;
}

void decisive_moves_are_made(const ConnectFourState& first) {
  Rng rng(5);
  ActionList legal;
  int won = 0, saved = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (ConnectFourState state = first; !state.is_terminal();) {
      const Player player = state.current_player();
      const ActionList made = first_plays(state, player, seed, &State::decisive_playout);
      const auto is_made = [&](Action a) {
        return std::find(made.begin(), made.end(), a) != made.end();
      };
      const ActionList winning = winning_moves(state), feared = feared_moves(state);
      if (!winning.empty()) {
        ++won;
        CHECK_EQ(made.size(), 1);
        CHECK(is_made(winning[0]));
        CHECK_EQ(state.clone()->decisive_playout(rng, nullptr), black_value_of(win_of(player)));
      } else if (feared.size() == 1) {
        ++saved;
        CHECK(is_made(feared[0]));
      }
      state.legal_actions(legal);
      state.apply_action(legal[static_cast<int>(rng.below(legal.size()))]);
    }
  }
  CHECK(won > 100 && saved > 100);
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
  return gtpbot::check::status();
}
