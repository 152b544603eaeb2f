// Small random numbers, eight for the price of one: what a playout of a small game lives on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rng.hpp"

namespace gtpbot {

// Reads one word of the generator as a fraction and takes its digits off the top, in whatever base
// each draw asks for. Eight digits of at most five bits leave 24 bits unread, so no number is
// likelier than another by more than 2^-24.
class Draws {
 public:
  static constexpr std::uint32_t kMaxBound = 32;

  explicit Draws(Rng& rng) : rng_(rng) {}

  // Uniform in [0, bound), 0 < bound <= kMaxBound.
  std::size_t below(std::uint32_t bound) {
    if (left_ == 0) {
      fraction_ = rng_.next();
      left_ = kPerWord;
    }
    --left_;
    const Wide product = static_cast<Wide>(fraction_) * bound;
    fraction_ = static_cast<std::uint64_t>(product);
    return static_cast<std::size_t>(product >> 64);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr int kPerWord = 8;

  Rng& rng_;
  std::uint64_t fraction_ = 0;
  int left_ = 0;
};

}  // namespace gtpbot
