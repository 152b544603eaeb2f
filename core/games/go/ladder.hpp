// Ladders: whether a chain short of liberties can be run down by one atari after the other.
#pragma once

#include "games/go/tactics.hpp"

namespace gtpbot::go {

// True if the chain of the stone at p, in atari, is lost although its owner moves next: whatever it
// captures and wherever it extends, it is put into atari again until it is taken. False if reading
// would take too long.
bool is_lost_in_ladder(const Board& board, Point p);

// The moves of the other player that lead the chain of the stone at p, which has two liberties,
// into such a ladder.
FewPoints ladder_moves(const Board& board, Point p);

}  // namespace gtpbot::go
