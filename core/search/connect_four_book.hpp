// An opening book of Connect Four.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/score_table.hpp"

namespace gtpbot {

// The scores of all positions of one number of discs that no quick look decides.
class ConnectFourBook {
 public:
  // No book.
  ConnectFourBook() = default;
  // Reads what `encode` wrote. Throws std::invalid_argument for anything else.
  explicit ConnectFourBook(std::span<const std::uint8_t> bytes);

  struct Line {
    std::uint64_t key;  // of the position or its mirror image, the lower one
    ScoreBounds bounds;
  };
  static std::vector<std::uint8_t> encode(int discs, std::span<const Line> lines);

  int discs() const { return discs_; }
  std::size_t size() const { return lines_.size(); }
  ScoreBounds find(std::uint64_t key) const;

 private:
  int discs_ = -1;
  std::vector<std::uint64_t> lines_;  // key << 12 | bounds, in ascending order
};

}  // namespace gtpbot
