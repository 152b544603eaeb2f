#include "games/go/planes.hpp"

#include <algorithm>

#include "games/go/ladder.hpp"

namespace gtpbot::go {
namespace {

// The planes of one position, being written.
class Canvas {
 public:
  Canvas(const Geometry& geometry, float* out) : geometry_(geometry), out_(out) {
    std::fill_n(out, geometry.area * kPlanes, 0.0f);
  }

  void mark(Point p, int plane) { out_[geometry_.actions[p] * kPlanes + plane] = 1.0f; }
  void mark_chain(const Board& board, Point p, int plane) {
    board.for_stones(p, [&](Point stone) { mark(stone, plane); });
  }
  void fill(int plane, float value) {
    for (int i = 0; i < geometry_.area; ++i) out_[i * kPlanes + plane] = value;
  }

 private:
  const Geometry& geometry_;
  float* out_;
};

void mark_ladders(const Board& board, Player to_move, Point p, int liberties, Canvas& canvas) {
  if (liberties == 1) {
    if (is_lost_in_ladder(board, p)) canvas.mark_chain(board, p, kLadderPrey);
    return;
  }
  const FewPoints moves = ladder_moves(board, p);
  if (moves.empty()) return;
  canvas.mark_chain(board, p, kLadderPrey);
  if (board.at(p) == stone_of(to_move)) return;
  for (const Point move : moves) canvas.mark(move, kLadderMoves);
}

void mark_chains(const Board& board, Player to_move, Canvas& canvas) {
  for (const Point p : board.geometry().points) {
    if (board.is_empty(p)) continue;
    canvas.mark(p, board.at(p) == stone_of(to_move) ? kMine : kTheirs);
    if (board.chain(p) != p) continue;
    std::array<Point, 4> found;
    const int liberties = board.find_liberties(p, 4, found.data());
    if (liberties > 3) continue;
    canvas.mark_chain(board, p, kOneLiberty + liberties - 1);
    if (liberties < 3) mark_ladders(board, to_move, p, liberties, canvas);
  }
}

}  // namespace

int komi_parity(int komi_halves, int area) {
  // Beyond the last komi that allows a draw, in half points; draws lie two points apart.
  const int beyond = ((komi_halves - 2 * area) % 4 + 4) % 4;
  return beyond == 1 ? 1 : beyond == 3 ? -1 : 0;
}

void write_planes(const GoState& state, float* out) {
  const Board& board = state.board();
  const int area = board.geometry().area;
  const Player to_move = state.current_player();
  Canvas canvas(board.geometry(), out);
  canvas.fill(kOnBoard, 1.0f);
  mark_chains(board, to_move, canvas);
  for (int i = 0; i < board.num_empty(); ++i) {
    if (state.is_forbidden_by_ko(board.empty(i))) canvas.mark(board.empty(i), kKo);
  }
  for (int i = 0; i < static_cast<int>(state.recent_moves().size()); ++i) {
    const Point p = state.recent_moves()[static_cast<std::size_t>(i)];
    if (p != kNoPoint) canvas.mark(p, kRecentMoves + i);
  }
  if (state.passes() > 0) canvas.fill(kPassed, 1.0f);
  const int offset = state.playout_offset();
  const int komi_halves = to_move == Player::kBlack ? offset : -offset;
  const int most = 2 * (area + 1);
  const auto halves = static_cast<float>(std::clamp(komi_halves, -most, most));
  canvas.fill(kKomi, halves / 2.0f / kKomiUnit);
  canvas.fill(kKomiParity, static_cast<float>(komi_parity(komi_halves, area)));
}

}  // namespace gtpbot::go
