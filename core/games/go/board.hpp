// A fast Go board: stones, chains, liberties, simple ko. No history, no side to move.
//
// Liberties are pseudo-liberties: each stone counts each empty neighbour, so a liberty shared by
// two stones of a chain counts twice. Per chain one 64-bit word holds their number, the sum of
// their points and the sum of the squares, each updated by one addition. The number tells whether
// a chain has liberties at all; the three together tell whether it has exactly one: that is so
// when all terms are equal, number * squares == sum * sum (Cauchy-Schwarz).
#pragma once

#include "games/go/point.hpp"

namespace gtpbot::go {

// The pseudo-liberties of a chain.
class Liberties {
 public:
  constexpr Liberties() = default;
  static constexpr Liberties of(Point p) {
    const auto i = static_cast<std::uint64_t>(p);
    return Liberties(1 | i << kSumShift | i * i << kSquaresShift);
  }

  void operator+=(Liberties other) { bits_ += other.bits_; }
  void operator-=(Liberties other) { bits_ -= other.bits_; }

  bool none() const { return bits_ == 0; }
  // True if all pseudo-liberties are one point. Precondition: not none().
  bool one() const {
    const std::uint64_t sum = bits_ >> kSumShift & ((1 << kSumBits) - 1);
    return (bits_ & ((1 << kSumShift) - 1)) * (bits_ >> kSquaresShift) == sum * sum;
  }
  // The liberty. Precondition: one().
  Point point() const {
    const std::uint64_t sum = bits_ >> kSumShift & ((1 << kSumBits) - 1);
    return point_at(static_cast<int>(sum / (bits_ & ((1 << kSumShift) - 1))));
  }

 private:
  // A chain has at most 1,200 pseudo-liberties on 25x25 and a point is below 1,024, so the fields
  // cannot overflow: 11 + 20 + 33 bits.
  static constexpr int kSumShift = 11;
  static constexpr int kSumBits = 20;
  static constexpr int kSquaresShift = kSumShift + kSumBits;

  explicit constexpr Liberties(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

// How many of a point's four neighbours are Black, White and empty. A border counts as both
// colours, so that a point surrounded by stones of one colour counts four of them anywhere.
class Neighbours {
 public:
  int stones(Player p) const { return bits_ >> (4 * gtpbot::index(p)) & 15; }
  int empty() const { return bits_ >> 8; }
  bool surrounded_by(Player p) const { return stones(p) == 4; }

  void border() { bits_ += 0x011; }
  void vacant() { bits_ += 0x100; }
  void place(Player p) { bits_ = static_cast<std::uint16_t>(bits_ + kDelta[gtpbot::index(p)]); }
  void remove(Player p) { bits_ = static_cast<std::uint16_t>(bits_ - kDelta[gtpbot::index(p)]); }
  void clear() { bits_ = 0; }

 private:
  static constexpr int kDelta[2] = {0x001 - 0x100, 0x010 - 0x100};
  std::uint16_t bits_ = 0;
};

class Board {
 public:
  explicit Board(int size);
  Board(const Board& other) { *this = other; }
  Board& operator=(const Board& other);  // copies only what the size uses

  const Geometry& geometry() const { return *geometry_; }
  int size() const { return geometry_->size; }
  Color at(Point p) const { return color_[p]; }
  bool is_empty(Point p) const { return color_[p] == Color::kEmpty; }
  // The point where the player to move next may not recapture; kNoPoint if none.
  Point ko() const { return ko_; }
  void add_captures(Player by, int count) { captures_[gtpbot::index(by)] += count; }
  int captures(Player by) const { return captures_[gtpbot::index(by)]; }
  std::uint64_t hash() const { return hash_; }

  int num_empty() const { return num_empty_; }
  Point empty(int i) const { return empty_[static_cast<std::size_t>(i)]; }
  // Swaps two places of the list of empty points, whose order means nothing.
  void swap_empty(int i, int j);
  int num_stones(Player p) const { return num_stones_[gtpbot::index(p)]; }

  // --- chains -----------------------------------------------------------------------------------
  // The point that stands for the chain of the stone at p.
  Point chain(Point p) const { return chain_[p]; }
  int chain_size(Point p) const { return chain_size_[chain_[p]]; }
  bool in_atari(Point p) const { return liberties_[chain_[p]].one(); }
  // Precondition: in_atari(p).
  Point last_liberty(Point p) const { return liberties_[chain_[p]].point(); }
  // True if the chain of a stone of `player` on the empty p would have two liberties or more. Of
  // captured stones only those beside p count.
  bool has_two_liberties_after(Player player, Point p) const;
  Neighbours neighbours(Point p) const { return neighbours_[p]; }
  // The points beside p, those off the board too.
  std::array<Point, 4> beside(Point p) const { return {p - stride_, p - 1, p + 1, p + stride_}; }
  // Visits each stone of the chain of the stone at p.
  template <class Visit>
  void for_stones(Point p, const Visit& visit) const;
  // Visits one stone of each chain of `player` beside p.
  template <class Visit>
  void for_chains_beside(Point p, Player player, const Visit& visit) const;
  // The distinct liberties of the chain of p, at most `limit` of them; writes them to `out`.
  int find_liberties(Point p, int limit, Point* out) const;

  // --- rules ------------------------------------------------------------------------------------
  // True if p is empty, not forbidden by simple ko, and no suicide. A ko forbids the point to
  // either colour except as a connection, which is no recapture.
  bool is_legal(Player player, Point p) const;
  // True if a stone of `player` on the empty p would be left without liberties.
  bool is_suicide(Player player, Point p) const;
  // The stones that `player` would capture by playing the empty p.
  int would_capture(Player player, Point p) const;
  // hash() as it would be after `player` plays the empty p.
  std::uint64_t hash_after(Player player, Point p) const;
  // True if p is an eye of one point that `player` should not fill: all neighbours are its own,
  // and at most one diagonal is the opponent's (none at the edge).
  bool is_eye(Player player, Point p) const;

  // Precondition: p is empty, and not forbidden by ko. A suicide removes the player's own chain.
  void play(Player player, Point p);
  void pass() { ko_ = kNoPoint; }
  // Puts a stone without capturing. Precondition: p is empty.
  void place(Player player, Point p) { put(player, p); }
  // True if the chain of the stone at p has no liberties, as only place() can leave it.
  bool is_without_liberties(Point p) const { return liberties_[chain_[p]].none(); }

  // Throws std::logic_error if any derived fact disagrees with the stones; for tests.
  void check() const;

 private:
  // The same as a loop over beside(p), which compilers do not unroll.
  template <class Visit>
  void for_neighbours(Point p, const Visit& visit) const {
    const int stride = stride_;
    visit(p - stride);
    visit(p - 1);
    visit(p + 1);
    visit(p + stride);
  }
  void put(Player player, Point p);
  void merge(Point a, Point b);
  void remove_chain(Point p);

  const Geometry* geometry_;
  int stride_;
  int num_empty_ = 0;
  std::array<int, 2> captures_{};
  std::array<int, 2> num_stones_{};
  Point ko_ = kNoPoint;
  std::uint64_t hash_ = 0;
  PerPoint<Color> color_;
  PerPoint<Neighbours> neighbours_;
  PerPoint<Point> chain_;                // of stones
  PerPoint<Point> next_;                 // of stones: another of the chain, in a circle
  PerPoint<std::uint16_t> chain_size_;   // of chains
  PerPoint<Liberties> liberties_;        // of chains
  PerPoint<std::uint16_t> empty_index_;  // of empty points: where empty_ has them
  std::array<Point, kMaxArea> empty_;
};

}  // namespace gtpbot::go

#include "games/go/board.inl"
