// Search with nets by several threads: what the sanitizers watch.
#include <cmath>
#include <memory>

#include "check.hpp"
#include "games/coin.hpp"
#include "games/connect_four.hpp"
#include "games/go/go_state.hpp"
#include "games/tictactoe.hpp"
#include "nets/net_evaluator.hpp"
#include "search/search.hpp"

namespace gtpbot {
namespace {

// A net that likes the middle, and whoever has more discs there.
std::shared_ptr<const Net> middle_net(const State& state, std::size_t memory) {
  const NetShape shape{state.plane_shape(), state.num_actions(), true, true};
  const auto forward = [shape](std::span<const float> planes, int count, NetOutput& out) {
    const auto size = static_cast<std::size_t>(shape.planes.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      out.value[i] = 0.5f * planes[i * size + size / 2] - 0.25f;
      for (int a = 0; a < shape.num_actions; ++a) {
        const int from_middle = a < shape.num_actions / 2 ? a : shape.num_actions - 1 - a;
        out.policy[i * static_cast<std::size_t>(shape.num_actions) + static_cast<std::size_t>(a)] =
            static_cast<float>(from_middle + 1);
      }
    }
  };
  return std::make_shared<Net>(shape, forward, memory);
}

std::shared_ptr<const Evaluator> zero(const State& state, std::size_t memory, int batch) {
  NetRecipe recipe;
  recipe.prior = recipe.value = middle_net(state, memory);
  recipe.value_weight = 1.0f;
  recipe.batch_size = batch;
  return std::make_shared<NetEvaluator>(recipe);
}

SearchOptions options(int threads, bool transpositions, std::size_t nodes = 1 << 18) {
  SearchOptions o;
  o.rule = Puct{1.5f, 0.2f};
  o.threads = threads;
  o.max_bytes = nodes * sizeof(Node);
  o.transpositions = transpositions;
  return o;
}

void threads_gather_leaves_of_one_tree() {
  const ConnectFourState root;
  for (const bool transpositions : {false, true}) {
    for (const int threads : {1, 4}) {
      Search search(root, zero(root, 256, 8), options(threads, transpositions));
      SearchLimits limits;
      limits.playouts = 4000;
      CHECK_EQ(search.run(limits).playouts, limits.playouts);
      std::uint64_t visits = 0;
      for (const ChildReport& child : search.children(1)) visits += child.visits;
      CHECK(visits <= limits.playouts);
      CHECK(visits > limits.playouts / 2);
    }
  }
}

void playouts_share_positions() {
  for (const int threads : {1, 4}) {
    Search search(ConnectFourState(), std::make_shared<Evaluator>(), [&] {
      SearchOptions o = options(threads, true);
      o.rule = Ucb1{0.7f};
      return o;
    }());
    SearchLimits limits;
    limits.playouts = 20'000;
    CHECK_EQ(search.run(limits).playouts, limits.playouts);
    for (int i = 0; i < 6; ++i) search.advance(search.children(1).front().action);
    search.run(limits);
    CHECK(!search.children(1).empty());
  }
}

// A full tree is compacted on the way, and nodes still share what they shared.
void a_shared_tree_follows_the_game() {
  const ConnectFourState root;
  Search search(root, zero(root, 0, 4), options(2, true, 3000));
  SearchLimits limits;
  limits.playouts = 2000;
  while (!search.tree().root_state().is_terminal()) {
    search.run(limits);
    const std::vector<ChildReport> children = search.children(1);
    if (children.empty()) break;
    CHECK(search.tree().num_nodes() <= search.tree().max_nodes());
    search.advance(children.front().action);
  }
  CHECK(search.tree().root_state().is_terminal());
}

// Values are corrected by two threads, in a tree that is compacted on the way.
void a_tree_with_forecasts_follows_the_game() {
  const go::GoState root(7);
  SearchOptions o = options(2, false, 6000);
  o.bias_correction = 0.5f;
  Search search(root, zero(root, 0, 4), o);
  SearchLimits limits;
  limits.playouts = 300;
  for (int i = 0; i < 30 && !search.tree().root_state().is_terminal(); ++i) {
    search.run(limits);
    const std::vector<ChildReport> children = search.children(1);
    if (children.empty()) break;
    for (const ChildReport& child : children) CHECK(std::abs(child.value_to_move) <= 1.0f);
    CHECK(search.tree().num_nodes() <= search.tree().max_nodes());
    search.advance(children.front().action);
  }
}

// What was learned of a kind of position stays when the game takes a way that nobody looked at.
void what_biases_learned_outlives_the_nodes() {
  constexpr std::uint32_t kKind = 5;
  Tree tree(go::GoState(5), 1 << 20, false, true);
  Forecast forecast{};
  forecast.kind = kKind;
  tree.biases().learn(forecast, Tally(100, 80 * std::uint64_t{Tally::kWin}));
  const float learned = tree.biases().of(kKind);
  CHECK(learned > 0.1f);
  tree.advance(action_at(12));
  CHECK_EQ(tree.biases().of(kKind), learned);
  tree.reset(go::GoState(5));
  CHECK_EQ(tree.biases().of(kKind), 0.0f);
}

void proofs_are_shared() {
  for (int pile = 2; pile <= 100; ++pile) {
    const CoinState root(pile, 2);
    Search search(root, zero(root, 64, 4), options(2, true, 1 << 14));
    SearchLimits limits;
    limits.playouts = 20'000;
    search.run(limits);
    CHECK_EQ(search.root_proof(), pile % 3 ? Proof::kWin : Proof::kLoss);
  }
}

void rollouts_run_in_step() {
  const TicTacToeState root;
  NetRecipe recipe;
  recipe.rollout = Rollout::kPolicy;
  recipe.rollout_policy = middle_net(root, 64);
  recipe.value = middle_net(root, 0);
  recipe.rollout_depth = 4;
  recipe.value_weight = 0.3f;
  Search search(root, std::make_shared<NetEvaluator>(recipe), options(4, false));
  SearchLimits limits;
  limits.playouts = 2000;
  CHECK_EQ(search.run(limits).playouts, limits.playouts);
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::threads_gather_leaves_of_one_tree();
  gtpbot::playouts_share_positions();
  gtpbot::a_shared_tree_follows_the_game();
  gtpbot::a_tree_with_forecasts_follows_the_game();
  gtpbot::what_biases_learned_outlives_the_nodes();
  gtpbot::proofs_are_shared();
  gtpbot::rollouts_run_in_step();
  return gtpbot::check::status();
}
