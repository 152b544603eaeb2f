// Tic Tac Toe: three in a row on 3x3 wins. Action row * 3 + column plays that cell; A1 is 0.
#pragma once

#include "games/outcome.hpp"

namespace gtpbot {

class TicTacToeState final : public State {
 public:
  static constexpr int kSize = 3;
  static constexpr int kCells = kSize * kSize;

  // Who has the cell row * 3 + column: 0 Black, 1 White, -1 nobody.
  int stone_at(int point) const;

  std::unique_ptr<State> clone() const override { return std::make_unique<TicTacToeState>(*this); }
  void assign(const State& other) override { *this = static_cast<const TicTacToeState&>(other); }
  int num_actions() const override { return kCells; }
  Player current_player() const override { return to_move_; }
  bool is_terminal() const override { return outcome_ != Outcome::kOpen; }
  float black_value() const override { return black_value_of(outcome_); }
  void legal_actions(ActionList& out) const override;
  bool is_legal(Action a) const override;
  void apply_unchecked(Action a) override;
  float playout(Rng& rng, FirstPlays* plays) override;
  // [3, 3, 2]: the cells of the player to move, those of the other.
  PlaneShape plane_shape() const override { return {kSize, kSize, 2}; }
  void write_planes(float* out) const override;
  std::uint64_t hash() const override;
  bool is_history_free() const override { return true; }
  std::string to_string() const override;

 private:
  using Cells = std::uint32_t;  // one bit a cell
  static constexpr Cells kBoard = (1u << kCells) - 1;

  Cells empty() const { return kBoard ^ stones_[0] ^ stones_[1]; }

  std::uint16_t stones_[2] = {0, 0};
  Player to_move_ = Player::kBlack;
  Outcome outcome_ = Outcome::kOpen;
};

}  // namespace gtpbot
