// The eight symmetries of a square board: a pattern that is turned is the same one, and a net that
// is shown a position turned should say the same of it. As it never quite does, a search turns each
// position at random (Silver et al., Mastering the game of Go with deep neural networks and tree
// search, 2016). Games whose board is alike on both sides have one symmetry more.
#pragma once

#include "state.hpp"

namespace gtpbot {

// A way to turn or mirror a board; the first one leaves it as it is.
class Symmetry {
 public:
  static constexpr unsigned kCount = 8;
  // One of the eight, by the last bits of a random number.
  explicit Symmetry(std::uint64_t random) : bits_(static_cast<unsigned>(random % kCount)) {}

  // Where the point row * size + column of a board goes.
  int operator()(int point, int size) const;

  // Turns planes [size, size, planes] from `from` into `to`.
  void turn_planes(const float* from, const PlaneShape& shape, float* to) const;
  // Turns back what a net said of turned planes; actions beyond the points stay where they are.
  void turn_back_policy(const float* from, int size, int num_actions, float* to) const;

 private:
  unsigned bits_;  // mirror rows, mirror columns, swap the two
};

// Swaps left and right of planes from `from` into `to`.
void mirror_planes(const float* from, const PlaneShape& shape, float* to);

}  // namespace gtpbot
