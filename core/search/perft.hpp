// Counts all games of a given length: the classic check of rules and their speed.
#pragma once

#include <cstdint>

#include "state.hpp"

namespace gtpbot {

struct Perft {
  std::uint64_t paths = 0;     // sequences of exactly `depth` legal moves
  std::uint64_t finished = 0;  // those among them that end the game
};

// Precondition: depth >= 0.
Perft perft(const State& root, int depth);

}  // namespace gtpbot
