// The positions a game went through, for superko.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace gtpbot::go {

class History {
 public:
  void add(std::uint64_t hash) {
    hashes_.push_back(hash);
    filter_[word(hash)] |= bit(hash);
  }
  // Nearly always answered by the filter alone.
  bool contains(std::uint64_t hash) const {
    return (filter_[word(hash)] & bit(hash)) != 0 &&
           std::find(hashes_.begin(), hashes_.end(), hash) != hashes_.end();
  }
  void clear() {
    hashes_.clear();
    filter_.fill(0);
  }

 private:
  static constexpr std::size_t kWords = 64;  // 4,096 bits for a few hundred positions
  static std::size_t word(std::uint64_t hash) { return hash >> 6 & (kWords - 1); }
  static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << (hash & 63); }

  std::vector<std::uint64_t> hashes_;
  std::array<std::uint64_t, kWords> filter_{};
};

}  // namespace gtpbot::go
