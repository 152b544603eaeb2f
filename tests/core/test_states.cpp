// Every native game keeps the contract of State, on seeded random games.
#include "contract.hpp"
#include "games/coin.hpp"
#include "games/connect_four.hpp"
#include "games/go/go_state.hpp"
#include "games/tictactoe.hpp"

namespace gtpbot {
namespace {

void check_game(const State& first, int games, int max_length) {
  Rng rng(2024);
  for (int game = 0; game < games; ++game) check::check_random_game(first, rng, max_length);
}

void check_go(int size, go::KoRule ko, bool suicide, int games) {
  go::Rules rules;
  rules.ko = ko;
  rules.suicide = suicide;
  check_game(go::GoState(size, rules), games, 3 * size * size);
}

}  // namespace
}  // namespace gtpbot

int main() {
  using namespace gtpbot;
  check_game(CoinState(), 20, 21);
  check_game(CoinState(1, 1), 1, 1);
  check_game(TicTacToeState(), 20, 9);
  check_game(ConnectFourState(), 20, 42);
  check_game(ConnectFourState(8, 7, 5), 10, 56);
  for (const int columns : {1, 2, 16, 32}) {
    check_game(ConnectFourState(columns, 64 / columns - 1, 2), 4, 64);
  }
  for (const auto ko : {go::KoRule::kSimple, go::KoRule::kPositional, go::KoRule::kSituational}) {
    check_go(2, ko, true, 4);
    check_go(5, ko, false, 2);
  }
  check_go(25, go::KoRule::kPositional, true, 1);
  return check::status();
}
