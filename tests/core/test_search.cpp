// The tree search with threads: what the sanitizers watch, and what must hold whoever wins a race.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
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
  const Node& root = search.tree().root();
  const Node* children = search.tree().children(root);
  for (int i = 0; i < root.num_children; ++i) {
    CHECK(children[i].amaf().visits() >= children[i].visits());
  }
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
void the_tree_follows_the_game(bool shares) {
  SearchOptions o = options(3, 3000);
  o.transpositions = shares;
  Search search(ConnectFourState(), std::make_shared<Evaluator>(), o);
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

// A net that knows nothing of Connect Four, and says so at once.
class Ignorant final : public Evaluator {
 public:
  int batch_size() const override { return 4; }
  bool is_constant() const override { return true; }
  void evaluate_batch(std::span<Leaf> leaves, Rng&) const override {
    for (Leaf& leaf : leaves) {
      const auto moves = static_cast<std::size_t>(leaf.actions.size());
      leaf.priors.assign(moves, 1.0f / static_cast<float>(std::max<std::size_t>(moves, 1)));
      leaf.black_value = 0.0f;
    }
  }
};

// A search by a net ends with its tree. What an earlier root left behind is room for it, although
// less than half of the block was used when the root moved.
void a_search_goes_on_in_the_room_of_what_was_left_behind() {
  for (const int threads : {1, 3}) {
    for (const bool shares : {false, true}) {
      SearchOptions o = options(threads, 40'000, Puct{1.0f, 0.0f, 0.0f});
      o.transpositions = shares;
      Search search(ConnectFourState(), std::make_shared<Ignorant>(), o);
      SearchLimits limits;
      limits.playouts = 2000;
      search.run(limits);
      CHECK(search.tree().num_nodes() < 20'000);
      search.advance(action_at(3));
      limits.playouts = 4000;
      CHECK_EQ(search.run(limits).playouts, limits.playouts);
      CHECK(search.tree().num_nodes() <= search.tree().max_nodes());
    }
  }
}

// As all visits go to the one move that does not lose.
void to_move_the_root_slides_nothing_while_most_of_the_tree_survives() {
  Search search(one_move_does_not_lose(), std::make_shared<Evaluator>(), options(1, 20'000));
  SearchLimits limits;
  limits.playouts = 40'000;
  search.run(limits);
  const std::size_t full = search.tree().num_nodes();
  CHECK(full > 19'000);
  search.advance(action_at(3));
  CHECK_EQ(search.tree().num_nodes(), full);
  CHECK_EQ(search.run(limits).playouts, limits.playouts);
}

// Nobody may have the time for it when a move is played. The first search has.
void to_move_the_root_slides_nothing_when_most_of_the_tree_is_left_behind() {
  Search search(ConnectFourState(), std::make_shared<Evaluator>(), options(1, 1 << 15));
  SearchLimits limits;
  limits.playouts = 20'000;
  while (!search.tree().is_full()) search.run(limits);
  const std::size_t full = search.tree().num_nodes();
  search.advance(search.children(1).back().action);
  CHECK_EQ(search.tree().num_nodes(), full);
  limits.playouts = 1;
  CHECK_EQ(search.run(limits).playouts, 1u);
  CHECK(search.tree().num_nodes() < full / 2);
}

// Half of the tree is left behind, for which there is no time, and then there is.
void a_tree_is_compacted_only_if_there_is_time_for_it() {
  Search search(ConnectFourState(), std::make_shared<Evaluator>(), options(1, 1 << 18));
  SearchLimits limits;
  limits.playouts = 20'000;
  while (!search.tree().is_full()) search.run(limits);
  const Action best = search.children(1).front().action;
  search.advance(best);
  const std::size_t full = search.tree().num_nodes();
  const std::uint32_t visits = search.tree().root().visits();
  limits = SearchLimits();
  limits.seconds = 0.005;
  while (search.run(limits).playouts == 0) {  // a busy machine may do nothing in that time
  }
  CHECK_EQ(search.tree().num_nodes(), full);
  CHECK(search.tree().root().visits() > visits);
  limits = SearchLimits();
  limits.playouts = 1;
  CHECK_EQ(search.run(limits).playouts, 1u);
  CHECK(search.tree().num_nodes() < full);
  CHECK(!search.tree().is_full());
}

// Reports are told by another thread, while the nodes of which they tell are slid.
void a_tree_is_compacted_while_others_read_it() {
  Search search(ConnectFourState(), std::make_shared<Evaluator>(), options(2, 1 << 15));
  SearchLimits limits;
  limits.playouts = 5000;
  std::atomic<bool> ends = false;
  for (int move = 0; move < 6; ++move) {
    std::jthread reader([&] {
      while (!ends) CHECK(search.children(8).size() <= 7 && search.root_visits() < 1 << 27);
    });
    for (int i = 0; i < 3; ++i) search.run(limits);
    ends = true;
    reader.join();
    ends = false;
    search.advance(search.children(1).front().action);
  }
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
  gtpbot::the_tree_follows_the_game(false);
  gtpbot::the_tree_follows_the_game(true);
  gtpbot::the_time_of_a_move_without_rivals_is_not_used();
  gtpbot::a_move_without_rivals_is_searched_on_if_asked();
  gtpbot::without_a_limit_only_a_stop_ends_the_search_of_a_move_without_rivals();
  gtpbot::a_search_goes_on_in_the_room_of_what_was_left_behind();
  gtpbot::to_move_the_root_slides_nothing_while_most_of_the_tree_survives();
  gtpbot::to_move_the_root_slides_nothing_when_most_of_the_tree_is_left_behind();
  gtpbot::a_tree_is_compacted_only_if_there_is_time_for_it();
  gtpbot::a_tree_is_compacted_while_others_read_it();
  gtpbot::another_thread_stops_a_search();
  gtpbot::an_error_in_one_thread_ends_all();
  gtpbot::a_tally_holds_the_most_visits_that_it_may_count();
  return gtpbot::check::status();
}
