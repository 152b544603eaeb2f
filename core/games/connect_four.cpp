#include "games/connect_four.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "draws.hpp"

namespace gtpbot {
namespace {

using Cells = std::uint64_t;

// How far apart columns lie, and how long a line is. The usual game is a type of its own, so that
// the compiler knows the numbers: a playout is twice as fast for it.
struct Usual {
  static constexpr int stride = 7;
  static constexpr int length = 4;
};
struct Chosen {
  int stride;
  int length;
};

// The steps from a cell to its neighbour in a line: up, down right, right, up right.
template <class Shape>
constexpr std::array<int, 4> directions(Shape shape) {
  return {1, shape.stride - 1, shape.stride, shape.stride + 1};
}

// The cells of `cells` that `length` - 1 more of them follow in steps of `step`. Doubles the reach
// while it can.
constexpr Cells line_starts(Cells cells, int step, int length) {
  if ((length - 1) * step >= 64) return 0;
  int reach = 1;
  for (; 2 * reach <= length; reach *= 2) cells &= cells >> reach * step;
  return reach < length ? cells & cells >> (length - reach) * step : cells;
}

template <class Shape>
constexpr bool has_line(Shape shape, Cells discs) {
  Cells found = 0;
  for (int step : directions(shape)) found |= line_starts(discs, step, shape.length);
  return found != 0;
}

// The cells of `open` to play in, given those of the board that complete a line of the player to
// move and of the other: they win at once, or else keep the other from it, who may also land on top
// of the disc just played. If he wins anyhow, some that do not.
constexpr Cells decisive(Cells open, Cells mine_wanted, Cells theirs_wanted) {
  if (const Cells winning = open & mine_wanted) return winning;
  if (const Cells feared = open & theirs_wanted) open = feared;
  const Cells safe = open & ~(theirs_wanted >> 1);
  return safe ? safe : open;
}

// The cells of `open` but for those below one of `mine_wanted`, which the other would fill next;
// all if there are no others.
constexpr Cells saving(Cells open, Cells mine_wanted) {
  const Cells saved = open & ~(mine_wanted >> 1);
  return saved ? saved : open;
}

// What a player may still hope for.
struct Prospects {
  int line_discs = 0;  // discs in lines without the opponent's, counted once a line
  Cells threats = 0;   // free cells that would complete a line
};

// How much the heuristic makes of them, and of a line that can be completed at once.
constexpr float kLineDisc = 0.03f;
constexpr float kThreat = 0.2f;
constexpr float kWinNext = 0.95f;

// The lines that start at `starts` and lack one disc only, the one after `gap` steps.
template <class Shape>
constexpr Cells lines_lacking(Shape shape, Cells discs, Cells starts, int step, int gap) {
  for (int i = 0; i < shape.length; ++i) {
    if (i != gap) starts &= discs >> i * step;
  }
  return starts;
}

// The cells, free or not, that make a line with all but one of `discs`, and some beyond the board.
template <class Shape>
constexpr Cells line_makers(Shape shape, Cells discs) {
  Cells found = 0;
  for (int step : directions(shape)) {
    if ((shape.length - 1) * step >= 64) continue;
    for (int gap = 0; gap < shape.length; ++gap) {
      found |= lines_lacking(shape, discs, ~Cells{0}, step, gap) << gap * step;
    }
  }
  return found;
}

// `within` holds the cells of the board that the opponent has not taken. No line is complete.
Prospects prospects(Chosen shape, Cells discs, Cells within) {
  Prospects sum;
  for (int step : directions(shape)) {
    const Cells starts = line_starts(within, step, shape.length);
    if (!starts) continue;
    for (int i = 0; i < shape.length; ++i) {
      sum.line_discs += std::popcount(starts & discs >> i * step);
      sum.threats |= lines_lacking(shape, discs, starts, step, i) << i * step;
    }
  }
  return sum;
}

}  // namespace

ConnectFourState::ConnectFourState(int columns, int rows, int length)
    : columns_(static_cast<std::uint8_t>(columns)),
      stride_(static_cast<std::uint8_t>(rows + 1)),
      length_(static_cast<std::uint8_t>(length)) {
  const bool fits =
      columns >= 1 && columns <= 32 && rows >= 1 && rows < 64 && columns * (rows + 1) <= 64;
  if (!fits || length < 2 || length > std::max(columns, rows)) {
    throw std::invalid_argument(
        "Connect Four with " + std::to_string(columns) + " columns, " + std::to_string(rows) +
        " rows and lines of " + std::to_string(length) +
        ": expected 1 <= columns, 1 <= rows, columns * (rows + 1) <= 64 and 2 <= length <= "
        "max(columns, rows)");
  }
  for (int column = 0; column < columns; ++column) bottom_ |= bit(column, 0);
}

int ConnectFourState::height(int column) const {
  const Cells all = bit(column, rows()) - bit(column, 0);
  return std::popcount((mine_ | theirs_) & all);
}

int ConnectFourState::stone_at(int point) const {
  const Cells cell = bit(point % columns_, point / columns_);
  if (mine_ & cell) return index(to_move_);
  return theirs_ & cell ? index(opponent(to_move_)) : -1;
}

void ConnectFourState::legal_actions(ActionList& out) const {
  out.clear();
  if (!is_terminal()) push_columns(landings(), out);
}

void ConnectFourState::decisive_candidates(ActionList& out) const {
  out.clear();
  if (!is_terminal()) push_columns(decisive(landings(), wanted(mine_), wanted(theirs_)), out);
}

// The columns of `cells`, of which no two lie in one, in ascending order.
void ConnectFourState::push_columns(Cells cells, ActionList& out) const {
  for (int column = 0, base = 0; column < columns_; ++column, base += stride_) {
    if (cells >> base & column_mask()) out.push(action_at(column));
  }
}

bool ConnectFourState::is_legal(Action a) const {
  return !is_terminal() && index(a) < columns_ &&
         (landings() >> index(a) * stride_ & column_mask());
}

void ConnectFourState::apply_unchecked(Action a) {
  const Cells occupied = mine_ | theirs_;
  const Cells cell = (occupied + bit(index(a), 0)) & ~occupied;
  mine_ |= cell;
  if (wins(mine_)) {
    outcome_ = win_of(to_move_);
  } else if ((occupied | cell) == board()) {
    outcome_ = Outcome::kDrawn;
  }
  std::swap(mine_, theirs_);
  to_move_ = opponent(to_move_);
}

bool ConnectFourState::is_usual() const {
  return stride_ == Usual::stride && length_ == Usual::length;
}

bool ConnectFourState::wins(Cells discs) const {
  return is_usual() ? has_line(Usual(), discs) : has_line(Chosen{stride_, length_}, discs);
}

// The cells of the board that complete a line of `discs`.
ConnectFourState::Cells ConnectFourState::wanted(Cells discs) const {
  return board() &
         (is_usual() ? line_makers(Usual(), discs) : line_makers(Chosen{stride_, length_}, discs));
}

float ConnectFourState::playout(Rng& rng, FirstPlays* plays) {
  if (is_terminal()) return black_value();
  return black_value_of(is_usual() ? finish(Usual(), rng, plays)
                                   : finish(Chosen{stride_, length_}, rng, plays));
}

template <class Shape>
Outcome ConnectFourState::finish(Shape shape, Rng& rng, FirstPlays* plays) const {
  Draws draws(rng);
  Player player = to_move_;
  Cells mine = mine_;
  Cells theirs = theirs_;
  const Cells top = bottom_ << (shape.stride - 2);
  std::array<Cells, Draws::kMaxBound> open;  // the lowest cells of the columns that have room
  std::uint32_t count = 0;
  for (Cells left = bottom_; left; left &= left - 1) {
    const Cells base = left & -left;
    open[count] = base;
    count += (mine | theirs) & base << (shape.stride - 2) ? 0 : 1;
  }
  while (count > 0) {
    const std::size_t choice = draws.below(count);
    const Cells occupied = mine | theirs;
    const Cells cell = (occupied + open[choice]) & ~occupied;
    if (plays) {
      plays->record(action_at(std::countr_zero(open[choice]) / shape.stride), player);
    }
    mine |= cell;
    if (has_line(shape, mine)) return win_of(player);
    if (cell & top) open[choice] = open[--count];
    std::swap(mine, theirs);
    player = opponent(player);
  }
  return Outcome::kDrawn;
}

float ConnectFourState::decisive_playout(Rng& rng, FirstPlays* plays) {
  if (is_terminal()) return black_value();
  return black_value_of(is_usual() ? finish_decisively(Usual(), rng, plays)
                                   : finish_decisively(Chosen{stride_, length_}, rng, plays));
}

template <class Shape>
Outcome ConnectFourState::finish_decisively(Shape shape, Rng& rng, FirstPlays* plays) const {
  Draws draws(rng);
  Player player = to_move_;
  const Cells cells = board();
  Cells mine = mine_;
  Cells theirs = theirs_;
  Cells mine_wanted = line_makers(shape, mine) & cells;
  Cells theirs_wanted = line_makers(shape, theirs) & cells;
  while (const Cells landings = ((mine | theirs) + bottom_) & cells) {
    Cells open = saving(decisive(landings, mine_wanted, theirs_wanted), mine_wanted);
    auto skipped = draws.below(static_cast<std::uint32_t>(std::popcount(open)));
    for (; skipped > 0; --skipped) open &= open - 1;
    const Cells cell = open & -open;
    if (plays) plays->record(action_at(std::countr_zero(cell) / shape.stride), player);
    if (cell & mine_wanted) return win_of(player);
    mine |= cell;
    mine_wanted = line_makers(shape, mine) & cells;
    std::swap(mine, theirs);
    std::swap(mine_wanted, theirs_wanted);
    player = opponent(player);
  }
  return Outcome::kDrawn;
}

float ConnectFourState::black_heuristic() const {
  const Chosen shape{stride_, length_};
  const Prospects mine = prospects(shape, mine_, board() & ~theirs_);
  const Prospects theirs = prospects(shape, theirs_, board() & ~mine_);
  // Signed for the player to move, who wins at once if he can complete a line now.
  float value = kWinNext;
  if (!(mine.threats & landings())) {
    const auto lead =
        static_cast<float>(mine.line_discs - theirs.line_discs) * kLineDisc +
        static_cast<float>(std::popcount(mine.threats) - std::popcount(theirs.threats)) * kThreat;
    value = kWinNext * lead / (1.0f + std::abs(lead));
  }
  return to_move_ == Player::kBlack ? value : -value;
}

void ConnectFourState::write_planes(float* out) const {
  const Chosen shape{stride_, length_};
  Cells odd_rows = 0;
  for (int row = 0; row < rows(); row += 2) odd_rows |= bottom_ << row;
  const std::array<Cells, kPlanes> planes = {
      mine_,
      theirs_,
      landings(),
      prospects(shape, mine_, board() & ~theirs_).threats & ~mine_,
      prospects(shape, theirs_, board() & ~mine_).threats & ~theirs_,
      odd_rows,
      to_move_ == Player::kBlack ? board() : 0};
  for (int row = 0; row < rows(); ++row) {
    for (int column = 0; column < columns_; ++column) {
      const int cell = column * stride_ + row;
      for (const Cells plane : planes) *out++ = static_cast<float>(plane >> cell & 1);
    }
  }
}

std::uint64_t ConnectFourState::hash() const {
  // In every column, the highest bit set marks the height, and the bits under it say whose the
  // discs are. How many discs there are tells who is to move.
  return ((mine_ | theirs_) + bottom_) | mine_;
}

std::string ConnectFourState::to_string() const {
  std::string text;
  for (int row = rows() - 1; row >= 0; --row) {
    for (int column = 0; column < columns_; ++column) {
      text += "XO."[(stone_at(row * columns_ + column) + 3) % 3];
    }
    text += row ? "/" : " ";
  }
  return text + (to_move_ == Player::kBlack ? "Black" : "White") + " to move";
}

}  // namespace gtpbot
