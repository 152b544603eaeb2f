// The solver of Connect Four: against plain minimax, its table and its book.
#include <algorithm>
#include <thread>
#include <vector>

#include "check.hpp"
#include "connect_four_states.hpp"
#include "rng.hpp"
#include "search/connect_four_solver.hpp"

namespace gtpbot {
namespace {

// The score of the definition, by looking at every game.
int plain_score(const ConnectFourState& state, int discs) {
  int best = -ScoreBounds::kMost;
  ActionList actions;
  state.legal_actions(actions);
  for (const Action a : actions) {
    ConnectFourState after = state;
    after.apply_unchecked(a);
    const bool won = after.is_terminal() && after.black_value() != 0.0f;
    const int score = won                   ? 22 - (discs / 2 + 1)
                      : after.is_terminal() ? 0
                                            : -plain_score(after, discs + 1);
    best = std::max(best, score);
  }
  return best;
}

void scores_are_those_of_plain_minimax() {
  Rng rng(1);
  ConnectFourSolver solver(ScoreTable::kMinBytes);
  int seen[3] = {0, 0, 0};
  for (int i = 0; i < 6000; ++i) {
    const int discs = 41 - i % (i < 300 ? 12 : 6);
    const ConnectFourState state = random_state(rng, discs);
    const int score = plain_score(state, discs);
    const int sign = (score > 0) - (score < 0);
    CHECK_EQ(*solver.solve(state, Precision::kOutcome), sign);
    CHECK_EQ(*solver.solve(state, Precision::kScore), score);
    ++seen[sign + 1];
  }
  CHECK(seen[0] > 200 && seen[1] > 200 && seen[2] > 200);
}

void a_table_has_room_as_its_memory_has() {
  for (int log2 = 20; log2 <= 40; ++log2) {
    const std::size_t bytes = std::size_t{1} << log2;
    CHECK_EQ(ScoreTable::num_entries(bytes), bytes / 8);
    CHECK_EQ(ScoreTable::num_entries(bytes + bytes / 2), bytes / 8);
  }
}

void moves_are_scored_for_who_makes_them() {
  Rng rng(2);
  ConnectFourSolver solver(ScoreTable::kMinBytes);
  for (int i = 0; i < 50; ++i) {
    const ConnectFourState state = random_state(rng, 32);
    const auto scores = solver.solve_moves(state, Precision::kScore);
    int best = -ScoreBounds::kMost;
    for (int a = 0; a < 7; ++a) {
      const auto& score = scores[static_cast<std::size_t>(a)];
      CHECK_EQ(score.has_value(), state.is_legal(action_at(a)));
      best = std::max(best, score.value_or(best));
    }
    CHECK_EQ(best, plain_score(state, 32));
  }
}

void a_book_answers_for_both_images_of_a_position() {
  ConnectFourState left, right;
  left.apply_unchecked(action_at(0));
  right.apply_unchecked(action_at(6));
  const std::vector<ConnectFourBook::Line> lines = {
      {ConnectFourSolver::book_key(left), {-2, -2}, 1}};  // not its score, so that it is the book's
  ConnectFourSolver solver(ScoreTable::kMinBytes,
                           ConnectFourBook(ConnectFourBook::encode(1, lines)));
  for (const ConnectFourState& state : {left, right}) {
    CHECK_EQ(solver.solve(state, Precision::kScore, 5.0).value_or(99), -2);
    const int answer = ConnectFourSolver::book_column(state, 1);
    CHECK_EQ(solver.book_answer(state).value_or(99), answer);
  }
  CHECK_EQ(ConnectFourSolver::book_column(left, 1) + ConnectFourSolver::book_column(right, 1), 6);
  CHECK(!solver.book_answer(ConnectFourState()));
  const std::vector<ConnectFourBook::Line> nonsense = {{1, {}, 7}};
  CHECK_THROWS(ConnectFourBook::encode(1, nonsense), std::invalid_argument,
               "an answer in column 7: expected 0 to 6");
}

void what_is_no_book_is_refused() {
  std::vector<std::uint8_t> bytes = ConnectFourBook::encode(3, {});
  CHECK_EQ(ConnectFourBook(bytes).most_discs(), 3);
  bytes.push_back(0);
  CHECK_THROWS(ConnectFourBook{bytes}, std::invalid_argument, "no book of Connect Four");
  CHECK_THROWS(ConnectFourBook{std::vector<std::uint8_t>(16)}, std::invalid_argument, "C4BOOK2");
  const ConnectFourBook::Line first{5, {1, 21}};
  bytes = ConnectFourBook::encode(42, std::vector{first, ConnectFourBook::Line{6, {-21, 21}}});
  CHECK_EQ(ConnectFourBook(bytes).find(5).bounds.lower, 1);
  const auto refused = [](std::vector<std::uint8_t> book, std::size_t at, int value) {
    book[at] = static_cast<std::uint8_t>(value);
    CHECK_THROWS(ConnectFourBook{book}, std::invalid_argument, "no book of Connect Four");
  };
  refused(bytes, 7, 43);       // more discs than a board has
  refused(bytes, 8, 63);       // at least 1, at most -42
  refused(bytes, 8 + 2, 255);  // the first key is above the second
  CHECK_THROWS(ConnectFourBook::encode(43, {}), std::invalid_argument, "43 discs: expected 0 to");
  const std::vector<ConnectFourBook::Line> twice{first, first};
  CHECK_THROWS(ConnectFourBook{ConnectFourBook::encode(3, twice)}, std::invalid_argument,
               "ascending");
}

void the_table_keeps_what_was_costly() {
  ScoreTable table(ScoreTable::kMinBytes);
  constexpr std::uint64_t kPlaces = 32768;
  const std::uint64_t costly = ScoreTable::hash(1);
  table.store(costly, {3, 5}, 1u << 20);
  for (std::uint64_t key = 2; key < 16 * kPlaces; ++key) {
    table.store(ScoreTable::hash(key), {-1, 2}, 10);
  }
  CHECK_EQ(table.find(costly).lower, 3);
  CHECK_EQ(table.find(costly).upper, 5);
  CHECK_EQ(table.find(ScoreTable::hash(16 * kPlaces)).upper, ScoreBounds::kMost);
  CHECK_THROWS(ScoreTable(1), std::invalid_argument, "a table of 1 bytes: expected 1048576 to");
}

void another_thread_may_stop_a_solver() {
  ConnectFourSolver solver;
  std::chrono::steady_clock::time_point stopped;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stopped = std::chrono::steady_clock::now();
    solver.stop();
  });
  CHECK(!solver.solve(ConnectFourState(), Precision::kOutcome, 60.0).has_value());
  stopper.join();
  CHECK(std::chrono::steady_clock::now() - stopped < std::chrono::seconds(2));
}

void what_is_not_its_game_is_refused() {
  ConnectFourSolver solver(ScoreTable::kMinBytes);
  CHECK_THROWS(solver.solve(ConnectFourState(5, 4), Precision::kOutcome), std::invalid_argument,
               "Connect Four on 5x4 with lines of 4: expected 7x6 and 4");
  ConnectFourState over;
  for (const int a : {0, 1, 0, 1, 0, 1, 0}) over.apply_unchecked(action_at(a));
  CHECK_THROWS(solver.solve(over, Precision::kOutcome), GameOver, "the game is over");
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::scores_are_those_of_plain_minimax();
  gtpbot::a_table_has_room_as_its_memory_has();
  gtpbot::moves_are_scored_for_who_makes_them();
  gtpbot::a_book_answers_for_both_images_of_a_position();
  gtpbot::what_is_no_book_is_refused();
  gtpbot::the_table_keeps_what_was_costly();
  gtpbot::another_thread_may_stop_a_solver();
  gtpbot::what_is_not_its_game_is_refused();
  return gtpbot::check::status();
}
