// Playouts by a linear softmax policy, at the pace of light ones.
//
// What a move's share owes to the shape around it is kept for both players, and renewed only where
// a move has changed something; what it owes to the last move is put on top for one choice and
// taken off again. Shares are whole numbers, so that their sums never drift. Self-atari is looked
// at only in moves that are drawn: a draw is refused as often as its weight says (rejection
// sampling), which makes the same distribution.
#pragma once

#include <algorithm>

#include "evaluator.hpp"
#include "games/go/fast_policy.hpp"
#include "games/go/guide.hpp"

namespace gtpbot::go {

// A board in a playout. The policy and the board outlive it, and nobody else plays on the board.
class FastPlayout {
 public:
  FastPlayout(const FastPolicy& policy, Board& board);

  // A move drawn from the softmax; kNoPoint (pass) if there are no candidates.
  Point choose(Player player, Point last, Rng& rng);
  // Precondition: p is a candidate of `player`.
  void play(Player player, Point p);
  void pass() { board_.pass(); }
  const Geometry& geometry() const { return board_.geometry(); }

  // The share of p as the next move, all features counted, up to rounding to multiples of 1/kOne;
  // for tests.
  static constexpr std::uint32_t kOne = 1 << 16;
  std::uint32_t share(Player player, Point last, Point p);

 private:
  // A number of each player, which compilers keep in one register.
  using Factors = float __attribute__((vector_size(8)));
  using Shares = std::uint32_t __attribute__((vector_size(8)));
  using Sums = std::uint64_t __attribute__((vector_size(16)));

  // Each of a board's points at most once, without allocation.
  class Points {
   public:
    void push(Point p) { points_[size_++] = p; }
    bool contains(Point p) const { return std::find(begin(), end(), p) != end(); }
    const Point* begin() const { return points_.data(); }
    const Point* end() const { return points_.data() + size_; }

   private:
    std::size_t size_ = 0;
    std::array<Point, kMaxArea> points_;
  };

  void find_captured(Player player, Point p, Points& captured, Points& freed) const;
  void recolor(Point p, Color before);
  void renew(Point p);
  Factors atari_factors(Point p) const;
  static Shares shares_of(Factors factors);
  void renew_around(Point p);
  void set(Point p, Shares shares);
  void multiply(Player player, Point p, float factor);
  void restore(Player player);
  void weigh_answers(Player player, Point last);
  void weigh_self_atari(Player player);
  float self_atari_factor(Player player, Point p) const;
  Point draw(Player player, Rng& rng) const;
  Point draw_with_self_atari(Player player, Rng& rng);

  const FastPolicy& policy_;
  Board& board_;
  const Neighbourhoods& neighbourhoods_;
  PerPoint<std::uint16_t> rings_{};    // the colours around a point
  PerPoint<Shares> shares_;            // 0 where there is no candidate
  std::array<Sums, kMaxSize> rows_{};  // of shares
  struct Changed {
    Point point;
    std::uint32_t share;  // before
  };
  std::array<Changed, kMaxArea + 2 * FewPoints::kMost> changed_;
  std::size_t num_changed_ = 0;
};

// Such playouts for a search; its first beliefs are those of the Guide.
class FastGuide final : public Playouts {
 public:
  // `prior_weight` scales the weights of all priors.
  FastGuide(FastPolicy policy, float prior_weight)
      : policy_(std::move(policy)), guide_({.prior_weight = prior_weight}) {}

  void playout(Board& board, Player to_move, Point last, Rng& rng,
               FirstPlays* plays) const override;
  // Precondition: serves(state).
  void prior(const State& state, const ActionList& actions,
             std::span<Prior> priors) const override {
    guide_.prior(state, actions, priors);
  }

 private:
  FastPolicy policy_;
  Guide guide_;
};

}  // namespace gtpbot::go
