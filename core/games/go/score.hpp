// Counting a finished board.
#pragma once

#include <span>

#include "games/go/board.hpp"

namespace gtpbot::go {

// Whose each point of `board` is, or kEmpty: stones their own, and empty points theirs whose stones
// alone they reach. The stones at `dead` are taken off; each takes its whole chain with it. What
// the chains of the stones at `neutral` touch is surrounded by nobody.
PerPoint<Color> owners(const Board& board, std::span<const Point> dead = {},
                       std::span<const Point> neutral = {});

// How many more points are Black's than White's.
int area_difference(const Board& board, std::span<const Point> dead = {},
                    std::span<const Point> neutral = {});

}  // namespace gtpbot::go
