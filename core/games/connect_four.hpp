// Connect Four: discs fall to the lowest free cell of a column; four in a row wins. Other sizes and
// lengths are options. Action c drops a disc into column c.
//
// A board is one word. Columns lie side by side, each from the bottom up with a spare bit on top,
// so that shifting by one never runs from a column into the next:
//
//     6 13 20 ...    the spare bits of 7x6
//     5 12 19
//     . .  .
//     0  7 14
#pragma once

#include "games/outcome.hpp"

namespace gtpbot {

class ConnectFourState final : public State {
 public:
  static constexpr int kPlanes = 7;

  // Throws std::invalid_argument unless columns and rows are positive, columns * (rows + 1) <= 64,
  // and 2 <= length <= max(columns, rows).
  explicit ConnectFourState(int columns = 7, int rows = 6, int length = 4);

  int columns() const { return columns_; }
  int rows() const { return stride_ - 1; }
  int length() const { return length_; }
  // How many discs lie in a column.
  int height(int column) const;
  // Who has the cell row * columns + column: 0 Black, 1 White, -1 nobody.
  int stone_at(int point) const;
  // One bit a cell, laid out as above: the discs of the player to move, and those of the other.
  std::uint64_t discs_to_move() const { return mine_; }
  std::uint64_t discs_waiting() const { return theirs_; }

  std::unique_ptr<State> clone() const override {
    return std::make_unique<ConnectFourState>(*this);
  }
  void assign(const State& other) override { *this = static_cast<const ConnectFourState&>(other); }
  int num_actions() const override { return columns_; }
  Player current_player() const override { return to_move_; }
  bool is_terminal() const override { return outcome_ != Outcome::kOpen; }
  float black_value() const override { return black_value_of(outcome_); }
  void legal_actions(ActionList& out) const override;
  void decisive_candidates(ActionList& out) const override;
  bool is_legal(Action a) const override;
  void apply_unchecked(Action a) override;
  float playout(Rng& rng, FirstPlays* plays) override;
  // No player fills the cell below one that completes a line of his own, either, if he can help it:
  // who must fill which in the end is what the game is about (see plane_shape).
  float decisive_playout(Rng& rng, FirstPlays* plays) override;
  float black_heuristic() const override;
  // [rows, columns, 7]: the discs of the player to move, those of the other, where a disc may land,
  // the free cells that complete a line of the one and of the other, the odd rows (counted from 1
  // below), and all ones if Black is to move. Threats and the parity of their rows decide the game
  // (Allis, A knowledge-based approach of Connect-Four, 1988), so a net need not find them itself.
  PlaneShape plane_shape() const override { return {rows(), columns_, kPlanes}; }
  void write_planes(float* out) const override;
  std::uint64_t hash() const override;
  bool has_mirror_symmetry() const override { return true; }
  bool is_history_free() const override { return true; }
  std::string to_string() const override;

 private:
  using Cells = std::uint64_t;  // one bit a cell

  Cells bit(int column, int row) const { return Cells{1} << (column * stride_ + row); }
  Cells board() const { return (bottom_ << rows()) - bottom_; }
  Cells column_mask() const { return (Cells{1} << rows()) - 1; }
  // Where a disc may come to lie: one cell in every column that has room.
  Cells landings() const { return ((mine_ | theirs_) + bottom_) & board(); }
  bool is_usual() const;
  bool wins(Cells discs) const;
  Cells wanted(Cells discs) const;
  void push_columns(Cells cells, ActionList& out) const;
  template <class Shape>
  Outcome finish(Shape shape, Rng& rng, FirstPlays* plays) const;
  template <class Shape>
  Outcome finish_decisively(Shape shape, Rng& rng, FirstPlays* plays) const;

  Cells mine_ = 0;    // the discs of the player to move
  Cells theirs_ = 0;  // the discs of the other
  Cells bottom_ = 0;  // the lowest cell of every column
  std::uint8_t columns_;
  std::uint8_t stride_;  // bits a column: rows + 1
  std::uint8_t length_;
  Player to_move_ = Player::kBlack;
  Outcome outcome_ = Outcome::kOpen;
};

}  // namespace gtpbot
