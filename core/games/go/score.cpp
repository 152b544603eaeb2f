#include "games/go/score.hpp"

namespace gtpbot::go {
namespace {

// The points of one empty region, and who borders on it.
struct Region {
  int points = 0;
  std::array<bool, 2> borders_on{};
  bool touches_neutral = false;
};

Region flood(const Board& board, Point start, PerPoint<Color>& colors,
             const PerPoint<bool>& is_neutral) {
  Region region;
  std::array<Point, kMaxArea> stack;
  std::size_t depth = 0;
  const auto visit = [&](Point p) {
    if (is_stone(colors[p])) {
      region.borders_on[static_cast<std::size_t>(colors[p])] = true;
      region.touches_neutral |= is_neutral[p];
    } else if (colors[p] == Color::kEmpty) {
      colors[p] = Color::kBorder;  // seen
      stack[depth++] = p;
    }
  };
  visit(start);
  while (depth > 0) {
    const Point p = stack[--depth];
    ++region.points;
    for (const Point n : board.beside(p)) visit(n);
  }
  return region;
}

}  // namespace

Count count(const Board& board, std::span<const Point> dead, std::span<const Point> neutral) {
  const Geometry& geometry = board.geometry();
  PerPoint<Color> colors;
  PerPoint<bool> is_neutral;
  for (int i = 0; i < geometry.num_points; ++i) {
    colors[point_at(i)] = board.at(point_at(i));
    is_neutral[point_at(i)] = false;
  }
  for (const Point p : dead) {
    if (!is_stone(board.at(p))) continue;
    board.for_stones(p, [&](Point stone) { colors[stone] = Color::kEmpty; });
  }
  for (const Point p : neutral) {
    if (!is_stone(board.at(p))) continue;
    board.for_stones(p, [&](Point stone) { is_neutral[stone] = true; });
  }
  Count result;
  for (const Point p : geometry.points) {
    if (is_stone(colors[p])) ++result.stones[static_cast<std::size_t>(colors[p])];
    if (colors[p] != Color::kEmpty) continue;
    const Region region = flood(board, p, colors, is_neutral);
    if (region.borders_on[0] == region.borders_on[1] || region.touches_neutral) continue;
    result.surrounded[region.borders_on[0] ? 0 : 1] += region.points;
  }
  return result;
}

}  // namespace gtpbot::go
