#include "games/go/ladder.hpp"

namespace gtpbot::go {
namespace {

// Reads one ladder. Most of it is forced and played on one board; a copy is made only where a
// player has a choice.
class Hunt {
 public:
  Hunt(const Board& board, Point prey)
      : prey_(prey), owner_(gtpbot::go::owner(board.at(prey))), hunter_(opponent(owner_)) {}

  // True if the prey, in atari and to move, is caught. Uses `board` up.
  bool catches(Board& board, int choices_left = kChoices) {
    for (;;) {
      FewPoints rescues;
      add_rescues(board, prey_, rescues);
      if (rescues.empty()) return true;
      if (rescues.size() > 1 && --choices_left < 0) return false;
      for (int i = 0; i + 1 < rescues.size(); ++i) {
        if (escapes_by(board, rescues[i], choices_left)) return false;
      }
      board.play(owner_, rescues[rescues.size() - 1]);
      const int count = liberties(board);
      if (count != 2) return count < 2;
      const FewPoints ataris = hunters_moves(board);
      if (ataris.empty() || --moves_left_ < 0) return false;
      if (ataris.size() > 1 && --choices_left < 0) return false;
      for (int i = 0; i + 1 < ataris.size(); ++i) {
        if (catches_by(board, ataris[i], choices_left)) return true;
      }
      board.play(hunter_, ataris[ataris.size() - 1]);
    }
  }

  // True if `atari`, one of hunters_moves(), begins a ladder.
  bool catches_by(const Board& board, Point atari, int choices_left = kChoices) {
    if (--moves_left_ < 0) return false;
    Board after = board;
    after.play(hunter_, atari);
    return catches(after, choices_left);
  }

  // The legal ataris on the prey, which has two liberties, that do not simply let it out.
  FewPoints hunters_moves(const Board& board) const {
    std::array<Point, 2> free;
    board.find_liberties(prey_, 2, free.data());
    FewPoints moves;
    for (const int i : {0, 1}) {
      const Point atari = free[static_cast<std::size_t>(i)];
      const Point way_out = free[static_cast<std::size_t>(1 - i)];
      // Three liberties and the atari itself, which is still empty, are too many.
      const bool is_tight = liberties_after(board, owner_, way_out, 4) < 4;
      if (is_tight && board.is_legal(hunter_, atari)) moves.push(atari);
    }
    return moves;
  }

 private:
  // A ladder across the largest board takes 50 moves of the hunter; the rest is for choices.
  static constexpr int kMoves = 150;
  static constexpr int kChoices = 4;

  bool escapes_by(const Board& board, Point rescue, int choices_left) {
    Board after = board;
    after.play(owner_, rescue);
    const int count = liberties(after);
    if (count != 2) return count > 2;
    for (const Point atari : hunters_moves(after)) {
      if (catches_by(after, atari, choices_left)) return false;
    }
    return true;
  }

  int liberties(const Board& board) const {
    std::array<Point, 3> found;
    return board.find_liberties(prey_, 3, found.data());
  }

  Point prey_;
  Player owner_;
  Player hunter_;
  int moves_left_ = kMoves;
};

}  // namespace

bool is_lost_in_ladder(const Board& board, Point p) {
  Board copy = board;
  return Hunt(board, p).catches(copy);
}

FewPoints ladder_moves(const Board& board, Point p) {
  FewPoints moves;
  for (const Point atari : Hunt(board, p).hunters_moves(board)) {
    if (Hunt(board, p).catches_by(board, atari)) moves.push(atari);
  }
  return moves;
}

}  // namespace gtpbot::go
