#include "games/go/board.hpp"

#include <algorithm>
#include <cstring>

namespace gtpbot::go {

Board::Board(int size) : geometry_(&Geometry::of(size)), stride_(geometry_->stride) {
  for (int i = 0; i < geometry_->num_points; ++i) {
    const Point p = point_at(i);
    color_[p] = Color::kBorder;
    neighbours_[p].clear();
    chain_[p] = next_[p] = p;
    chain_size_[p] = 0;
    liberties_[p] = Liberties();
    empty_index_[p] = 0;
  }
  for (const Point p : geometry_->points) {
    color_[p] = Color::kEmpty;
    empty_index_[p] = static_cast<std::uint16_t>(num_empty_);
    empty_[static_cast<std::size_t>(num_empty_++)] = p;
  }
  for (const Point p : geometry_->points) {
    for_neighbours(p, [&](Point n) {
      if (color_[n] == Color::kEmpty) {
        neighbours_[p].vacant();
      } else {
        neighbours_[p].border();
      }
    });
  }
}

Board& Board::operator=(const Board& other) {
  geometry_ = other.geometry_;
  stride_ = other.stride_;
  num_empty_ = other.num_empty_;
  captures_ = other.captures_;
  num_stones_ = other.num_stones_;
  ko_ = other.ko_;
  hash_ = other.hash_;
  const auto used = static_cast<std::size_t>(geometry_->num_points);
  const auto copy = [used](auto& to, const auto& from) {
    std::copy_n(from.data(), used, to.data());
  };
  copy(color_, other.color_);
  copy(neighbours_, other.neighbours_);
  copy(chain_, other.chain_);
  copy(next_, other.next_);
  copy(chain_size_, other.chain_size_);
  copy(liberties_, other.liberties_);
  copy(empty_index_, other.empty_index_);
  std::copy_n(other.empty_.data(), num_empty_, empty_.data());
  return *this;
}

int Board::find_liberties(Point p, int limit, Point* out) const {
  int found = 0;
  Point stone = p;
  do {
    if (neighbours_[stone].empty() > 0) {
      for_neighbours(stone, [&](Point n) {
        if (color_[n] == Color::kEmpty && found < limit &&
            std::find(out, out + found, n) == out + found)
          out[found++] = n;
      });
      if (found == limit) return found;
    }
    stone = next_[stone];
  } while (stone != p);
  return found;
}

int Board::would_capture(Player player, Point p) const {
  int stones = 0;
  for_chains_beside(p, opponent(player), [&](Point n) {
    if (in_atari(n)) stones += chain_size(n);
  });
  return stones;
}

std::uint64_t Board::hash_after(Player player, Point p) const {
  if (neighbours_[p].empty() == 0 && is_suicide(player, p)) {
    Board after = *this;
    after.play(player, p);
    return after.hash_;
  }
  const Player other = opponent(player);
  std::uint64_t hash = hash_ ^ geometry_->zobrist[static_cast<std::size_t>(player)][p];
  if (neighbours_[p].stones(other) == 0) return hash;
  const auto& words = geometry_->zobrist[static_cast<std::size_t>(other)];
  for_chains_beside(p, other, [&](Point n) {
    if (in_atari(n)) for_stones(n, [&](Point stone) { hash ^= words[stone]; });
  });
  return hash;
}

void Board::check() const {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::logic_error(std::string("Go board is inconsistent: ") + what);
  };
  int empties = 0;
  std::array<int, 2> stones{};
  std::uint64_t hash = 0;
  for (const Point p : geometry_->points) {
    Neighbours around;
    around.clear();
    for_neighbours(p, [&](Point n) {
      if (color_[n] == Color::kBorder) {
        around.border();
      } else {
        around.vacant();
        if (is_stone(color_[n])) around.place(owner(color_[n]));
      }
    });
    require(std::memcmp(&around, &neighbours_[p], sizeof around) == 0, "neighbour counts");
    if (is_empty(p)) {
      ++empties;
      require(empty_index_[p] < num_empty_ && empty_[empty_index_[p]] == p, "empty list");
      continue;
    }
    const Color c = color_[p];
    ++stones[static_cast<std::size_t>(c)];
    hash ^= geometry_->zobrist[static_cast<std::size_t>(c)][p];
    Liberties liberties;
    int size = 0;
    for_stones(p, [&](Point stone) {
      require(color_[stone] == c && chain_[stone] == chain_[p], "chain");
      for_neighbours(stone, [&](Point n) {
        if (color_[n] == Color::kEmpty) liberties += Liberties::of(n);
        require(color_[n] != c || chain_[n] == chain_[p], "unmerged chain");
      });
      ++size;
    });
    require(size == chain_size(p), "chain size");
    require(std::memcmp(&liberties, &liberties_[chain_[p]], sizeof liberties) == 0, "liberties");
    std::array<Point, 2> two;
    require(in_atari(p) == (find_liberties(p, 2, two.data()) == 1), "atari");
  }
  require(empties == num_empty_, "number of empty points");
  require(stones == num_stones_, "number of stones");
  require(hash == hash_, "hash");
}

}  // namespace gtpbot::go
