#include "games/go/tactics.hpp"

#include <algorithm>

namespace gtpbot::go {

bool FewPoints::contains(Point p) const { return std::find(begin(), end(), p) != end(); }

int liberties_after(const Board& board, Player player, Point p, int limit) {
  const Color own = stone_of(player);
  FewPoints found;
  const auto add = [&](Point liberty) {
    if (liberty != p) found.add(liberty);
  };
  for (const Point n : board.beside(p)) {
    const Color c = board.at(n);
    if (c == Color::kEmpty || (is_stone(c) && c != own && board.in_atari(n))) {
      add(n);
    } else if (c == own) {
      std::array<Point, FewPoints::kMost> liberties;
      const int most = std::min(limit + 1, FewPoints::kMost);
      const int count = board.find_liberties(n, most, liberties.data());
      std::for_each(liberties.begin(), liberties.begin() + count, add);
    }
    if (found.size() >= limit) return limit;
  }
  return found.size();
}

int chain_size_after(const Board& board, Player player, Point p) {
  int size = 1;
  board.for_chains_beside(p, player, [&](Point n) { size += board.chain_size(n); });
  return size;
}

void add_rescues(const Board& board, Point p, FewPoints& moves) {
  const Color own = board.at(p);
  const Player player = owner(own);
  const auto add = [&](Point move) {
    if (board.is_legal(player, move)) moves.add(move);
  };
  board.for_stones(p, [&](Point stone) {
    for (const Point n : board.beside(stone)) {
      const Color c = board.at(n);
      if (is_stone(c) && c != own && board.in_atari(n)) add(board.last_liberty(n));
    }
  });
  const Point extension = board.last_liberty(p);
  if (board.has_two_liberties_after(player, extension)) add(extension);
}

void add_atari_answers(const Board& board, Player player, Point last, FewPoints& moves) {
  answer_ataris(
      board, player, last, [&](Point move) { moves.push(move); },
      [&](Point chain) { add_rescues(board, chain, moves); });
}

}  // namespace gtpbot::go
