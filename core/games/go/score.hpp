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

// Counts `board` with the stones at `dead` taken off; each takes its whole chain with it. What the
// chains of the stones at `neutral` touch is surrounded by nobody.
Count count(const Board& board, std::span<const Point> dead = {},
            std::span<const Point> neutral = {});

}  // namespace gtpbot::go
