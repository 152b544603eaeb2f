#include "nets/net_evaluator.hpp"

#include <algorithm>
#include <stdexcept>

namespace gtpbot {
namespace {

// The policy of one position, for some of its actions; if it leaves nothing for them, all alike.
void masked_policy(const float* policy, const ActionList& actions, std::vector<float>& out) {
  out.clear();
  float sum = 0.0f;
  for (const Action a : actions) {
    out.push_back(std::max(policy[index(a)], 0.0f));
    sum += out.back();
  }
  const auto alike = 1.0f / static_cast<float>(std::max(actions.size(), 1));
  for (float& p : out) p = sum > 1e-12f ? p / sum : alike;
}

Action drawn(const std::vector<float>& probabilities, const ActionList& actions, Rng& rng) {
  auto left = static_cast<float>(rng.uniform());
  for (int i = 0; i + 1 < actions.size(); ++i) {
    left -= probabilities[static_cast<std::size_t>(i)];
    if (left < 0.0f) return actions[i];
  }
  return actions[actions.size() - 1];
}

float for_black(float value_to_move, const State& state) {
  const float value = std::clamp(value_to_move, -1.0f, 1.0f);
  return state.current_player() == Player::kBlack ? value : -value;
}

// The states of those leaves that `is_in`.
template <class IsIn>
std::vector<const State*> states_of(std::span<const Leaf> leaves, const IsIn& is_in) {
  std::vector<const State*> states;
  for (const Leaf& leaf : leaves) {
    if (is_in(leaf)) states.push_back(leaf.state.get());
  }
  return states;
}

}  // namespace

NetEvaluator::NetEvaluator(const NetRecipe& recipe) : recipe_(recipe) {
  const auto lacks = [](const std::shared_ptr<const Net>& net, bool policy) {
    return net && !(policy ? net->shape().has_policy : net->shape().has_value);
  };
  const char* wrong = nullptr;
  if (lacks(recipe.prior, true)) wrong = "the net for priors has no policy";
  if (lacks(recipe.value, false)) wrong = "the net for values has no value";
  if (lacks(recipe.rollout_policy, true)) wrong = "the net for rollouts has no policy";
  if ((recipe.rollout == Rollout::kPolicy) != (recipe.rollout_policy != nullptr)) {
    wrong = "rollouts by a policy need a net, and others none";
  }
  if ((recipe.rollout == Rollout::kPlayouts) != (recipe.playouts != nullptr)) {
    wrong = "rollouts by playouts need an evaluator that plays them, and others none";
  }
  if (recipe.playouts && recipe.rollout_depth < NetRecipe::kWholeGame) {
    wrong = "playouts are not cut off";
  }
  if (recipe.value_weight > 0.0f && !recipe.value) wrong = "a value weight without a value net";
  if (recipe.value_weight < 1.0f && recipe.rollout == Rollout::kNone) {
    wrong = "a value weight below 1 without rollouts";
  }
  if (!(recipe.value_weight >= 0.0f && recipe.value_weight <= 1.0f)) {
    wrong = "a value weight beyond 0 to 1";
  }
  if (recipe.batch_size < 1 || recipe.rollout_depth < 0) wrong = "a batch or depth below its least";
  if (wrong) throw std::invalid_argument(wrong);
  if (says_all() && recipe.value_weight == 1.0f && recipe.memory > 0) {
    memory_ = std::make_unique<NetMemory>(recipe.memory, recipe.prior->shape());
  }
}

bool NetEvaluator::serves(const State& state) const {
  const auto fits = [&](const std::shared_ptr<const Net>& net) { return !net || net->fits(state); };
  return fits(recipe_.prior) && fits(recipe_.value) && fits(recipe_.rollout_policy) &&
         (!recipe_.playouts || recipe_.playouts->serves(state));
}

float NetEvaluator::evaluate(State& leaf, Rng& rng, FirstPlays* /*plays*/) const {
  if (leaf.is_terminal() && leaf.is_counted()) return leaf.black_value();
  Leaf copy;
  copy.state = leaf.clone();
  evaluate_batch(std::span(&copy, 1), rng);
  return copy.black_value;
}

bool NetEvaluator::recall(Leaf& leaf) const {
  if (!remembers(*leaf.state)) return false;
  NetOutput output;
  output.resize(recipe_.value->shape(), 1);
  if (!memory_->load(leaf.state->net_key(), output, 0)) return false;
  const std::span<Leaf> one(&leaf, 1);
  leaf.black_value = 0.0f;
  set_priors(one, output, [](const Leaf&) { return true; });
  add_values(one, output);
  return true;
}

void NetEvaluator::remember(std::span<const Leaf> leaves, const NetOutput& output) const {
  if (leaves.empty() || !remembers(*leaves.front().state)) return;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    memory_->store(leaves[i].state->net_key(), output, i);
  }
}

void NetEvaluator::evaluate_batch(std::span<Leaf> leaves, Rng& rng) const {
  for (Leaf& leaf : leaves) leaf.black_value = 0.0f;
  const auto all = [](const Leaf&) { return true; };
  if (says_all()) {
    const NetOutput output = opinion_of(*recipe_.value, states_of(leaves, all));
    set_priors(leaves, output, all);
    add_values(leaves, output);
    remember(leaves, output);
  } else {
    const auto expands = [](const Leaf& leaf) { return !leaf.actions.empty(); };
    NetOutput output;
    if (recipe_.prior) output = opinion_of(*recipe_.prior, states_of(leaves, expands));
    set_priors(leaves, output, expands);
    if (recipe_.value_weight > 0.0f) {
      add_values(leaves, opinion_of(*recipe_.value, states_of(leaves, all)));
    }
  }
  if (recipe_.value_weight < 1.0f) add_rollouts(leaves, rng);
}

NetOutput NetEvaluator::opinion_of(const Net& net, std::span<const State* const> states) const {
  NetOutput output;
  net.evaluate(states, output, recipe_.turns);
  return output;
}

// `output` is the opinion of the net for priors, if there is one, of those leaves that `is_in`.
template <class IsIn>
void NetEvaluator::set_priors(std::span<Leaf> leaves, const NetOutput& output,
                              const IsIn& is_in) const {
  const float* policy = output.policy.data();
  for (Leaf& leaf : leaves) {
    const auto count = static_cast<std::size_t>(leaf.actions.size());
    if (recipe_.prior && is_in(leaf)) {
      masked_policy(policy, leaf.actions, leaf.priors);
      policy += recipe_.prior->shape().num_actions;
    } else {
      leaf.priors.assign(count, 1.0f / static_cast<float>(std::max<std::size_t>(count, 1)));
    }
  }
}

void NetEvaluator::add_values(std::span<Leaf> leaves, const NetOutput& output) const {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    leaves[i].black_value += recipe_.value_weight * for_black(output.value[i], *leaves[i].state);
  }
}

void NetEvaluator::add_rollouts(std::span<Leaf> leaves, Rng& rng) const {
  const float weight = 1.0f - recipe_.value_weight;
  if (recipe_.rollout == Rollout::kRandom && recipe_.rollout_depth >= NetRecipe::kWholeGame) {
    for (Leaf& leaf : leaves) leaf.black_value += weight * leaf.state->playout(rng, nullptr);
    return;
  }
  if (recipe_.playouts) {
    for (Leaf& leaf : leaves) {
      leaf.black_value += weight * recipe_.playouts->evaluate(*leaf.state, rng, nullptr);
    }
    return;
  }
  std::vector<State*> going;
  for (const Leaf& leaf : leaves) going.push_back(leaf.state.get());
  const auto is_over = [](const State* state) { return state->is_terminal(); };
  std::erase_if(going, is_over);
  for (int depth = 0; depth < recipe_.rollout_depth && !going.empty(); ++depth) {
    play_one_move(going, rng);
    std::erase_if(going, is_over);
  }
  NetOutput horizon;
  const std::vector<const State*> cut_off(going.begin(), going.end());
  if (recipe_.value && !cut_off.empty()) recipe_.value->evaluate(cut_off, horizon);
  std::size_t next = 0;
  for (Leaf& leaf : leaves) {
    float result = 0.0f;
    if (leaf.state->is_terminal()) {
      result = leaf.state->black_value();
    } else if (recipe_.value) {
      result = for_black(horizon.value[next++], *leaf.state);
    }
    leaf.black_value += weight * result;
  }
}

void NetEvaluator::play_one_move(std::span<State* const> states, Rng& rng) const {
  NetOutput output;
  ActionList actions;
  std::vector<float> probabilities;
  if (recipe_.rollout == Rollout::kPolicy) {
    const std::vector<const State*> asked(states.begin(), states.end());
    recipe_.rollout_policy->evaluate(asked, output);
  }
  const float* policy = output.policy.data();
  for (State* state : states) {
    state->candidates(actions);
    if (recipe_.rollout == Rollout::kPolicy) {
      masked_policy(policy, actions, probabilities);
      policy += recipe_.rollout_policy->shape().num_actions;
      state->apply_unchecked(drawn(probabilities, actions, rng));
    } else {
      state->apply_unchecked(
          actions[static_cast<int>(rng.below(static_cast<std::uint32_t>(actions.size())))]);
    }
  }
}

}  // namespace gtpbot
