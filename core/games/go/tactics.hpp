// What a stone would do: liberties gained, captures, rescues. Reads one move ahead.
#pragma once

#include <array>

#include "games/go/board.hpp"

namespace gtpbot::go {

// A short list of points without allocation; it keeps the first ones and drops the rest.
class FewPoints {
 public:
  static constexpr int kMost = 32;
  void push(Point p) {
    if (size_ < kMost) points_[static_cast<std::size_t>(size_++)] = p;
  }
  // Pushes p unless it is there already.
  void add(Point p) {
    if (!contains(p)) push(p);
  }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(Point p) const;
  Point operator[](int i) const { return points_[static_cast<std::size_t>(i)]; }
  const Point* begin() const { return points_.data(); }
  const Point* end() const { return points_.data() + size_; }

 private:
  int size_ = 0;
  std::array<Point, kMost> points_;
};

// The liberties, at most `limit` of them, that the chain of a stone of `player` on the empty p
// would have. Of captured stones only those beside p count.
int liberties_after(const Board& board, Player player, Point p, int limit);

inline bool is_self_atari(const Board& board, Player player, Point p) {
  return !board.has_two_liberties_after(player, p);
}

// The stones of the chain that a stone of `player` on the empty p would belong to.
int chain_size_after(const Board& board, Player player, Point p);

// Adds the legal moves that rescue the chain in atari of the stone at p: capturing a neighbour, or
// extending to at least two liberties.
void add_rescues(const Board& board, Point p, FewPoints& moves);

// Tells what the opponent's `last` move asks for: `capture` is told the legal move that takes its
// chain, if it is in atari, and `rescue` each stone beside it whose chain it left in atari.
template <class Capture, class Rescue>
void answer_ataris(const Board& board, Player player, Point last, const Capture& capture,
                   const Rescue& rescue) {
  const Color own = stone_of(player);
  // Gone if it was a suicide; the player's own if it is to move twice.
  if (board.at(last) == stone_of(opponent(player)) && board.in_atari(last)) {
    const Point move = board.last_liberty(last);
    if (board.is_legal(player, move)) capture(move);
  }
  for (const Point n : board.beside(last)) {
    if (board.at(n) == own && board.in_atari(n)) rescue(n);
  }
}

// Adds the legal moves that answer the opponent's `last` move tactically: capturing its chain,
// rescuing what it put into atari.
void add_atari_answers(const Board& board, Player player, Point last, FewPoints& moves);

}  // namespace gtpbot::go
