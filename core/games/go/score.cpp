#include "games/go/score.hpp"

namespace gtpbot::go {
namespace {

// The points of one empty region, and who borders on it.
struct Region {
  int points = 0;
  std::array<bool, 2> borders_on{};
};

Region flood(Point start, int stride, PerPoint<Color>& colors) {
  Region region;
  std::array<Point, kMaxArea> stack;
  std::size_t depth = 0;
  const auto visit = [&](Point p) {
    if (is_stone(colors[p])) {
      region.borders_on[static_cast<std::size_t>(colors[p])] = true;
    } else if (colors[p] == Color::kEmpty) {
      colors[p] = Color::kBorder;  // seen
      stack[depth++] = p;
    }
  };
  visit(start);
  while (depth > 0) {
    const Point p = stack[--depth];
    ++region.points;
    for (const int offset : {-stride, -1, 1, stride}) visit(p + offset);
  }
  return region;
}

}  // namespace

Count count(const Board& board, std::span<const Point> dead) {
  const Geometry& geometry = board.geometry();
  PerPoint<Color> colors;
  for (int i = 0; i < geometry.num_points; ++i) colors[point_at(i)] = board.at(point_at(i));
  for (const Point first : dead) {
    if (!is_stone(board.at(first))) continue;
    Point stone = first;
    do {
      colors[stone] = Color::kEmpty;
      stone = board.next_stone(stone);
    } while (stone != first);
  }
  Count result;
  for (const Point p : geometry.points) {
    if (is_stone(colors[p])) ++result.stones[static_cast<std::size_t>(colors[p])];
    if (colors[p] != Color::kEmpty) continue;
    const Region region = flood(p, geometry.stride, colors);
    if (region.borders_on[0] == region.borders_on[1]) continue;
    result.surrounded[region.borders_on[0] ? 0 : 1] += region.points;
  }
  return result;
}

}  // namespace gtpbot::go
