// Proofs of Connect Four: what they say, within how many positions, and by several threads at once.
#include <optional>
#include <thread>
#include <vector>

#include "check.hpp"
#include "connect_four_states.hpp"
#include "games/tictactoe.hpp"
#include "rng.hpp"
#include "search/connect_four_prover.hpp"

namespace gtpbot {
namespace {

// For Black, as the solver has it.
float value_of(const ConnectFourState& state) {
  ConnectFourSolver solver(ScoreTable::kMinBytes);
  const int outcome = solver.solve(state, Precision::kOutcome).value();
  return static_cast<float>(state.current_player() == Player::kBlack ? outcome : -outcome);
}

void threads_prove_at_once_what_the_solver_says() {
  constexpr int kThreads = 2;
  ConnectFourProver prover(kThreads, 1'000'000);
  std::vector<std::vector<ConnectFourState>> states(kThreads);
  std::vector<std::vector<float>> proofs(kThreads);
  Rng rng(1);
  for (auto& mine : states) {
    for (int i = 0; i < 100; ++i) mine.push_back(random_state(rng, 24 + i % 12));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (const auto& state : states[i]) {
        proofs[i].push_back(prover.prove(state, static_cast<int>(i)).value());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < kThreads; ++i) {
    for (std::size_t k = 0; k < states[i].size(); ++k)
      CHECK(proofs[i][k] == value_of(states[i][k]));
  }
}

void a_proof_that_takes_more_positions_is_given_up() {
  ConnectFourProver few(1, 50);
  ConnectFourProver enough(1, 10'000'000);
  Rng rng(2);
  int given_up = 0;
  for (int i = 0; i < 50; ++i) {
    const ConnectFourState state = random_state(rng, 20);
    const std::optional<float> told = few.prove(state, 0);
    if (told) CHECK(*told == enough.prove(state, 0).value());
    given_up += told ? 0 : 1;
  }
  CHECK(given_up > 0 && given_up < 50);
}

void only_boards_of_the_usual_size_are_served() {
  const ConnectFourProver prover(1, 10);
  CHECK(prover.serves(ConnectFourState()));
  CHECK(!prover.serves(ConnectFourState(8, 6, 4)));
  CHECK(!prover.serves(TicTacToeState()));
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::threads_prove_at_once_what_the_solver_says();
  gtpbot::a_proof_that_takes_more_positions_is_given_up();
  gtpbot::only_boards_of_the_usual_size_are_served();
  return gtpbot::check::status();
}
