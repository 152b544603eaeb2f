// The coin game: a pile, each turn takes 1 to max_take coins, who takes the last one wins.
// Action a takes a + 1 coins.
#pragma once

#include "state.hpp"

namespace gtpbot {

class CoinState final : public State {
 public:
  static constexpr int kMaxPile = 1000;

  // Throws std::invalid_argument unless 1 <= max_take <= pile <= kMaxPile, and max_take is
  // at most kMaxActions.
  explicit CoinState(int pile = 21, int max_take = 2);

  int coins() const { return coins_; }

  std::unique_ptr<State> clone() const override { return std::make_unique<CoinState>(*this); }
  void assign(const State& other) override { *this = static_cast<const CoinState&>(other); }
  int num_actions() const override { return max_take_; }
  Player current_player() const override { return to_move_; }
  bool is_terminal() const override { return coins_ == 0; }
  float black_value() const override;
  void legal_actions(ActionList& out) const override;
  bool is_legal(Action a) const override { return index(a) < max_take_ && index(a) < coins_; }
  void apply_unchecked(Action a) override;
  float playout(Rng& rng, FirstPlays* plays) override;
  // [1, pile, 1]: 1 where a coin lies.
  PlaneShape plane_shape() const override { return {1, pile_, 1}; }
  void write_planes(float* out) const override;
  std::uint64_t hash() const override;
  bool is_history_free() const override { return true; }
  std::string to_string() const override;

 private:
  std::int16_t pile_;  // at the start
  std::int16_t coins_;
  std::int16_t max_take_;
  Player to_move_ = Player::kBlack;
};

}  // namespace gtpbot
