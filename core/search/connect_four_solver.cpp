#include "search/connect_four_solver.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace gtpbot {
namespace {

using Cells = std::uint64_t;

constexpr int kColumns = ConnectFourSolver::kColumns;
constexpr int kRows = ConnectFourSolver::kRows;
constexpr int kStride = kRows + 1;
constexpr int kCells = kColumns * kRows;

constexpr Cells kBottom = [] {
  Cells cells = 0;
  for (int column = 0; column < kColumns; ++column) cells |= Cells{1} << column * kStride;
  return cells;
}();
constexpr Cells kColumn = (Cells{1} << kRows) - 1;
constexpr Cells kBoard = kBottom * kColumn;
// Rows 1, 3 and 5, which fall to who moves first in a column; and the others.
constexpr Cells kOddRows = kBottom | kBottom << 2 | kBottom << 4;
constexpr Cells kEvenRows = kOddRows << 1;

// A position with more discs is looked at again sooner than its place in memory is fetched.
constexpr int kMaxTableDiscs = 32;
constexpr std::uint64_t kPollEvery = 4096;  // positions

constexpr std::array<int, kColumns> kCentreFirst = {3, 2, 4, 1, 5, 0, 6};

Cells landings(Cells occupied) { return (occupied + kBottom) & kBoard; }

bool has_line(Cells discs) {
  for (const int step : {1, kStride - 1, kStride, kStride + 1}) {
    const Cells pairs = discs & discs >> step;
    if (pairs & pairs >> 2 * step) return true;
  }
  return false;
}

// Cells, not only free ones, that make a line of four with three of `discs`.
Cells line_makers(Cells discs) {
  Cells found = discs << 1 & discs << 2 & discs << 3;
  for (const int step : {kStride - 1, kStride, kStride + 1}) {
    const Cells above = discs >> step & discs >> 2 * step;
    const Cells below = discs << step & discs << 2 * step;
    found |= below & (discs << 3 * step | discs >> step);
    found |= above & (discs >> 3 * step | discs << step);
  }
  return found;
}

Cells threats(Cells discs, Cells occupied) {
  return line_makers(discs) & (kBoard ^ occupied);
}

// Moves after which the opponent cannot win at once; none if he will whatever is played.
Cells safe_moves(Cells theirs, Cells occupied) {
  const Cells feared = threats(theirs, occupied);
  Cells moves = landings(occupied);
  if (const Cells forced = moves & feared) moves = forced & (forced - 1) ? 0 : forced;
  return moves & ~(feared >> 1);
}

// The score if the player to move wins with the disc he plays after `more` discs of both.
int win_score(int discs, int more = 0) { return (kCells + 1 - discs - more) / 2; }

int sign(int score) { return (score > 0) - (score < 0); }

Cells mirrored(Cells cells) {
  Cells image = 0;
  for (int column = 0; column < kColumns; ++column) {
    image = image << kStride | (cells >> column * kStride & (kColumn | kColumn + 1));
  }
  return image;
}

}  // namespace

// --- The table ---

namespace {

constexpr int kKeyBits = kColumns * kStride;

int log2_places(std::size_t max_bytes, std::size_t place_bytes) {
  if (max_bytes < ScoreTable::kMinBytes) {
    throw std::invalid_argument("a table of " + std::to_string(max_bytes) + " bytes: expected " +
                                std::to_string(ScoreTable::kMinBytes) + " or more");
  }
  return std::min(static_cast<int>(std::bit_width(max_bytes / place_bytes)) - 1, kKeyBits - 1);
}

}  // namespace

ScoreTable::ScoreTable(std::size_t max_bytes)
    : tag_bits_(kKeyBits - log2_places(max_bytes, kWays * sizeof(Entry))),
      // Memory that calloc gives is not touched before it is used.
      entries_(static_cast<Entry*>(
          std::calloc(std::size_t{1} << (kKeyBits - tag_bits_), kWays * sizeof(Entry)))) {
  static_assert(kKeyBits - 15 + kTagShift <= 65, "the tags of the smallest table fit");
  if (!entries_) throw std::bad_alloc();
}

std::uint64_t ScoreTable::hash(std::uint64_t key) {
  // Steps that can be undone, so that place and tag together are the whole key.
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kKeyBits) - 1;
  key ^= key >> 25;
  key = key * 0x9e3779b97f4a7c15 & kMask;
  return key ^ key >> 24;
}

ScoreBounds ScoreTable::find(std::uint64_t hash) const {
  const Entry* entries = place(hash);
  for (int i = 0; i < kWays; ++i) {
    if (entries[i] >> kTagShift == tag(hash)) return ScoreBounds::unpack(entries[i]);
  }
  return {};
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

// --- The search ---

bool ConnectFourSolver::Position::wins_at_once() const {
  return landings(occupied) & line_makers(mine);
}

void ConnectFourSolver::Choices::insert(const Choice& choice) {
  int i = count++;
  for (; i > 0 && list[static_cast<std::size_t>(i - 1)].merit > choice.merit; --i) {
    list[static_cast<std::size_t>(i)] = list[static_cast<std::size_t>(i - 1)];
  }
  list[static_cast<std::size_t>(i)] = choice;
}
