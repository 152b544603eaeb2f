// What a solver knows of positions: between which bounds their scores lie.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.hpp"

namespace gtpbot {

// What is known of a score: it lies between these, both included.
struct ScoreBounds {
  static constexpr int kMost = 21;

  int lower = -kMost;
  int upper = kMost;

  // As 12 bits, of which 0 says nothing.
  std::uint64_t packed() const {
    return static_cast<std::uint64_t>((lower + kMost) << 6 | (kMost - upper));
  }
  static ScoreBounds unpack(std::uint64_t bits) {
    return {static_cast<int>(bits >> 6 & 63) - kMost, kMost - static_cast<int>(bits & 63)};
  }
};

// What is known of positions that may come up again, in a fixed memory. Of four positions that
// share a place, the newest displaces the one least costly to find out anew.
class ScoreTable {
 public:
  // Throws std::invalid_argument unless max_bytes is from kMinBytes to kMaxBytes, and
  // std::bad_alloc.
  explicit ScoreTable(std::size_t max_bytes);

  static constexpr std::size_t kMinBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 40;
  // How many positions a table of so many bytes has room for.
  static std::size_t num_entries(std::size_t max_bytes);

  // Where `key`, a number below 2^49, has its place; the other calls take this.
  static std::uint64_t hash(std::uint64_t key);
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(place(hash)); }
  ScoreBounds find(std::uint64_t hash) const;
  // `cost`: the positions visited for it.
  void store(std::uint64_t hash, ScoreBounds bounds, std::uint64_t cost);

 private:
  // An entry is, from the top: tag 34 bits, cost 6, bounds 12.
  using Entry = std::uint64_t;
  static constexpr int kKeyBits = 49;
  static constexpr int kWays = 4;
  static constexpr int kTagShift = 30;
  static constexpr int kCostShift = 24;

  Entry* place(std::uint64_t hash) const { return &entries_[kWays * (hash >> tag_bits_)]; }
  std::uint64_t tag(std::uint64_t hash) const {
    return hash & ((std::uint64_t{1} << tag_bits_) - 1);
  }

  int tag_bits_;
  Block<Entry> entries_;
};

inline std::uint64_t ScoreTable::hash(std::uint64_t key) {
  // Steps that can be undone, so that place and tag together are the whole key.
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kKeyBits) - 1;
  key ^= key >> 25;
  key = key * 0x9e3779b97f4a7c15 & kMask;
  return key ^ key >> 24;
}

inline ScoreBounds ScoreTable::find(std::uint64_t hash) const {
  const Entry* entries = place(hash);
  for (int i = 0; i < kWays; ++i) {
    if (entries[i] >> kTagShift == tag(hash)) return ScoreBounds::unpack(entries[i]);
  }
  return {};
}

}  // namespace gtpbot
