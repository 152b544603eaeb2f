#include "games/go/playout.hpp"

namespace gtpbot::go {

Point random_move(Board& board, Player player, Rng& rng) {
  return draw_move(board, player, rng, [](Point) { return true; });
}

void light_playout(Board& board, Player to_move, Rng& rng, FirstPlays* plays) {
  play_out(board, to_move, kNoPoint, plays,
           [&](Player player, Point) { return random_move(board, player, rng); });
}

int playout_score(const Board& board) {
  int score = board.num_stones(Player::kBlack) - board.num_stones(Player::kWhite);
  for (int i = 0; i < board.num_empty(); ++i) {
    const Neighbours around = board.neighbours(board.empty(i));
    score += around.surrounded_by(Player::kBlack) - around.surrounded_by(Player::kWhite);
  }
  return score;
}

float playout_value(const Board& board, int offset) {
  const int half_points = 2 * playout_score(board) + offset;
  return static_cast<float>((half_points > 0) - (half_points < 0));
}

}  // namespace gtpbot::go
