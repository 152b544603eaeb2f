// Light playouts: uniformly random legal moves, own eyes kept.
#pragma once

#include "games/go/board.hpp"

namespace gtpbot::go {

// A uniformly random move of `player` among those that are legal, fill no own eye and that
// `accept(move)` accepts; kNoPoint: pass. Draws without replacement from the empty points; refused
// ones are put aside at the list's end, which is why the board is not const.
template <class Accept>
Point draw_move(Board& board, Player player, Rng& rng, const Accept& accept) {
  for (int left = board.num_empty(); left > 0;) {
    const int i = static_cast<int>(rng.below(static_cast<std::uint32_t>(left)));
    const Point p = board.empty(i);
    if (!board.is_eye(player, p) && board.is_legal(player, p) && accept(p)) return p;
    board.swap_empty(i, --left);
  }
  return kNoPoint;
}

// Such a move, whichever it is.
Point random_move(Board& board, Player player, Rng& rng);

// Plays `board`, or what follows one, until both pass, or for three moves a point of it. Each move
// is what `choose(player, last)` says, where kNoPoint is a pass, and as `last` none or a pass.
// `plays`, unless null, records the moves.
template <class Played, class Choose>
void play_out(Played& board, Player to_move, Point last, FirstPlays* plays, const Choose& choose) {
  const Geometry& geometry = board.geometry();
  int passes = 0;
  for (int moves = 3 * geometry.area; moves > 0 && passes < 2; --moves) {
    last = choose(to_move, last);
    if (last == kNoPoint) {
      board.pass();
      ++passes;
    } else {
      if (plays) plays->record(geometry.action(last), to_move);
      board.play(to_move, last);
      passes = 0;
    }
    to_move = opponent(to_move);
  }
}

// Plays random moves to the end.
void light_playout(Board& board, Player to_move, Rng& rng, FirstPlays* plays);

// Black's points less White's when every chain on the board is alive and every empty point left
// is an eye: stones and the empty points surrounded by one colour. No komi.
int playout_score(const Board& board);

// Who won then, for Black: 1, 0 or -1. `offset` is GoState::playout_offset() before the playout.
float playout_value(const Board& board, int offset);

}  // namespace gtpbot::go
