// Counting a finished board.
#pragma once

#include <array>
#include <span>

#include "games/go/board.hpp"

namespace gtpbot::go {

// What each player has on the board, by Player.
struct Count {
  std::array<int, 2> stones{};
  std::array<int, 2> surrounded{};  // empty points that reach stones of this player only
};

// Counts `board` with the stones at `dead` taken off; each takes its whole chain with it.
Count count(const Board& board, std::span<const Point> dead = {});

}  // namespace gtpbot::go
