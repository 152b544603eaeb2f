#include "games/go/score.hpp"

#include <array>

namespace gtpbot::go {
namespace {

// The points of one empty region, and who borders on it.
struct Region {
  std::array<Point, kMaxArea> points;
  std::size_t size = 0;
  std::array<bool, 2> borders_on{};
  bool touches_neutral = false;

  Color owner() const {
    if (borders_on[0] == borders_on[1] || touches_neutral) return Color::kEmpty;
    return borders_on[0] ? Color::kBlack : Color::kWhite;
  }
};

Region flood(const Board& board, Point start, PerPoint<Color>& colors,
             const PerPoint<bool>& is_neutral) {
  Region region;
  const auto visit = [&](Point p) {
    if (is_stone(colors[p])) {
      region.borders_on[static_cast<std::size_t>(colors[p])] = true;
      region.touches_neutral |= is_neutral[p];
    } else if (colors[p] == Color::kEmpty) {
      colors[p] = Color::kBorder;  // seen
      region.points[region.size++] = p;
    }
  };
  visit(start);
  for (std::size_t i = 0; i < region.size; ++i) {
    for (const Point n : board.beside(region.points[i])) visit(n);
  }
  return region;
}

}  // namespace

PerPoint<Color> owners(const Board& board, std::span<const Point> dead,
                       std::span<const Point> neutral) {
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
  PerPoint<Color> whose = colors;
  for (const Point p : geometry.points) {
    if (colors[p] != Color::kEmpty) continue;
    const Region region = flood(board, p, colors, is_neutral);
    for (std::size_t i = 0; i < region.size; ++i) whose[region.points[i]] = region.owner();
  }
  return whose;
}

int area_difference(const Board& board, std::span<const Point> dead,
                    std::span<const Point> neutral) {
  const PerPoint<Color> whose = owners(board, dead, neutral);
  int difference = 0;
  for (const Point p : board.geometry().points) {
    difference += (whose[p] == Color::kBlack) - (whose[p] == Color::kWhite);
  }
  return difference;
}

}  // namespace gtpbot::go
