#include "nets/net.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "nets/net_memory.hpp"
#include "symmetry.hpp"

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

void Net::ask(States states, NetOutput& out) const {
  const auto plane_size = static_cast<std::size_t>(shape_.planes.size());
  std::vector<float> planes(states.size() * plane_size);
  for (std::size_t i = 0; i < states.size(); ++i) states[i]->write_planes(&planes[i * plane_size]);
  run(planes, states.size(), out);
}

void Net::run(std::span<const float> planes, std::size_t count, NetOutput& out) const {
  out.resize(shape_, count);
  forward_(planes, static_cast<int>(count), out);
  evaluations_.fetch_add(count, std::memory_order_relaxed);
  check(out);
}

void Net::ask_turned(States states, NetOutput& out, Turns turns) const {
  const auto images = static_cast<std::size_t>(turns.images);
  const auto plane_size = static_cast<std::size_t>(shape_.planes.size());
  const auto policy_size = static_cast<std::size_t>(shape_.num_actions);
  std::vector<float> straight(std::max(plane_size, policy_size));
  std::vector<float> planes(states.size() * images * plane_size);
  std::vector<Symmetry> symmetries;
  for (const State* state : states) {
    const std::uint64_t first = Rng(state->hash() ^ turns.seed).next();
    state->write_planes(straight.data());
    for (std::size_t image = 0; image < images; ++image) {
      float* turned = &planes[symmetries.size() * plane_size];
      symmetries.emplace_back(first + image).turn_planes(straight.data(), shape_.planes, turned);
    }
  }
  NetOutput said;
  run(planes, symmetries.size(), said);
  out.resize(shape_, states.size());
  std::fill(out.policy.begin(), out.policy.end(), 0.0f);
  std::fill(out.value.begin(), out.value.end(), 0.0f);
  const float share = 1.0f / static_cast<float>(images);
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    if (shape_.has_value) out.value[k / images] += share * said.value[k];
    if (!shape_.has_policy) continue;
    symmetries[k].turn_back_policy(&said.policy[k * policy_size], shape_.planes.width,
                                   shape_.num_actions, straight.data());
    float* policy = &out.policy[k / images * policy_size];
    for (std::size_t a = 0; a < policy_size; ++a) policy[a] += share * straight[a];
  }
}

void Net::ask_mirrored(States states, NetOutput& out) const {
  const auto plane_size = static_cast<std::size_t>(shape_.planes.size());
  const auto policy_size = static_cast<std::size_t>(shape_.num_actions);
  std::vector<float> planes(2 * states.size() * plane_size);
  for (std::size_t i = 0; i < states.size(); ++i) {
    float* straight = &planes[i * plane_size];
    states[i]->write_planes(straight);
    mirror_planes(straight, shape_.planes, &planes[(states.size() + i) * plane_size]);
  }
  NetOutput both;
  run(planes, 2 * states.size(), both);
  out.resize(shape_, states.size());
  for (std::size_t i = 0; i < out.value.size(); ++i) {
    out.value[i] = (both.value[i] + both.value[states.size() + i]) / 2;
  }
  for (std::size_t start = 0; start < out.policy.size(); start += policy_size) {
    const float* image = &both.policy[out.policy.size() + start];
    for (std::size_t a = 0; a < policy_size; ++a) {
      out.policy[start + a] = (both.policy[start + a] + image[policy_size - 1 - a]) / 2;
    }
  }
}

void Net::evaluate(std::span<const State* const> states, NetOutput& out,
                   std::optional<Turns> turns) const {
  if (states.empty()) return out.resize(shape_, 0);
  const State& first = *states.front();
  if (turns && first.has_square_symmetry()) return ask_turned(states, out, *turns);
  const bool mirrored = turns && first.has_mirror_symmetry();
  if (memory_ && first.is_history_free()) return recall_or_ask(states, out, mirrored);
  return mirrored ? ask_mirrored(states, out) : ask(states, out);
}

// Several states may be of one position. What was said of it alone, and of it and its image, is
// remembered apart.
void Net::recall_or_ask(States states, NetOutput& out, bool mirrored) const {
  constexpr std::uint64_t kOfBoth = 0x9e3779b97f4a7c15ull;
  out.resize(shape_, states.size());
  std::vector<const State*> asked;
  std::vector<std::uint64_t> asked_hashes;
  std::vector<std::pair<std::size_t, std::size_t>> waiting;  // indices in `states`, in `asked`
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::uint64_t hash = states[i]->hash() ^ (mirrored ? kOfBoth : 0);
    if (memory_->load(hash, out, i)) continue;
    const auto same = std::find(asked_hashes.begin(), asked_hashes.end(), hash);
    waiting.emplace_back(i, same - asked_hashes.begin());
    if (same != asked_hashes.end()) continue;
    asked.push_back(states[i]);
    asked_hashes.push_back(hash);
  }
  if (asked.empty()) return;
  NetOutput answers;
  mirrored ? ask_mirrored(asked, answers) : ask(asked, answers);
  for (std::size_t k = 0; k < asked.size(); ++k) memory_->store(asked_hashes[k], answers, k);
  for (const auto& [i, k] : waiting) copy(answers, k, out, i);
}

}  // namespace gtpbot
