// What alpha-beta found out about positions that it may meet again by another order of moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "state.hpp"

namespace gtpbot {

// What a stored score says of the true one.
enum class Bound : std::uint8_t { kNone, kExact, kLower, kUpper };

struct Transposition {
  std::uint64_t key = 0;   // State::hash()
  std::int16_t score = 0;  // for the player to move; a win or loss counts moves from here
  std::int16_t depth = 0;  // moves looked ahead
  Action best{};           // the move to try first
  Bound bound = Bound::kNone;
  bool proven = false;  // no deeper look can change it
};
static_assert(sizeof(Transposition) == 16);

// Positions come in pairs of places: one for the one looked at most deeply, one for the latest.
// Memory never grows.
class TranspositionTable {
 public:
  explicit TranspositionTable(int log2_pairs)
      : shift_(64 - log2_pairs), pairs_(std::size_t{1} << log2_pairs) {}

  // Null if nothing is known.
  const Transposition* find(std::uint64_t key) const {
    for (const Transposition& entry : pairs_[place(key)]) {
      if (entry.bound != Bound::kNone && entry.key == key) return &entry;
    }
    return nullptr;
  }

  void store(const Transposition& entry) {
    auto& [deepest, latest] = pairs_[place(entry.key)];
    if (entry.depth >= deepest.depth || entry.key == deepest.key) {
      if (entry.key != deepest.key) latest = deepest;
      deepest = entry;
    } else {
      latest = entry;
    }
  }

 private:
  // Fibonacci hashing, as hashes may be small numbers.
  std::size_t place(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15ull >> shift_; }

  int shift_;
  std::vector<std::array<Transposition, 2>> pairs_;
};

}  // namespace gtpbot
