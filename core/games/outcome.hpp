// How a small game stands.
#pragma once

#include "state.hpp"

namespace gtpbot {

enum class Outcome : std::uint8_t { kOpen, kBlackWon, kWhiteWon, kDrawn };

constexpr Outcome win_of(Player p) {
  return p == Player::kBlack ? Outcome::kBlackWon : Outcome::kWhiteWon;
}

constexpr float black_value_of(Outcome o) {
  if (o == Outcome::kBlackWon) return 1.0f;
  return o == Outcome::kWhiteWon ? -1.0f : 0.0f;
}

}  // namespace gtpbot
