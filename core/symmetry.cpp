#include "symmetry.hpp"

#include <algorithm>
#include <utility>

namespace gtpbot {

int Symmetry::operator()(int point, int size) const {
  int row = point / size;
  int column = point % size;
  if (bits_ & 1) row = size - 1 - row;
  if (bits_ & 2) column = size - 1 - column;
  if (bits_ & 4) std::swap(row, column);
  return row * size + column;
}

void Symmetry::turn_planes(const float* from, const PlaneShape& shape, float* to) const {
  for (int point = 0; point < shape.height * shape.width; ++point) {
    const int place = (*this)(point, shape.width);
    std::copy_n(from + point * shape.planes, shape.planes, to + place * shape.planes);
  }
}

void Symmetry::turn_back_policy(const float* from, int size, int num_actions, float* to) const {
  const int points = size * size;
  for (int point = 0; point < points; ++point) to[point] = from[(*this)(point, size)];
  std::copy(from + points, from + num_actions, to + points);
}

void mirror_planes(const float* from, const PlaneShape& shape, float* to) {
  for (int row = 0; row < shape.height; ++row) {
    for (int column = shape.width; column-- > 0; to += shape.planes) {
      std::copy_n(from + (row * shape.width + column) * shape.planes, shape.planes, to);
    }
  }
}

}  // namespace gtpbot
