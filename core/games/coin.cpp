#include "games/coin.hpp"

#include <algorithm>

namespace gtpbot {

CoinState::CoinState(int pile, int max_take)
    : pile_(static_cast<std::int16_t>(pile)),
      coins_(pile_),
      max_take_(static_cast<std::int16_t>(max_take)) {
  if (max_take < 1 || max_take > pile || pile > kMaxPile || max_take > kMaxActions) {
    throw std::invalid_argument("coin game with pile " + std::to_string(pile) + " and max_take " +
                                std::to_string(max_take) +
                                ": expected 1 <= max_take <= pile <= " + std::to_string(kMaxPile) +
                                ", and max_take <= " + std::to_string(kMaxActions));
  }
}

float CoinState::black_value() const {
  // Who took the last coin is the one not to move now.
  return to_move_ == Player::kWhite ? 1.0f : -1.0f;
}

void CoinState::legal_actions(ActionList& out) const {
  out.clear();
  for (int take = 0; take < std::min(max_take_, coins_); ++take) out.push(action_at(take));
}

void CoinState::apply_unchecked(Action a) {
  coins_ = static_cast<std::int16_t>(coins_ - index(a) - 1);
  to_move_ = opponent(to_move_);
}

float CoinState::playout(Rng& rng, FirstPlays* plays) {
  while (coins_ > 0) {
    const auto most = static_cast<std::uint32_t>(std::min(max_take_, coins_));
    const Action a = action_at(static_cast<int>(rng.below(most)));
    if (plays) plays->record(a, to_move_);
    apply_unchecked(a);
  }
  return black_value();
}

void CoinState::write_planes(float* out) const {
  for (int i = 0; i < pile_; ++i) out[i] = i < coins_ ? 1.0f : 0.0f;
}

std::uint64_t CoinState::hash() const {
  return static_cast<std::uint64_t>(coins_) * 2 + static_cast<std::uint64_t>(to_move_);
}

std::string CoinState::to_string() const {
  return std::to_string(coins_) + " coins, " + (to_move_ == Player::kBlack ? "Black" : "White") +
         " to move";
}

}  // namespace gtpbot
