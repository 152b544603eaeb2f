// How far a net's values were off, by what just happened on the board, so that later ones can be
// corrected (Wu, Subtree value bias correction, in Other methods implemented in KataGo, 2021).
//
// Once a search has looked below a position, it knows better what it is worth than the net did at
// first sight. Where the same two moves came last and the stones about them are alike, the net is
// likely off by as much again, be it elsewhere in the tree and the rest of the board another.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "block.hpp"
#include "hash.hpp"
#include "search/node.hpp"

namespace gtpbot {

// What was said of a node's position at first sight, and what has been learned from that; in the
// place before its children. Values are for the mover, from -1 to 1.
struct Forecast {
  float said;                // by the net
  float counted;             // corrected, in the node's tally
  std::uint32_t kind;        // of position: a place in Biases
  std::atomic<float> error;  // what the node has added there
  std::atomic<float> weight;
};
static_assert(sizeof(Forecast) <= sizeof(Node));

// All threads add to it without locks; see node.hpp for what that means. What was learned stays
// when its nodes are gone, as long as the tree follows one game.
class Biases {
 public:
  // Takes `most_bytes` or less; none at all for 0. Throws std::bad_alloc.
  explicit Biases(std::size_t most_bytes)
      : size_(std::bit_floor(std::min(most_bytes / sizeof(Kind), kKinds))), kinds_(size_) {}

  std::size_t bytes() const { return size_ * sizeof(Kind); }
  bool wanted() const { return size_ > 0; }
  // Precondition: wanted().
  std::uint32_t kind_of(std::uint64_t local_key) const {
    return static_cast<std::uint32_t>(spread(local_key) >> (64 - kBits) & (size_ - 1));
  }
  // What positions of a kind were worth more than was said, on average, if as many more as weigh
  // kPrior were worth just that.
  float of(std::uint32_t kind) const {
    const float weight = kinds_[kind].weight.load(std::memory_order_relaxed);
    const float error = kinds_[kind].error.load(std::memory_order_relaxed);
    return std::clamp(error / std::max(weight + kPrior, kPrior), -1.0f, 1.0f);
  }
  // Learns from what is known by now of a node, whose tally is given.
  void learn(Forecast& forecast, Tally tally) {
    if (tally.visits() < 2) return;
    const auto visits = static_cast<float>(tally.visits());
    const float below = (2.0f * tally.wins() - visits - forecast.counted) / (visits - 1.0f);
    const float weight = std::pow(visits - 1.0f, kWeightPower);
    Kind& kind = kinds_[forecast.kind];
    replace(kind.error, forecast.error, (below - forecast.said) * weight);
    replace(kind.weight, forecast.weight, weight);
  }
  void clear() {
    for (std::size_t i = 0; i < size_; ++i) {
      kinds_[i].error.store(0.0f, std::memory_order_relaxed);
      kinds_[i].weight.store(0.0f, std::memory_order_relaxed);
    }
  }

 private:
  struct Kind {
    std::atomic<float> error;  // weighted sum
    std::atomic<float> weight;
  };
  static constexpr int kBits = 18;
  static constexpr std::size_t kKinds = std::size_t{1} << kBits;
  // Without it a search of few playouts learns more chance than errors, and plays worse.
  static constexpr float kPrior = 10.0f;
  static constexpr float kWeightPower = 0.85f;

  // Of the sum, `part` becomes `now`.
  static void replace(std::atomic<float>& sum, std::atomic<float>& part, float now) {
    const float before = part.load(std::memory_order_relaxed);
    part.store(now, std::memory_order_relaxed);
    sum.store(sum.load(std::memory_order_relaxed) + now - before, std::memory_order_relaxed);
  }

  std::size_t size_;
  Block<Kind> kinds_;
};

}  // namespace gtpbot
