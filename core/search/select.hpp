// How a search picks among the children of a node. Each rule is a function object
// `std::uint32_t operator()(Tally parent, const Node* children, std::uint32_t count, Rng&)` that
// returns the index of the child to try next; there is at least one child.
//
// A child proven lost for its mover is never picked while there is another.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "search/node.hpp"

namespace gtpbot {

// 1 / sqrt(n) and sqrt(ln n), looked up for the small n that make up nearly all of a search. For
// large n the logarithm is that of the leading twelve bits of n, which is right to 0.0005.
class Roots {
 public:
  static constexpr int kTableBits = 12;
  static constexpr std::uint32_t kTable = 1u << kTableBits;

  Roots() {
    for (std::uint32_t n = 1; n < kTable; ++n) {
      inverse_root_[n] = 1.0f / std::sqrt(static_cast<float>(n));
      log_[n] = std::log(static_cast<float>(n));
    }
    inverse_root_[0] = log_[0] = 0.0f;
  }
  float inverse_root(std::uint32_t n) const {
    return n < kTable ? inverse_root_[n] : 1.0f / std::sqrt(static_cast<float>(n));
  }
  float root_log(std::uint32_t n) const {
    constexpr float kLog2 = 0.69314718f;
    const int drop = std::max(0, static_cast<int>(std::bit_width(n)) - kTableBits);
    return std::sqrt(log_[n >> drop] + kLog2 * static_cast<float>(drop));
  }

 private:
  std::array<float, kTable> inverse_root_;
  std::array<float, kTable> log_;
};

inline const Roots kRoots;

// The index of the child with the greatest score, the first of several; the last resort are those
// proven lost.
template <class Score>
std::uint32_t best_of(const Node* children, std::uint32_t count, const Score& score) {
  constexpr float kLost = -1e9f;
  std::uint32_t best = 0;
  float best_score = -std::numeric_limits<float>::infinity();
  for (std::uint32_t i = 0; i < count; ++i) {
    const float s = children[i].proven() == Proof::kLoss ? kLost : score(children[i]);
    if (s > best_score) {
      best_score = s;
      best = i;
    }
  }
  return best;
}

// UCB1 (Auer, Cesa-Bianchi and Fischer, 2002), as UCT uses it (Kocsis and Szepesvari, 2006):
//   mean + exploration * sqrt(ln(parent visits) / visits),
// values from 0 to 1. Children without visits come first, in a random order.
struct Ucb1 {
  float exploration;

  std::uint32_t operator()(Tally parent, const Node* children, std::uint32_t count,
                           Rng& rng) const {
    const float spread = exploration * kRoots.root_log(parent.visits());
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Node& child = children[i];
      const Tally tally = child.tally.load();
      const std::uint32_t visits = child.visits_with_pending(tally);
      if (visits == 0) return unvisited(children, count, i, rng);
      const float inverse = kRoots.inverse_root(visits);
      const float score = (tally.wins() * inverse + spread) * inverse;
      best = std::max(best, ranked(child.proven() == Proof::kLoss ? -1.0f : score, i));
    }
    return ~static_cast<std::uint32_t>(best);
  }

 private:
  // Greater for a greater score, then for a lesser index, whose complement is its low half. Floats
  // that are not both negative compare as their bits do; one maximum of integers costs no branch,
  // and which child is best no processor can predict.
  static std::int64_t ranked(float score, std::uint32_t i) {
    return static_cast<std::int64_t>(std::bit_cast<std::int32_t>(score)) << 32 | ~i;
  }

  // One of the children without visits, of which `first` is the first.
  static std::uint32_t unvisited(const Node* children, std::uint32_t count, std::uint32_t first,
                                 Rng& rng) {
    const std::uint32_t start = first + rng.below(count - first);
    for (std::uint32_t i = start; i < count; ++i) {
      if (children[i].visits() == 0) return i;
    }
    return first;
  }
};

// UCB1 on a mean that RAVE helps along (Gelly and Silver, 2011):
//   (1 - beta) * mean + beta * amaf mean + exploration * sqrt(ln(parent visits) / visits),
//   beta = m / (n + m + n * m / equivalence),
// with n visits and m AMAF visits of the child. Priors are in the AMAF tallies from the start. A
// child without visits is explored as one with a single visit, as it must not come first.
struct Rave {
  float exploration;
  float equivalence;

  std::uint32_t operator()(Tally parent, const Node* children, std::uint32_t count,
                           Rng& rng) const {
    const float spread = exploration * kRoots.root_log(parent.visits());
    const std::uint32_t offset = rng.below(count);  // breaks ties
    std::uint32_t best = offset;
    float best_score = -2.0f;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t i = k + offset < count ? k + offset : k + offset - count;
      const float score = urgency(children[i], spread);
      if (score > best_score) {
        best_score = score;
        best = i;
      }
    }
    return best;
  }

 private:
  float urgency(const Node& child, float spread) const {
    if (child.proven() == Proof::kLoss) return -1.0f;
    const Tally tally = child.tally.load();
    const Tally amaf = child.amaf();
    const std::uint32_t visits = child.visits_with_pending(tally);
    const auto n = static_cast<float>(visits);
    const auto m = static_cast<float>(amaf.visits());
    if (n + m == 0.0f) return 1.0f + spread;
    const float weight = 1.0f / (n + m + n * m / equivalence);
    // (1 - beta) * mean = (1 + m / equivalence) * wins * weight, with no division by n.
    const float mean = tally.wins() * (1.0f + m / equivalence) * weight;
    return mean + amaf.wins() * weight + spread * kRoots.inverse_root(std::max(visits, 1u));
  }
};

// UCB1 with a net's advice that fades with visits, as the textbook's mixed MCTS has it:
//   mean + exploration * sqrt(ln(parent visits) / visits) + prior_weight * prior / (1 + visits),
// values from 0 to 1. Children without visits come first, the likeliest before the others.
struct MixedUcb {
  float exploration;
  float prior_weight;

  std::uint32_t operator()(Tally parent, const Node* children, std::uint32_t count, Rng&) const {
    const float spread = exploration * kRoots.root_log(parent.visits());
    return best_of(children, count, [&](const Node& child) {
      const Tally tally = child.tally.load();
      const std::uint32_t visits = child.visits_with_pending(tally);
      if (visits == 0) return kFirst * (1.0f + child.prior);
      const float inverse = kRoots.inverse_root(visits);
      return (tally.wins() * inverse + spread) * inverse +
             prior_weight * child.prior / (1.0f + static_cast<float>(visits));
    });
  }

 private:
  // More than a visited child can score; a factor, lest priors drown in it.
  static constexpr float kFirst = 1e30f;
};

// The textbook's AlphaGo:
//   weight * prior / (1 + visits) + (1 - weight) * mean,
// values from -1 to 1, and 0 without visits.
struct WeightedPrior {
  float weight;

  std::uint32_t operator()(Tally, const Node* children, std::uint32_t count, Rng&) const {
    return best_of(children, count, [&](const Node& child) {
      const Tally tally = child.tally.load();
      const auto visits = static_cast<float>(child.visits_with_pending(tally));
      const float mean = visits > 0.0f ? 2.0f * tally.wins() / visits - 1.0f : 0.0f;
      return weight * child.prior / (1.0f + visits) + (1.0f - weight) * mean;
    });
  }
};

// What the values of playouts usually deviate from their mean by, from -1 to 1.
inline constexpr float kUsualSpread = 0.4f;

// The standard deviation of values from -1 to 1, given `Node::squares` too, if two more of them lay
// kUsualSpread beside the mean.
inline float spread_of(Tally values, Tally squares) {
  constexpr float kUsual = 2.0f * kUsualSpread * kUsualSpread;
  const auto visits = static_cast<float>(squares.visits());
  const float mean = 2.0f * values.mean() - 1.0f;
  const float beside = std::max(0.0f, squares.wins() - visits * mean * mean);
  return std::sqrt((kUsual + beside) / (2.0f + visits));
}

// PUCT, as AlphaZero has it (Silver et al., A general reinforcement learning algorithm, 2018):
//   mean + c * prior * sqrt(parent visits) / (1 + visits),
//   c = c_puct + ln((1 + parent visits + c_base) / c_base),
// values from -1 to 1. A child without visits is taken for the parent's value less
// fpu_reduction * sqrt(priors of the children with visits): first-play urgency as Leela Chess has
// it. Where values differ more than usually, more is explored, as KataGo does (Wu, Other methods
// implemented in KataGo, 2021): c is multiplied by 1 + by_spread * (s / kUsualSpread - 1), where s
// is spread_of the playouts below the parent.
struct Puct {
  static constexpr float kBase = 19652.0f;

  float c_puct;
  float fpu_reduction;
  float by_spread = 0.0f;

  std::uint32_t operator()(Tally parent, const Node* children, std::uint32_t count, Rng&) const {
    float visited_prior = 0.0f;
    float visits_sum = 0.0f;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t visits = children[i].visits_with_pending(children[i].tally.load());
      visits_sum += static_cast<float>(visits);
      if (visits > 0) visited_prior += children[i].prior;
    }
    const float c = c_puct + std::log((1.0f + visits_sum + kBase) / kBase);
    const float spread = c * factor(children, count) * std::sqrt(std::max(visits_sum, 1.0f));
    const float unvisited = 1.0f - 2.0f * parent.mean() - fpu_reduction * std::sqrt(visited_prior);
    return best_of(children, count, [&](const Node& child) {
      const Tally tally = child.tally.load();
      const auto visits = static_cast<float>(child.visits_with_pending(tally));
      const float mean = visits > 0.0f ? 2.0f * tally.wins() / visits - 1.0f : unvisited;
      return mean + spread * child.prior / (1.0f + visits);
    });
  }

 private:
  // What c is multiplied by.
  float factor(const Node* children, std::uint32_t count) const {
    if (by_spread == 0.0f) return 1.0f;
    Tally values, squares;
    for (std::uint32_t i = 0; i < count; ++i) {
      values = values + children[i].tally.load();
      squares = squares + children[i].squares();
    }
    return 1.0f + by_spread * (spread_of(values, squares) / kUsualSpread - 1.0f);
  }
};

}  // namespace gtpbot
