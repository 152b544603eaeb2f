// The positions a game went through, each with who was to move, for superko.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "state.hpp"

namespace gtpbot::go {

class History {
 public:
  void add(std::uint64_t board_hash, Player to_move) {
    const std::uint64_t situation = with(board_hash, to_move);
    if (!situations_.empty() && situations_.back() == situation) return;
    situations_.push_back(situation);
    filter_[word(board_hash)] |= bit(board_hash);
  }
  // True if the board was there with `to_move` to move. Nearly always the filter alone tells.
  bool contains(std::uint64_t board_hash, Player to_move) const {
    return (filter_[word(board_hash)] & bit(board_hash)) != 0 &&
           std::find(situations_.begin(), situations_.end(), with(board_hash, to_move)) !=
               situations_.end();
  }
  // True if the board was there, whoever was to move.
  bool contains(std::uint64_t board_hash) const {
    return contains(board_hash, Player::kBlack) || contains(board_hash, Player::kWhite);
  }
  void clear() {
    situations_.clear();
    filter_.fill(0);
  }

 private:
  static constexpr std::size_t kWords = 64;  // 4,096 bits for a few hundred positions
  static std::size_t word(std::uint64_t hash) { return hash >> 7 & (kWords - 1); }
  static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << (hash >> 1 & 63); }
  // The lowest bit of the board's hash gives way to the player to move.
  static std::uint64_t with(std::uint64_t board_hash, Player to_move) {
    return (board_hash & ~std::uint64_t{1}) | static_cast<std::uint64_t>(to_move);
  }

  std::vector<std::uint64_t> situations_;
  std::array<std::uint64_t, kWords> filter_{};
};

}  // namespace gtpbot::go
