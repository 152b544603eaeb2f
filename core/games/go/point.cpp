#include "games/go/point.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

namespace gtpbot::go {

Geometry::Geometry(int board_size)
    : size(board_size),
      stride(board_size + 1),
      beside{stride, 1, -stride, -1},
      num_points((board_size + 1) * (board_size + 2) + 1),
      area(board_size * board_size) {
  Rng rng(0x676f);  // the same words in every process, so that hashes can be compared
  white_to_move = rng.next();
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const Point p = point_at((row + 1) * stride + column + 1);
      actions[p] = static_cast<std::uint16_t>(points.size());
      points.push_back(p);
      const int to_edge = 1 + std::min({row, column, size - 1 - row, size - 1 - column});
      line[p] = static_cast<std::uint8_t>(to_edge);
      at_edge[p] = to_edge == 1;
      for (auto& words : zobrist) words[p] = rng.next();
    }
  }
}

const Geometry& Geometry::of(int size) {
  static std::array<std::unique_ptr<const Geometry>, kMaxSize + 1> made;
  static std::mutex mutex;
  if (size < kMinSize || size > kMaxSize) {
    throw std::invalid_argument("Go board of size " + std::to_string(size) + ": expected " +
                                std::to_string(kMinSize) + " to " + std::to_string(kMaxSize));
  }
  const std::lock_guard lock(mutex);
  auto& geometry = made[static_cast<std::size_t>(size)];
  if (!geometry) geometry.reset(new Geometry(size));
  return *geometry;
}

}  // namespace gtpbot::go
