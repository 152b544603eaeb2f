// Tic Tac Toe and Connect Four: what their playouts record.
#include "check.hpp"
#include "games/connect_four.hpp"
#include "games/tictactoe.hpp"

namespace gtpbot {
namespace {

// The actions that `player` was the first to make in one playout of a copy of `state`.
ActionList first_plays(const State& state, Player player, std::uint64_t seed) {
  Rng rng(seed);
  FirstPlays plays;
  plays.clear();
  state.clone()->playout(rng, &plays);
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

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::the_last_move_is_recorded();
  gtpbot::players_take_turns();
  gtpbot::only_columns_with_room_are_played();
  gtpbot::a_column_belongs_to_who_played_it_first();
  return gtpbot::check::status();
}
