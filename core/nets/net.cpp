#include "nets/net.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "nets/net_memory.hpp"
#include "nets/symmetry.hpp"

namespace gtpbot {

void NetOutput::resize(const NetShape& shape, std::size_t count) {
  policy.resize(shape.has_policy ? count * static_cast<std::size_t>(shape.num_actions) : 0);
  value.resize(shape.has_value ? count : 0);
}

Net::Net(const NetShape& shape, Forward forward, std::size_t memory)
    : shape_(shape), forward_(std::move(forward)) {
  if (shape.planes.size() <= 0 || shape.num_actions < 1 || shape.num_actions > kMaxActions) {
    throw std::invalid_argument("a net without planes or actions");
  }
  if (!shape.has_policy && !shape.has_value) {
    throw std::invalid_argument("a net with neither a policy nor a value");
  }
  if (memory > 0) memory_ = std::make_unique<NetMemory>(memory, shape);
}

Net::~Net() = default;

void Net::copy(const NetOutput& from, std::size_t i, NetOutput& to, std::size_t j) const {
  const auto size = static_cast<std::size_t>(shape_.num_actions);
  if (shape_.has_value) to.value[j] = from.value[i];
  if (shape_.has_policy) {
    std::copy_n(from.policy.data() + i * size, size, to.policy.data() + j * size);
  }
}

void Net::check(const NetOutput& out) const {
  const auto is_bad = [](float x) { return !std::isfinite(x); };
  if (std::any_of(out.policy.begin(), out.policy.end(), is_bad) ||
      std::any_of(out.value.begin(), out.value.end(), is_bad)) {
    throw std::runtime_error("the net put out a number that is none (NaN or infinite)");
  }
}

void Net::ask(std::span<const State* const> states, NetOutput& out) const {
  const auto plane_size = static_cast<std::size_t>(shape_.planes.size());
  std::vector<float> planes(states.size() * plane_size);
  for (std::size_t i = 0; i < states.size(); ++i) states[i]->write_planes(&planes[i * plane_size]);
  run(planes, states.size(), out);
}

void Net::run(std::span<const float> planes, std::size_t count, NetOutput& out) const {
  out.resize(shape_, count);
  forward_(planes, static_cast<int>(count), out);
  check(out);
}

void Net::ask_turned(std::span<const State* const> states, NetOutput& out,
                     std::uint64_t seed) const {
  const auto plane_size = static_cast<std::size_t>(shape_.planes.size());
  const auto policy_size = static_cast<std::size_t>(shape_.num_actions);
  std::vector<float> straight(std::max(plane_size, policy_size));
  std::vector<float> planes(states.size() * plane_size);
  std::vector<Symmetry> symmetries;
  for (std::size_t i = 0; i < states.size(); ++i) {
    symmetries.emplace_back(Rng(states[i]->hash() ^ seed).next());
    states[i]->write_planes(straight.data());
    symmetries[i].turn_planes(straight.data(), shape_.planes, &planes[i * plane_size]);
  }
  run(planes, states.size(), out);
  if (!shape_.has_policy) return;
  for (std::size_t i = 0; i < states.size(); ++i) {
    float* policy = &out.policy[i * policy_size];
    symmetries[i].turn_back_policy(policy, shape_.planes.width, shape_.num_actions,
                                   straight.data());
    std::copy_n(straight.data(), policy_size, policy);
  }
}

// Several states may be of one position, which is then asked about once.
void Net::evaluate(std::span<const State* const> states, NetOutput& out,
                   std::optional<std::uint64_t> symmetry_seed) const {
  if (states.empty()) return out.resize(shape_, 0);
  if (symmetry_seed && states.front()->has_square_symmetry()) {
    return ask_turned(states, out, *symmetry_seed);
  }
  if (!memory_ || !states.front()->is_history_free()) return ask(states, out);
  out.resize(shape_, states.size());
  std::vector<const State*> asked;
  std::vector<std::uint64_t> asked_hashes;
  std::vector<std::pair<std::size_t, std::size_t>> waiting;  // indices in `states`, in `asked`
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::uint64_t hash = states[i]->hash();
    if (memory_->load(hash, out, i)) continue;
    const auto same = std::find(asked_hashes.begin(), asked_hashes.end(), hash);
    waiting.emplace_back(i, same - asked_hashes.begin());
    if (same != asked_hashes.end()) continue;
    asked.push_back(states[i]);
    asked_hashes.push_back(hash);
  }
  if (asked.empty()) return;
  NetOutput answers;
  ask(asked, answers);
  for (std::size_t k = 0; k < asked.size(); ++k) memory_->store(asked_hashes[k], answers, k);
  for (const auto& [i, k] : waiting) copy(answers, k, out, i);
}

}  // namespace gtpbot
