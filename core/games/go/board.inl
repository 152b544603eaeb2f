// What every move of a playout runs: inline, so that playouts are one piece of code.
#pragma once

#include <algorithm>

namespace gtpbot::go {

inline void Board::swap_empty(int i, int j) {
  Point& a = empty_[static_cast<std::size_t>(i)];
  Point& b = empty_[static_cast<std::size_t>(j)];
  std::swap(a, b);
  empty_index_[a] = static_cast<std::uint16_t>(i);
  empty_index_[b] = static_cast<std::uint16_t>(j);
}

inline bool Board::is_suicide(Player player, Point p) const {
  if (neighbours_[p].empty() > 0) return false;
  const Color own = stone_of(player);
  bool suicide = true;
  for_neighbours(p, [&](Point n) {
    const Color c = color_[n];
    // A neighbour with another liberty saves the stone if it is its own; one without another is
    // captured if it is the opponent's.
    if (is_stone(c) && liberties_[chain_[n]].one() != (c == own)) suicide = false;
  });
  return suicide;
}

template <class Visit>
void Board::for_stones(Point p, const Visit& visit) const {
  Point stone = p;
  do {
    visit(stone);
    stone = next_[stone];
  } while (stone != p);
}

template <class Visit>
void Board::for_chains_beside(Point p, Player player, const Visit& visit) const {
  std::array<Point, 4> seen;
  auto end = seen.begin();
  for_neighbours(p, [&](Point n) {
    if (color_[n] != stone_of(player) || std::find(seen.begin(), end, chain_[n]) != end) return;
    *end++ = chain_[n];
    visit(n);
  });
}

inline bool Board::has_two_liberties_after(Player player, Point p) const {
  if (neighbours_[p].empty() >= 2) return true;
  const Color own = stone_of(player);
  Liberties liberties;
  for_chains_beside(p, player, [&](Point n) { liberties += liberties_[chain_[n]]; });
  for_neighbours(p, [&](Point n) {
    const Color c = color_[n];
    if (c == own) {
      liberties -= Liberties::of(p);
    } else if (c == Color::kEmpty || (is_stone(c) && liberties_[chain_[n]].one())) {
      liberties += Liberties::of(n);
    }
  });
  return !liberties.none() && !liberties.one();
}

inline bool Board::is_legal(Player player, Point p) const {
  if (color_[p] != Color::kEmpty) return false;
  if (p == ko_ && neighbours_[p].surrounded_by(opponent(player))) return false;
  return !is_suicide(player, p);
}

inline bool Board::is_eye(Player player, Point p) const {
  if (!neighbours_[p].surrounded_by(player)) return false;
  const Color theirs = stone_of(opponent(player));
  const int stride = stride_;
  const int hostile = (color_[p - stride - 1] == theirs) + (color_[p - stride + 1] == theirs) +
                      (color_[p + stride - 1] == theirs) + (color_[p + stride + 1] == theirs);
  return hostile + geometry_->at_edge[p] < 2;
}

inline void Board::put(Player player, Point p) {
  const std::uint16_t hole = empty_index_[p];
  const Point moved = empty_[static_cast<std::size_t>(--num_empty_)];
  empty_[hole] = moved;
  empty_index_[moved] = hole;

  const Color own = stone_of(player);
  color_[p] = own;
  hash_ ^= geometry_->zobrist[static_cast<std::size_t>(own)][p];
  ++num_stones_[static_cast<std::size_t>(own)];
  chain_[p] = p;
  next_[p] = p;
  chain_size_[p] = 1;
  Liberties mine;
  const Liberties here = Liberties::of(p);
  for_neighbours(p, [&](Point n) {
    neighbours_[n].place(player);
    const Color c = color_[n];
    if (c == Color::kEmpty) {
      mine += Liberties::of(n);
    } else if (is_stone(c)) {
      liberties_[chain_[n]] -= here;
    }
  });
  liberties_[p] = mine;
  if (neighbours_[p].stones(player) == 0) return;
  for_neighbours(p, [&](Point n) {
    if (color_[n] == own && chain_[n] != chain_[p]) merge(n, p);
  });
}

inline void Board::merge(Point a, Point b) {
  Point into = chain_[a];
  Point from = chain_[b];
  if (chain_size_[into] < chain_size_[from]) std::swap(into, from);
  liberties_[into] += liberties_[from];
  chain_size_[into] = static_cast<std::uint16_t>(chain_size_[into] + chain_size_[from]);
  for_stones(from, [&](Point stone) { chain_[stone] = into; });
  std::swap(next_[into], next_[from]);
}

inline void Board::play(Player player, Point p) {
  const Player other = opponent(player);
  const bool in_eye = neighbours_[p].surrounded_by(other);
  const int empty_before = num_empty_;
  put(player, p);
  ko_ = kNoPoint;
  if (neighbours_[p].stones(other) != 0) {
    const Color theirs = stone_of(other);
    for_neighbours(p, [&](Point n) {
      if (color_[n] == theirs && liberties_[chain_[n]].none()) remove_chain(n);
    });
    // A stone that fell into an eye and took a single stone could be taken back at once.
    if (in_eye && num_empty_ == empty_before) {
      ko_ = empty_[static_cast<std::size_t>(num_empty_ - 1)];
      return;
    }
  }
  if (liberties_[chain_[p]].none()) remove_chain(p);
}

inline void Board::remove_chain(Point p) {
  const Color c = color_[p];
  const Player player = owner(c);
  const auto& words = geometry_->zobrist[static_cast<std::size_t>(c)];
  const int size = chain_size_[chain_[p]];
  captures_[static_cast<std::size_t>(opponent(player))] += size;
  num_stones_[static_cast<std::size_t>(c)] -= size;
  for_stones(p, [&](Point stone) {
    color_[stone] = Color::kEmpty;
    hash_ ^= words[stone];
    empty_index_[stone] = static_cast<std::uint16_t>(num_empty_);
    empty_[static_cast<std::size_t>(num_empty_++)] = stone;
    const Liberties here = Liberties::of(stone);
    for_neighbours(stone, [&](Point n) {
      neighbours_[n].remove(player);
      if (is_stone(color_[n])) liberties_[chain_[n]] += here;
    });
  });
}

}  // namespace gtpbot::go
