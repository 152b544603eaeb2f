// The coin game: its rules and its limits.
#include "check.hpp"
#include "games/coin.hpp"

namespace gtpbot {
namespace {

void last_coin_wins() {
  CoinState state(3, 2);
  state.apply_action(action_at(1));
  CHECK_EQ(state.coins(), 1);
  CHECK(state.current_player() == Player::kWhite);
  state.apply_action(action_at(0));
  CHECK(state.is_terminal());
  CHECK_EQ(state.black_value(), -1.0f);
}

void no_more_than_the_pile() {
  CoinState state(3, 3);
  state.apply_action(action_at(1));
  CHECK_THROWS(state.apply_action(action_at(1)), IllegalMove, "1 coins, White to move");
}

void options_are_checked() {
  CHECK_THROWS(CoinState(0, 1), std::invalid_argument, "pile 0");
  CHECK_THROWS(CoinState(5, 6), std::invalid_argument, "max_take 6");
  CHECK_THROWS(CoinState(5, 0), std::invalid_argument, "max_take 0");
  CHECK_THROWS(CoinState(1001, 2), std::invalid_argument, "<= 1000");
  CHECK_THROWS(CoinState(1000, kMaxActions + 1), std::invalid_argument, "max_take <= 626");
}

void as_many_moves_as_a_game_may_have() {
  ActionList actions;
  CoinState(1000, kMaxActions).legal_actions(actions);
  CHECK_EQ(actions.size(), kMaxActions);
}

void playouts_record_who_played() {
  Rng rng(1);
  FirstPlays plays;
  plays.clear();
  CoinState state(1, 1);
  CHECK_EQ(state.playout(rng, &plays), 1.0f);
  CHECK_EQ(static_cast<int>(plays.player[0]), index(Player::kBlack));
  CHECK_EQ(plays.player[1], FirstPlays::kNobody);
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::last_coin_wins();
  gtpbot::no_more_than_the_pile();
  gtpbot::options_are_checked();
  gtpbot::as_many_moves_as_a_game_may_have();
  gtpbot::playouts_record_who_played();
  return gtpbot::check::status();
}
