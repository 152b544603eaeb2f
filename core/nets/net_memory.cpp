#include "nets/net_memory.hpp"

#include <algorithm>
#include <bit>

#include "hash.hpp"

namespace gtpbot {

NetMemory::NetMemory(std::size_t positions, const NetShape& shape)
    : shape_(shape),
      policy_size_(shape.has_policy ? static_cast<std::size_t>(shape.num_actions) : 0),
      places_(std::bit_floor(positions)),
      keys_(places_),
      values_(shape.has_value ? places_ : 0, Fill::kNothing),
      policies_(places_ * policy_size_, Fill::kNothing) {}

bool NetMemory::load(std::uint64_t key, NetOutput& out, std::size_t i) {
  const std::size_t place = place_of(key, places_);
  const std::lock_guard lock(mutex_of(place));
  if (keys_[place] != key + 1) return false;
  if (shape_.has_value) out.value[i] = values_[place];
  std::copy_n(&policies_[place * policy_size_], policy_size_, out.policy.data() + i * policy_size_);
  return true;
}

void NetMemory::store(std::uint64_t key, const NetOutput& from, std::size_t i) {
  const std::size_t place = place_of(key, places_);
  const std::lock_guard lock(mutex_of(place));
  keys_[place] = key + 1;
  if (shape_.has_value) values_[place] = from.value[i];
  std::copy_n(from.policy.data() + i * policy_size_, policy_size_,
              &policies_[place * policy_size_]);
}

}  // namespace gtpbot
