// What a net said of the positions that it saw last: searches and rollouts meet the same ones again
// and again.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "block.hpp"
#include "nets/net.hpp"

namespace gtpbot {

// For all threads at once.
class NetMemory {
 public:
  // For about so many positions; a later one takes the place of an earlier one.
  NetMemory(std::size_t positions, const NetShape& shape);

  // Writes what the net said of the position with this key into `out`, as its position `i`; false
  // if that is not remembered.
  bool load(std::uint64_t key, NetOutput& out, std::size_t i);
  // Remembers what `from` says of its position `i`.
  void store(std::uint64_t key, const NetOutput& from, std::size_t i);

 private:
  static constexpr std::size_t kMutexes = 64;

  std::mutex& mutex_of(std::size_t place) { return mutexes_[place % kMutexes]; }

  NetShape shape_;
  std::size_t policy_size_;
  std::size_t places_;
  Block<std::uint64_t> keys_;  // by place: one more than the key, as 0 means nobody
  Block<float> values_;        // by place
  Block<float> policies_;      // by place, policy_size_ each
  std::array<std::mutex, kMutexes> mutexes_;
};

}  // namespace gtpbot
