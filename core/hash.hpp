// Where keys go in a table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gtpbot {

// Fibonacci hashing, as keys may be small numbers: those that differ a little differ much in the
// upper bits of this.
constexpr std::uint64_t spread(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ull; }

// The place of a key among so many, a power of two.
constexpr std::size_t place_of(std::uint64_t key, std::size_t places) {
  return (spread(key) >> 32 ^ spread(key)) & (places - 1);
}

}  // namespace gtpbot
