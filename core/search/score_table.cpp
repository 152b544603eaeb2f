#include "search/score_table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace gtpbot {
namespace {

std::size_t checked(std::size_t max_bytes) {
  if (max_bytes >= ScoreTable::kMinBytes && max_bytes <= ScoreTable::kMaxBytes) return max_bytes;
  throw std::invalid_argument("a table of " + std::to_string(max_bytes) + " bytes: expected " +
                              std::to_string(ScoreTable::kMinBytes) + " to " +
                              std::to_string(ScoreTable::kMaxBytes));
}

}  // namespace

ScoreTable::ScoreTable(std::size_t max_bytes)
    : tag_bits_(kKeyBits - std::countr_zero(num_entries(checked(max_bytes)) / kWays)),
      entries_(num_entries(max_bytes)) {}

std::size_t ScoreTable::num_entries(std::size_t max_bytes) {
  return std::bit_floor(max_bytes / (kWays * sizeof(Entry))) * kWays;
}

void ScoreTable::store(std::uint64_t hash, ScoreBounds bounds, std::uint64_t cost) {
  Entry* entries = place(hash);
  // The last way takes whatever is newest, if the others hold what was more costly.
  int chosen = kWays - 1;
  std::uint64_t least = static_cast<std::uint64_t>(std::bit_width(cost));
  const std::uint64_t own = least << kCostShift;
  for (int i = 0; i < kWays; ++i) {
    if (entries[i] >> kTagShift == tag(hash)) {
      chosen = i;
      break;
    }
    const std::uint64_t there = entries[i] >> kCostShift & 63;
    if (there < least) {
      least = there;
      chosen = i;
    }
  }
  entries[chosen] = tag(hash) << kTagShift | own | bounds.packed();
}

}  // namespace gtpbot
