// What a net sees of a game of Go, on boards of all sizes; the choice follows Wu, Accelerating
// self-play learning in Go, 2019, and leaves out what small nets hardly use.
#pragma once

#include "games/go/go_state.hpp"

namespace gtpbot::go {

// "Mine" are those of the player to move. All planes but the komi hold 0 and 1, or -1.
enum Plane {
  kOnBoard,  // 1 everywhere, where a net that pads its planes sees the edge
  kMine,     // stones
  kTheirs,
  kOneLiberty,                 // stones of either colour whose chains have one liberty,
  kTwoLiberties,               // two,
  kThreeLiberties,             // three
  kKo,                         // points that ko or superko alone forbids to me
  kRecentMoves,                // five planes: the last move, the one before, ...; a pass is on none
  kPassed = kRecentMoves + 5,  // 1 everywhere if the last move was a pass
  kKomi,                       // everywhere: the points given to me, in units of kKomiUnit
  kKomiParity,                 // everywhere: komi_parity()
  kLadderPrey,   // stones that a ladder takes: in atari though their owner moves, or with
                 // two liberties if the other does
  kLadderMoves,  // my moves that begin a ladder against stones with two liberties
  kPlanes
};

// Komi is what is added to the mover's area less the other's: komi, bonus for handicap, and under
// territory scoring the difference in stones played (GoState::playout_offset()). Where it is
// larger than the board, it is cut down to what still decides the game.
constexpr float kKomiUnit = 20.0f;

// Without seki the two areas differ by a number that is odd if the board's area is, so that a half
// counts in a komi as much as a whole point, upwards (1) or downwards (-1); 0 in a whole komi.
int komi_parity(int komi_halves, int area);

// Writes planes [size, size, kPlanes], row 0 the lowest.
void write_planes(const GoState& state, float* out);

}  // namespace gtpbot::go
