// An opening book of Connect Four.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/score_table.hpp"

namespace gtpbot {

// What is known of positions of no more than some number of discs, and what to play in some.
class ConnectFourBook {
 public:
  static constexpr int kNoAnswer = -1;
  static constexpr int kMostDiscs = 42;

  // No book.
  ConnectFourBook() = default;
  // Reads what `encode` wrote. Throws std::invalid_argument for what cannot be that.
  explicit ConnectFourBook(std::span<const std::uint8_t> bytes);

  struct Line {
    std::uint64_t key;  // of the position or its mirror image, the lower one
    ScoreBounds bounds;
    int answer = kNoAnswer;  // the column of a move that keeps the outcome, in the image of `key`
  };
  // Throws std::invalid_argument for an answer that is no column, or discs beyond 0 to kMostDiscs.
  static std::vector<std::uint8_t> encode(int most_discs, std::span<const Line> lines);

  // No position of more is in it; -1 if it is empty.
  int most_discs() const { return most_discs_; }
  // Of a position that is not in it nothing is known.
  Line find(std::uint64_t key) const;

 private:
  int most_discs_ = -1;
  std::vector<std::uint64_t> lines_;  // key << 15 | answer + 1 << 12 | bounds, in ascending order
};

}  // namespace gtpbot
