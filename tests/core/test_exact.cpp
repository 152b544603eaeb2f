// The exact searches: their table, and a stop from another thread.
#include <thread>

#include "check.hpp"
#include "games/connect_four.hpp"
#include "games/tictactoe.hpp"
#include "search/exact.hpp"
#include "search/perft.hpp"

namespace gtpbot {
namespace {

std::vector<Action> legal(const State& state) {
  ActionList actions;
  state.legal_actions(actions);
  return {actions.begin(), actions.end()};
}

Transposition entry_of(std::uint64_t key) { return {key, 7, 3, action_at(5), Bound::kExact, true}; }

void the_table_grows_and_forgets_only_when_full() {
  TranspositionTable table(12);
  constexpr std::uint64_t kFew = 4096;
  for (std::uint64_t key = 0; key < kFew; ++key) table.store(entry_of(key));
  for (std::uint64_t key = 0; key < kFew; ++key) CHECK(table.find(key) != nullptr);
  CHECK(table.find(kFew) == nullptr);
  CHECK_EQ(index(table.find(1)->best), 5);
  std::uint64_t kept = 0;
  for (std::uint64_t key = 0; key < 16 * kFew; ++key) table.store(entry_of(key));
  for (std::uint64_t key = 0; key < 16 * kFew; ++key) kept += table.find(key) ? 1 : 0;
  CHECK(kept > kFew);
  CHECK(kept <= 2 * kFew);
}

void the_deepest_look_stays() {
  TranspositionTable table(0);
  Transposition deep = entry_of(1);
  deep.depth = 100;
  table.store(deep);
  for (std::uint64_t key = 2; key < 1000; ++key) table.store(entry_of(key));
  CHECK(table.find(1) != nullptr);
  CHECK(table.find(999) != nullptr);
}

void both_methods_solve_tictactoe() {
  const TicTacToeState state;
  for (const ExactMethod method : {ExactMethod::kMinimax, ExactMethod::kAlphaBeta}) {
    const ExactReport report = ExactSearch(method).run(state, legal(state), ExactLimits{});
    CHECK(report.proven);
    CHECK_EQ(report.value_to_move, 0.0f);
    CHECK_EQ(report.best.size(), 9u);
  }
}

void another_thread_may_stop_a_run() {
  const ConnectFourState state;
  ExactSearch search(ExactMethod::kAlphaBeta);
  ExactLimits limits;
  limits.seconds = 60;
  const auto start = std::chrono::steady_clock::now();
  std::thread stopper([&search] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    search.stop();
  });
  const ExactReport report = search.run(state, legal(state), limits);
  stopper.join();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(!report.best.empty());
}

void games_are_counted() {
  CHECK_EQ(perft(TicTacToeState(), 5).paths, 15120u);
  CHECK_EQ(perft(TicTacToeState(), 5).finished, 1440u);
  CHECK_EQ(perft(ConnectFourState(), 0).paths, 1u);
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::the_table_grows_and_forgets_only_when_full();
  gtpbot::the_deepest_look_stays();
  gtpbot::both_methods_solve_tictactoe();
  gtpbot::another_thread_may_stop_a_run();
  gtpbot::games_are_counted();
  return gtpbot::check::status();
}
