// The one source of randomness: small, fast, seeded, and handed to whoever needs it.
#pragma once

#include <cstdint>

namespace gtpbot {

// wyrand: one 64-bit word of state, one wide multiplication a draw; passes BigCrush and PractRand.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0xd1b54a32d192ed03ull) {}

  std::uint64_t next() {
    state_ += 0xa0761d6478bd642full;
    const Wide product = static_cast<Wide>(state_) * (state_ ^ 0xe7037ed1a0b428dbull);
    return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
  }

  // Uniform in [0, bound), bound > 0. Multiply-shift (Lemire); the bias is below bound / 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t state_;
};

}  // namespace gtpbot
