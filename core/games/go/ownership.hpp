// Whose each point will be, by playouts: what tells dead stones from living ones.
#pragma once

#include <cstdint>
#include <vector>

#include "games/go/go_state.hpp"

namespace gtpbot::go {

// The mean owner of each point at the end of `playouts` playouts, by action: from -1 for White to
// 1 for Black.
std::vector<float> ownership(const GoState& state, int playouts, std::uint64_t seed);

}  // namespace gtpbot::go
