#include "games/tictactoe.hpp"

#include <array>
#include <bit>
#include <utility>

#include "draws.hpp"

namespace gtpbot {
namespace {

constexpr int kSets = 1 << TicTacToeState::kCells;

constexpr bool holds_line(unsigned cells) {
  for (unsigned line : {0007u, 0070u, 0700u, 0111u, 0222u, 0444u, 0421u, 0124u}) {
    if ((cells & line) == line) return true;
  }
  return false;
}

// By the set of a player's cells: does it hold a line?
constexpr std::array<bool, kSets> kHasLine = [] {
  std::array<bool, kSets> table{};
  for (unsigned cells = 0; cells < kSets; ++cells) table[cells] = holds_line(cells);
  return table;
}();

// By a set of cells and a number: that member of the set, counted from the lowest, as a set.
using Members = std::array<std::uint16_t, TicTacToeState::kCells>;
constexpr std::array<Members, kSets> kMember = [] {
  std::array<Members, kSets> table{};
  for (unsigned cells = 0; cells < kSets; ++cells) {
    std::size_t count = 0;
    for (unsigned left = cells; left; left &= left - 1) {
      table[cells][count++] = static_cast<std::uint16_t>(left & -left);
    }
  }
  return table;
}();

}  // namespace

int TicTacToeState::stone_at(int point) const {
  if (stones_[0] >> point & 1) return index(Player::kBlack);
  return stones_[1] >> point & 1 ? index(Player::kWhite) : -1;
}

void TicTacToeState::legal_actions(ActionList& out) const {
  out.clear();
  if (is_terminal()) return;
  for (Cells left = empty(); left; left &= left - 1) out.push(action_at(std::countr_zero(left)));
}

bool TicTacToeState::is_legal(Action a) const {
  return !is_terminal() && index(a) < kCells && (empty() >> index(a) & 1);
}

void TicTacToeState::apply_unchecked(Action a) {
  const Cells mine = stones_[index(to_move_)] | 1u << index(a);
  stones_[index(to_move_)] = static_cast<std::uint16_t>(mine);
  if (kHasLine[mine]) {
    outcome_ = win_of(to_move_);
  } else if (!empty()) {
    outcome_ = Outcome::kDrawn;
  }
  to_move_ = opponent(to_move_);
}

float TicTacToeState::playout(Rng& rng, FirstPlays* plays) {
  if (is_terminal()) return black_value();
  Draws draws(rng);
  Player player = to_move_;
  Cells mine = stones_[index(player)];
  Cells theirs = stones_[index(opponent(player))];
  Cells free = empty();
  for (auto count = static_cast<std::uint32_t>(std::popcount(free)); count > 0; --count) {
    const Cells cell = kMember[free][draws.below(count)];
    if (plays) plays->record(action_at(std::countr_zero(cell)), player);
    free ^= cell;
    mine |= cell;
    if (kHasLine[mine]) return black_value_of(win_of(player));
    std::swap(mine, theirs);
    player = opponent(player);
  }
  return 0.0f;
}

void TicTacToeState::write_planes(float* out) const {
  const std::array<Cells, 2> planes = {stones_[index(to_move_)],
                                       stones_[index(opponent(to_move_))]};
  for (int cell = 0; cell < kCells; ++cell) {
    for (const Cells plane : planes) *out++ = static_cast<float>(plane >> cell & 1);
  }
}

std::uint64_t TicTacToeState::hash() const {
  return stones_[0] | static_cast<std::uint64_t>(stones_[1]) << kCells |
         static_cast<std::uint64_t>(to_move_) << 2 * kCells;
}

std::string TicTacToeState::to_string() const {
  std::string text;
  for (int row = kSize - 1; row >= 0; --row) {
    for (int column = 0; column < kSize; ++column) {
      text += "XO."[(stone_at(row * kSize + column) + 3) % 3];
    }
    text += row ? "/" : " ";
  }
  return text + (to_move_ == Player::kBlack ? "Black" : "White") + " to move";
}

}  // namespace gtpbot
