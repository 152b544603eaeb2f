// A neural net, as a search sees it: planes in; probabilities of moves, a value, or both out.
//
// How the numbers are computed is not this module's business: a Net is made around a function. What
// it adds is a memory of the positions seen last, which rollouts meet again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "state.hpp"

namespace gtpbot {

struct NetShape {
  PlaneShape planes;
  int num_actions = 0;
  bool has_policy = false;
  bool has_value = false;
};

// What a net says of some positions, in their order.
struct NetOutput {
  std::vector<float> policy;  // [positions, actions] probabilities, of illegal actions too
  std::vector<float> value;   // [positions] from -1 to 1 for the player to move

  // Makes room for so many positions.
  void resize(const NetShape& shape, std::size_t count);
};

// How to show a net positions of games whose board looks the same turned.
struct Turns {
  std::uint64_t seed;
  int images = 1;  // of each position, from 1 to Symmetry::kCount; the mean answer counts
};

class NetMemory;

class Net {
 public:
  // Fills `out`, which has the size for `count` positions, from planes [count, height, width,
  // planes]. Called by several threads at once. May throw.
  using Forward = std::function<void(std::span<const float> planes, int count, NetOutput& out)>;

  // Remembers about `memory` positions, if the game is_history_free().
  Net(const NetShape& shape, Forward forward, std::size_t memory);
  ~Net();

  const NetShape& shape() const { return shape_; }
  bool fits(const State& state) const {
    return state.plane_shape() == shape_.planes && state.num_actions() == shape_.num_actions;
  }

  // How many positions Forward was given so far; one that is shown as two images counts twice.
  std::uint64_t evaluations() const { return evaluations_.load(std::memory_order_relaxed); }

  // As it is without turns. With them, each position is shown turned at random, always alike for
  // the same seed, if the game has_square_symmetry(); if it has_mirror_symmetry(), as it is and
  // mirrored, and the mean of both answers counts. Precondition: fits(*state) for each. Throws what
  // Forward throws, or std::runtime_error if that put out a number that is none.
  void evaluate(std::span<const State* const> states, NetOutput& out,
                std::optional<Turns> turns = {}) const;

 private:
  using States = std::span<const State* const>;

  // Evaluates all of them afresh.
  void ask(States states, NetOutput& out) const;
  // The same, each as it is and in a mirror.
  void ask_mirrored(States states, NetOutput& out) const;
  // The same, with each position turned.
  void ask_turned(States states, NetOutput& out, Turns turns) const;
  // Asks about those positions that are not remembered, each once.
  void recall_or_ask(States states, NetOutput& out, bool mirrored) const;
  void run(std::span<const float> planes, std::size_t count, NetOutput& out) const;
  void copy(const NetOutput& from, std::size_t i, NetOutput& to, std::size_t j) const;
  void check(const NetOutput& out) const;

  NetShape shape_;
  Forward forward_;
  std::unique_ptr<NetMemory> memory_;
  mutable std::atomic<std::uint64_t> evaluations_{0};
};

}  // namespace gtpbot
