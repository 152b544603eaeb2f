// What alpha-beta found out about positions that it may meet again by another order of moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hash.hpp"
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
// The table doubles as it fills, up to its greatest size.
class TranspositionTable {
 public:
  explicit TranspositionTable(int max_log2_pairs)
      : max_pairs_(std::size_t{1} << max_log2_pairs), pairs_(std::size_t{1} << kMinLog2Pairs) {}

  // Null if nothing is known. Good until the next store().
  const Transposition* find(std::uint64_t key) const {
    for (const Transposition& entry : pairs_[place(key)]) {
      if (entry.bound != Bound::kNone && entry.key == key) return &entry;
    }
    return nullptr;
  }

  void store(const Transposition& entry) {
    if (++stores_ > pairs_.size() && pairs_.size() < max_pairs_) grow();
    put(entry);
  }

 private:
  using Pair = std::array<Transposition, 2>;
  static constexpr int kMinLog2Pairs = 8;

  std::size_t place(std::uint64_t key) const { return spread(key) >> shift_; }

  void put(const Transposition& entry) {
    auto& [deepest, latest] = pairs_[place(entry.key)];
    if (entry.depth >= deepest.depth || entry.key == deepest.key) {
      if (entry.key != deepest.key) latest = deepest;
      deepest = entry;
    } else {
      latest = entry;
    }
  }

  void grow() {
    const std::vector<Pair> old = std::exchange(pairs_, std::vector<Pair>(pairs_.size() * 2));
    --shift_;
    for (const auto& [deepest, latest] : old) {
      if (latest.bound != Bound::kNone) put(latest);
      if (deepest.bound != Bound::kNone) put(deepest);
    }
  }

  std::size_t max_pairs_;
  std::size_t stores_ = 0;
  int shift_ = 64 - kMinLog2Pairs;
  std::vector<Pair> pairs_;
};

}  // namespace gtpbot
