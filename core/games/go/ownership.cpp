#include "games/go/ownership.hpp"

#include <algorithm>

#include "games/go/guide.hpp"

namespace gtpbot::go {
namespace {

int owner_of(const Board& board, Point p) {
  const Color c = board.at(p);
  if (is_stone(c)) return c == Color::kBlack ? 1 : -1;
  const Neighbours around = board.neighbours(p);
  return around.surrounded_by(Player::kBlack) - around.surrounded_by(Player::kWhite);
}

}  // namespace

std::vector<float> ownership(const GoState& state, int playouts, std::uint64_t seed) {
  const Geometry& geometry = state.board().geometry();
  const Guide guide{Guide::Params{}};
  Rng rng(seed);
  std::vector<int> sums(static_cast<std::size_t>(geometry.area));
  // Neither ko, nor the way to the position, which orders the empty points, is to matter.
  Board start(geometry.size);
  for (const Point p : geometry.points) {
    if (is_stone(state.board().at(p))) start.place(owner(state.board().at(p)), p);
  }
  Board board(geometry.size);
  for (int i = 0; i < playouts; ++i) {
    board = start;
    // Either player begins half of the playouts, so that the answer is about the board.
    const Player first = i % 2 ? Player::kWhite : Player::kBlack;
    guide.playout(board, first, kNoPoint, rng, nullptr);
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += owner_of(board, geometry.points[a]);
  }
  std::vector<float> mean(sums.size());
  const auto share = 1.0f / static_cast<float>(std::max(playouts, 1));
  std::transform(sums.begin(), sums.end(), mean.begin(),
                 [share](int sum) { return static_cast<float>(sum) * share; });
  return mean;
}

}  // namespace gtpbot::go
