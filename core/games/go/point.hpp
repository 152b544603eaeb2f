// Points and colours of a Go board, and the facts of a board's size.
//
// A board of size n lies in a row of (n + 1) * (n + 2) + 1 points with one shared border column:
// the point of (column c, row r) is (r + 1) * (n + 1) + c + 1. Neighbours are fixed offsets and
// every point of the board has all eight of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "state.hpp"

namespace gtpbot::go {

constexpr int kMinSize = 2;
constexpr int kMaxSize = 25;
constexpr int kMaxPoints = (kMaxSize + 1) * (kMaxSize + 2) + 1;
constexpr int kMaxArea = kMaxSize * kMaxSize;

enum class Point : std::uint16_t {};
constexpr Point kNoPoint{0};  // always border
constexpr int index(Point p) { return static_cast<int>(p); }
constexpr Point point_at(int i) { return static_cast<Point>(i); }
constexpr Point operator+(Point p, int offset) { return point_at(index(p) + offset); }
constexpr Point operator-(Point p, int offset) { return point_at(index(p) - offset); }

// What stands on a point. The first two have the values of Player.
enum class Color : std::uint8_t { kBlack = 0, kWhite = 1, kEmpty = 2, kBorder = 3 };
constexpr int index(Color c) { return static_cast<int>(c); }
constexpr Color stone_of(Player p) { return static_cast<Color>(p); }
constexpr bool is_stone(Color c) { return c < Color::kEmpty; }
constexpr Player owner(Color stone) { return static_cast<Player>(stone); }

// An array that only a Point can index.
template <class T>
class PerPoint {
 public:
  T& operator[](Point p) { return items_[static_cast<std::size_t>(p)]; }
  const T& operator[](Point p) const { return items_[static_cast<std::size_t>(p)]; }
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }

 private:
  std::array<T, kMaxPoints> items_;
};

// The facts of one board size, made once: where the points are, and their random hash words.
struct Geometry {
  // Throws std::invalid_argument unless kMinSize <= size <= kMaxSize.
  static const Geometry& of(int size);

  int size;
  int stride;                       // from a point to the one above it
  std::array<int, 4> beside;        // from a point to the ones beside it, clockwise from above
  int num_points;                   // points stored, border included
  int area;                         // points of the board
  std::vector<Point> points;        // by action: row * size + column
  PerPoint<std::uint16_t> actions;  // the action of each point of the board
  PerPoint<std::uint8_t> at_edge;   // 1 on the first line
  PerPoint<std::uint8_t> line;      // distance to the nearest edge: 1 on the first line
  std::array<PerPoint<std::uint64_t>, 2> zobrist;  // by colour of the stone
  std::uint64_t white_to_move;                     // hash word of the side to move

  Point point(Action a) const { return points[static_cast<std::size_t>(a)]; }
  Action action(Point p) const { return action_at(actions[p]); }
  Action pass() const { return action_at(area); }

 private:
  explicit Geometry(int board_size);
};

}  // namespace gtpbot::go
