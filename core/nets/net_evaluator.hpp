// How the agents with nets value a leaf and its moves; the recipes of policy-MCTS, mixed MCTS,
// AlphaGo and AlphaZero are all mixtures of the same parts.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evaluator.hpp"
#include "nets/net.hpp"
#include "nets/net_memory.hpp"

namespace gtpbot {

// Which moves a rollout plays.
enum class Rollout { kNone, kRandom, kPolicy, kPlayouts };

// The value of a leaf is value_weight * v + (1 - value_weight) * z (Silver et al., Mastering the
// game of Go with deep neural networks and tree search, 2016): v is what the value net says of it,
// z the result of a rollout. A rollout that has not ended after rollout_depth moves is worth what
// the value net says of where it stands, or 0 without one.
struct NetRecipe {
  static constexpr int kWholeGame = 1 << 20;

  std::shared_ptr<const Net> prior;           // the probabilities of moves; null: all alike
  std::shared_ptr<const Net> value;           // null: no value net; may be the same as `prior`
  std::shared_ptr<const Net> rollout_policy;  // of Rollout::kPolicy
  std::shared_ptr<const Evaluator> playouts;  // of Rollout::kPlayouts, to the end of the game
  Rollout rollout = Rollout::kNone;
  int rollout_depth = kWholeGame;
  float value_weight = 0.0f;
  int batch_size = 8;
  std::optional<Turns> turns;  // how to show leaves to nets: Net::evaluate
  // How many evaluations to remember by State::net_key(), whichever way led to a position, if one
  // net gives both priors and values, without rollouts, and the game is not history-free; in others
  // a Net remembers.
  std::size_t memory = 0;
};

class NetEvaluator final : public Evaluator {
 public:
  // Throws std::invalid_argument for a recipe that does not say how to value a leaf.
  explicit NetEvaluator(const NetRecipe& recipe);

  bool serves(const State& state) const override;
  float evaluate(State& leaf, Rng& rng, FirstPlays* plays) const override;
  int batch_size() const override { return recipe_.batch_size; }
  bool is_constant() const override { return recipe_.value_weight == 1.0f; }
  bool recall(Leaf& leaf) const override;
  void evaluate_batch(std::span<Leaf> leaves, Rng& rng) const override;

 private:
  NetOutput opinion_of(const Net& net, std::span<const State* const> states) const;
  // True if one net is for priors and values.
  bool says_all() const {
    return recipe_.prior && recipe_.prior == recipe_.value && recipe_.value_weight > 0.0f;
  }
  bool remembers(const State& state) const { return memory_ && !state.is_history_free(); }
  void remember(std::span<const Leaf> leaves, const NetOutput& output) const;
  template <class IsIn>
  void set_priors(std::span<Leaf> leaves, const NetOutput& output, const IsIn& is_in) const;
  // Weighs in the value net's opinion of each leaf.
  void add_values(std::span<Leaf> leaves, const NetOutput& output) const;
  // Plays each leaf out, all in step, and weighs in the results.
  void add_rollouts(std::span<Leaf> leaves, Rng& rng) const;
  void play_one_move(std::span<State* const> states, Rng& rng) const;

  NetRecipe recipe_;
  // Null unless it is asked for, one net says all, and nothing is rolled out.
  std::unique_ptr<NetMemory> memory_;
};

}  // namespace gtpbot
