// The tree search with threads: what the sanitizers watch, and what must hold whoever wins a race.
#include <chrono>
#include <memory>
#include <thread>

#include "check.hpp"
#include "games/coin.hpp"
#include "games/connect_four.hpp"
#include "games/go/guide.hpp"
#include "games/tictactoe.hpp"
#include "search/search.hpp"

namespace gtpbot {
namespace {

SearchOptions options(int threads, std::size_t nodes = 1 << 20, Rule rule = Ucb1{0.7f}) {
  SearchOptions o;
  o.rule = rule;
  o.threads = threads;
  o.max_bytes = nodes * sizeof(Node);
  o.seed = 7;
  return o;
}

std::uint64_t visits_of_children(const Search& search) {
  std::uint64_t sum = 0;
  for (const ChildReport& child : search.children(1)) sum += child.visits;
  return sum;
}

// A thread that is put to sleep amid an addition loses what the others add meanwhile, which on a
// busy machine and under sanitizers may be a good part.
void check_visits(const Search& search, std::uint64_t playouts) {
  const std::uint64_t visits = visits_of_children(search);
  CHECK(visits <= playouts);
  CHECK(visits > playouts / 2);
}

void threads_share_one_tree() {
  const auto playouts = std::make_shared<Evaluator>();
  for (const int threads : {1, 2, 3, 4}) {
    Search search(ConnectFourState(), playouts, options(threads));
    SearchLimits limits;
    limits.playouts = 20'000;
    CHECK_EQ(search.run(limits).playouts, limits.playouts);
    check_visits(search, limits.playouts);
    CHECK_EQ(search.children(1).front().action, action_at(3));
  }
}

void threads_share_what_rave_learns() {
  const auto guide = std::make_shared<go::Guide>(go::Guide::Params{});
  Search search(go::GoState(9), guide, options(4, 1 << 16, Rave{0.1f, 3000.0f}));
  SearchLimits limits;
  limits.playouts = 600;
  CHECK_EQ(search.run(limits).playouts, limits.playouts);
  check_visits(search, limits.playouts);
  for (const ChildReport& child : search.children(1)) CHECK(child.amaf_visits >= child.visits);
}

void threads_prove_together() {
  const auto playouts = std::make_shared<Evaluator>();
  for (const int threads : {2, 4}) {
    for (int pile = 1; pile <= 24; ++pile) {
      Search search(CoinState(pile, pile > 1 ? 2 : 1), playouts, options(threads));
      SearchLimits limits;
      limits.playouts = 200'000;
      search.run(limits);
      CHECK_EQ(search.root_proof(), pile % 3 ? Proof::kWin : Proof::kLoss);
    }
  }
}

void the_cap_holds_for_all_threads() {
  const auto playouts = std::make_shared<Evaluator>();
  for (const std::size_t nodes : {0, 1, 2, 9, 500}) {
    Search search(ConnectFourState(), playouts, options(4, nodes));
    SearchLimits limits;
    limits.playouts = 5000;
    CHECK_EQ(search.run(limits).playouts, limits.playouts);
    CHECK(search.tree().num_nodes() <= nodes);
  }
}

// A full tree follows a game, and is compacted on the way; what is known of a move stays known.
void the_tree_follows_the_game() {
  Search search(ConnectFourState(), std::make_shared<Evaluator>(), options(3, 3000));
  SearchLimits limits;
  limits.playouts = 3000;
  while (!search.tree().root_state().is_terminal()) {
    search.run(limits);
    const std::vector<ChildReport> before = search.children(2);
    if (before.empty()) break;
    const Action action = before.front().action;
    const std::uint32_t visits = before.front().visits;
    search.advance(action);
    CHECK_EQ(search.tree().root().visits(), visits);
  }
  CHECK(search.tree().root_state().is_terminal());
}

// White must block in the middle: each other move is seen to lose at once.
ConnectFourState one_move_does_not_lose() {
  ConnectFourState state;
  for (const int column : {0, 6, 1, 6, 2}) state.apply_unchecked(action_at(column));
  return state;
}

void the_time_of_a_move_without_rivals_is_not_used() {
  SearchLimits limits;
  limits.seconds = 2.0;
  Search search(one_move_does_not_lose(), std::make_shared<Evaluator>(), options(1));
  CHECK(search.run(limits).seconds < 0.5);
  CHECK_EQ(search.children(1).front().action, action_at(3));
  CHECK_EQ(search.root_proof(), Proof::kNone);
}

void a_move_without_rivals_is_searched_on_if_asked() {
  SearchOptions patient = options(1);
  patient.stop_early = false;
  Search search(one_move_does_not_lose(), std::make_shared<Evaluator>(), patient);
  SearchLimits limits;
  limits.seconds = 0.2;
  CHECK(search.run(limits).seconds >= 0.2);
  Search counting(one_move_does_not_lose(), std::make_shared<Evaluator>(), options(1));
  limits = SearchLimits();
  limits.playouts = 20'000;
  CHECK_EQ(counting.run(limits).playouts, limits.playouts);
}

// As in an analysis, which tells ever more of the one move.
void without_a_limit_only_a_stop_ends_the_search_of_a_move_without_rivals() {
  Search search(one_move_does_not_lose(), std::make_shared<Evaluator>(), options(1));
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    search.stop();
  });
  CHECK(search.run({}).seconds > 0.1);
}

void another_thread_stops_a_search() {
  using std::chrono::steady_clock;
  Search search(go::GoState(19), std::make_shared<Evaluator>(), options(4));
  steady_clock::time_point stopped_at;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stopped_at = steady_clock::now();
    search.stop();
  });
  search.run({});
  const auto ended_at = steady_clock::now();
  stopper.join();
  CHECK(ended_at - stopped_at < std::chrono::milliseconds(500));  // sanitizers are slow
}

class FailingState final : public State {
 public:
  std::unique_ptr<State> clone() const override { return std::make_unique<FailingState>(*this); }
  void assign(const State& other) override { *this = static_cast<const FailingState&>(other); }
  int num_actions() const override { return 2; }
  Player current_player() const override { return static_cast<Player>(depth_ % 2); }
  bool is_terminal() const override { return depth_ == 12; }
  float black_value() const override { return 0.0f; }
  void legal_actions(ActionList& out) const override {
    out.clear();
    if (depth_ == 7 && armed) throw std::runtime_error("too deep");
    for (int i = 0; i < 2 && !is_terminal(); ++i) out.push(action_at(i));
  }
  void apply_unchecked(Action) override { ++depth_; }
  std::uint64_t hash() const override { return static_cast<std::uint64_t>(depth_); }
  std::string to_string() const override { return "depth " + std::to_string(depth_); }

  static inline std::atomic<bool> armed = true;

 private:
  int depth_ = 0;
};

void an_error_in_one_thread_ends_all() {
  Search search(FailingState(), std::make_shared<Evaluator>(), options(4));
  SearchLimits limits;
  limits.playouts = 1000;
  CHECK_THROWS(search.run(limits), std::runtime_error, "too deep");
  CHECK(search.children(1).empty());
  FailingState::armed = false;
  search.run(limits);
  check_visits(search, limits.playouts);
}

void a_tally_holds_the_most_visits_that_it_may_count() {
  const Tally most(Tally::kMaxVisits, std::uint64_t{Tally::kMaxVisits} * Tally::kWin);
  CHECK_EQ(most.visits(), Tally::kMaxVisits);
  CHECK_EQ(most.mean(), 1.0f);
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::threads_share_one_tree();
  gtpbot::threads_share_what_rave_learns();
  gtpbot::threads_prove_together();
  gtpbot::the_cap_holds_for_all_threads();
  gtpbot::the_tree_follows_the_game();
  gtpbot::the_time_of_a_move_without_rivals_is_not_used();
  gtpbot::a_move_without_rivals_is_searched_on_if_asked();
  gtpbot::without_a_limit_only_a_stop_ends_the_search_of_a_move_without_rivals();
  gtpbot::another_thread_stops_a_search();
  gtpbot::an_error_in_one_thread_ends_all();
  gtpbot::a_tally_holds_the_most_visits_that_it_may_count();
  return gtpbot::check::status();
}
