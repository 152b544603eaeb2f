// The 3x3 patterns of MoGo: shapes around an empty point where a move is urgent for either player.
#pragma once

#include "games/go/board.hpp"

namespace gtpbot::go {

// True if the empty point p is the centre of a hane, a cut, or one of the shapes of the first line
// (Gelly, Wang, Munos and Teytaud, Modification of UCT with patterns in Monte-Carlo Go, 2006).
bool is_pattern(const Board& board, Point p);

}  // namespace gtpbot::go
