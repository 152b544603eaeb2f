// Every native game keeps the contract of State, on seeded random games.
#include "contract.hpp"
#include "games/coin.hpp"
#include "games/go/go_state.hpp"

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
  for (const auto ko : {go::KoRule::kSimple, go::KoRule::kPositional, go::KoRule::kSituational}) {
    check_go(2, ko, true, 4);
    check_go(5, ko, false, 2);
  }
  check_go(25, go::KoRule::kPositional, true, 1);
  return check::status();
}
