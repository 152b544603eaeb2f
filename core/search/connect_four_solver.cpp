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
// In a position with fewer, its mirror image is not looked at again.
constexpr int kMaxMirrorDiscs = 14;
// Moves within which a win or a loss is looked for before any other.
constexpr std::array<int, 2> kNear = {4, 7};
constexpr std::uint64_t kNodesBetweenPolls = 4096;

constexpr std::array<std::size_t, kColumns> kCentreFirst = {3, 2, 4, 1, 5, 0, 6};

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

Cells threats(Cells discs, Cells occupied) { return line_makers(discs) & (kBoard ^ occupied); }

// Moves after which the opponent cannot win at once; none if he will whatever is played.
Cells safe_moves(Cells theirs, Cells occupied) {
  const Cells feared = threats(theirs, occupied);
  Cells moves = landings(occupied);
  if (const Cells forced = moves & feared) moves = forced & (forced - 1) ? 0 : forced;
  return moves & ~(feared >> 1);
}

// The score if the player to move wins with the disc he plays after `more` discs of both.
int win_score(int discs, int more = 0) { return (kCells + 1 - discs - more) / 2; }

int rounded(int score, Precision precision) {
  return precision == Precision::kScore ? score : (score > 0) - (score < 0);
}

std::uint64_t mirrored(std::uint64_t key) {
  std::uint64_t image = 0;
  for (int column = 0; column < kColumns; ++column) {
    image = image << kStride | (key >> column * kStride & ((1 << kStride) - 1));
  }
  return image;
}

void narrow(ScoreBounds& bounds, int bound, bool reached) {
  if (reached) {
    bounds.lower = std::max(bounds.lower, bound);
  } else {
    bounds.upper = std::min(bounds.upper, bound - 1);
  }
}

// What to ask of a score between these: bounds far from 0 are the quicker to tell.
int next_bound(ScoreBounds bounds, Precision precision) {
  if (precision == Precision::kOutcome) return bounds.upper > 0 ? 1 : 0;
  int middle = bounds.lower + (bounds.upper - bounds.lower) / 2;
  if (middle <= 0) middle = std::min(middle, bounds.lower / 2);
  if (middle >= 0) middle = std::max(middle, bounds.upper / 2);
  return middle + 1;
}

}  // namespace

std::uint64_t ConnectFourSolver::Position::book_key() const {
  return std::min(key(), mirrored(key()));
}

std::uint64_t ConnectFourSolver::book_key(const ConnectFourState& state) {
  return position_of(state).book_key();
}

int ConnectFourSolver::book_column(const ConnectFourState& state, int column) {
  const Position position = position_of(state);
  return position.key() == position.book_key() ? column : kColumns - 1 - column;
}

std::uint64_t ConnectFourSolver::hash_of(const Position& position) {
  return ScoreTable::hash(position.discs < kMaxMirrorDiscs ? position.book_key() : position.key());
}

// False if the opponent of the first player, who is to move, can keep him from winning by this: he
// answers a disc in an odd row with one on top of it (Allis's claimeven), and one in an even row,
// whose column then holds an even number of discs, by one in another such column. The first player
// gets no more than odd rows and, if there are but two such columns, one of their landings.
//
// The answers never run out. A column has an even number of rows, so there is room on top of an odd
// one. The discs on the board are even in number, so the columns that hold an odd number of them
// are, too, and where one of those is filled up another is left; after each answer all this holds
// again.
bool ConnectFourSolver::may_win_against_answers(const Position& position) {
  const Cells landing = landings(position.occupied);
  const Cells even_landings = landing & kEvenRows;
  const Cells own = position.mine | ((kBoard ^ position.occupied) & kOddRows);
  if (std::popcount(even_landings) > 2) return has_line(own | even_landings);
  const Cells one = even_landings & -even_landings;
  return has_line(own | one) || has_line(own | (even_landings ^ one));
}

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

bool ConnectFourSolver::serves(const ConnectFourState& state) {
  return state.columns() == kColumns && state.rows() == kRows && state.length() == 4;
}

ConnectFourSolver::Position ConnectFourSolver::position_of(const ConnectFourState& state) {
  if (!serves(state)) {
    throw std::invalid_argument("Connect Four on " + std::to_string(state.columns()) + "x" +
                                std::to_string(state.rows()) + " with lines of " +
                                std::to_string(state.length()) + ": expected 7x6 and 4");
  }
  const Cells occupied = state.discs_to_move() | state.discs_waiting();
  return {state.discs_to_move(), occupied, std::popcount(occupied)};
}

std::optional<int> ConnectFourSolver::solve(const ConnectFourState& state, Precision precision,
                                            double seconds, std::uint64_t nodes) {
  if (state.is_terminal()) throw GameOver("the game is over: nothing is left to solve");
  begin(seconds, nodes);
  try {
    return score(position_of(state), precision);
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

ConnectFourSolver::MoveScores ConnectFourSolver::solve_moves(const ConnectFourState& state,
                                                             Precision precision, double seconds) {
  if (state.is_terminal()) throw GameOver("the game is over: nothing is left to solve");
  begin(seconds);
  MoveScores scores;
  try {
    score_moves(position_of(state), precision, scores);
  } catch (const Stopped&) {
  }
  return scores;
}

std::vector<ConnectFourSolver::MoveScores> ConnectFourSolver::solve_moves(
    std::span<const ConnectFourState* const> states, Precision precision, double seconds) {
  begin(seconds);
  std::vector<MoveScores> all;
  try {
    for (const ConnectFourState* state : states) {
      MoveScores scores;
      if (!state->is_terminal()) score_moves(position_of(*state), precision, scores);
      all.push_back(scores);
    }
  } catch (const Stopped&) {
  }
  return all;
}

std::optional<int> ConnectFourSolver::book_answer(const ConnectFourState& state) const {
  const int answer = book_.find(book_key(state)).answer;
  if (answer == ConnectFourBook::kNoAnswer) return std::nullopt;
  return book_column(state, answer);
}

void ConnectFourSolver::begin(double seconds, std::uint64_t nodes) {
  stop_.store(false, std::memory_order_relaxed);
  start_ = std::chrono::steady_clock::now();
  seconds_ = seconds;
  last_ = nodes < kAllNodes - nodes_ ? nodes_ + nodes : kAllNodes;
  next_poll_ = std::min(nodes_ + kNodesBetweenPolls, last_);
}

void ConnectFourSolver::poll() {
  if (nodes_ >= last_) throw Stopped();
  next_poll_ = std::min(nodes_ + kNodesBetweenPolls, last_);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  if (stop_.load(std::memory_order_relaxed) || spent.count() >= seconds_) throw Stopped();
}

void ConnectFourSolver::score_moves(const Position& position, Precision precision,
                                    MoveScores& scores) {
  for (const std::size_t column : kCentreFirst) {
    const Cells move = landings(position.occupied) & kColumn << column * kStride;
    if (!move) continue;
    if (has_line(position.mine | move)) {
      scores[column] = rounded(win_score(position.discs), precision);
    } else {
      scores[column] = -score(position.after(move), precision);
    }
  }
}

ScoreBounds ConnectFourSolver::bounds_in_book(const Position& position) const {
  if (position.discs > book_.most_discs()) return {};
  return book_.find(position.book_key()).bounds;
}

int ConnectFourSolver::score(const Position& position, Precision precision) {
  if (position.discs == kCells) return 0;
  if (position.wins_at_once()) return rounded(win_score(position.discs), precision);
  const std::uint64_t hash = hash_of(position);
  ScoreBounds bounds = bounds_in_book(position);
  bounds.lower = std::max(bounds.lower, -win_score(position.discs, 1));
  bounds.upper = std::min(bounds.upper, win_score(position.discs, 2));
  const auto open = [&] {
    return rounded(bounds.lower, precision) < rounded(bounds.upper, precision);
  };
  const auto ask = [&](int bound) { narrow(bounds, bound, reaches(position, bound, hash)); };
  // Wins and losses that are near are the quickest to find.
  for (const int moves : kNear) {
    if (!open()) break;
    const int near_win = win_score(position.discs, 2 * moves);
    const int near_loss = -win_score(position.discs, 2 * moves - 1);
    if (near_win > 1 && near_win <= bounds.upper) ask(near_win);
    if (near_loss < -1 && near_loss >= bounds.lower) ask(near_loss + 1);
  }
  while (open()) ask(next_bound(bounds, precision));
  return rounded(bounds.lower, precision);
}

bool ConnectFourSolver::reaches(const Position& position, int bound, std::uint64_t hash) {
  if (++nodes_ >= next_poll_) poll();
  const Cells moves = safe_moves(position.theirs(), position.occupied);
  if (const auto answer = plain_answer(position, moves, bound)) return *answer;
  const ScoreBounds known = bounds_in_book(position);
  if (known.lower >= bound) return true;
  if (known.upper < bound) return false;
  const std::uint64_t before = nodes_;
  Choices choices = ordered(position, moves);
  const bool remembers = position.discs < kMaxTableDiscs;
  bool found = remembers && is_known_to_reach(choices, bound);
  for (int i = choices.count; !found && i-- > 0;) {
    const Choice& choice = choices.list[static_cast<std::size_t>(i)];
    found = !reaches(position.after(choice.move), 1 - bound, choice.hash);
  }
  if (position.discs <= kMaxTableDiscs) remember(hash, bound, found, nodes_ - before);
  return found;
}

std::optional<bool> ConnectFourSolver::plain_answer(const Position& position, Cells moves,
                                                    int bound) {
  if (!moves) return bound <= -win_score(position.discs, 1);
  if (position.discs >= kCells - 2) return bound <= 0;
  if (bound <= -win_score(position.discs, 3)) return true;
  if (bound > win_score(position.discs, 2)) return false;
  const Cells free = kBoard ^ position.occupied;
  if (bound <= 0 && !has_line(position.theirs() | free)) return true;
  if (bound > 0 && !has_line(position.mine | free)) return false;
  if (bound >= 0 && position.discs % 2 == 0 && !may_win_against_answers(position)) {
    // The opponent surely gets all even rows but the landings, so that a line there wins.
    const Cells answers = free & kEvenRows & ~landings(position.occupied);
    if (bound > 0 || has_line(position.theirs() | answers)) return false;
  }
  return std::nullopt;
}

ConnectFourSolver::Choices ConnectFourSolver::ordered(const Position& position, Cells moves) const {
  Choices choices;
  for (int i = kColumns; i-- > 0;) {
    const Cells move = moves & kColumn << kCentreFirst[static_cast<std::size_t>(i)] * kStride;
    if (!move) continue;
    const std::uint64_t hash = hash_of(position.after(move));
    if (position.discs < kMaxTableDiscs) table_.prefetch(hash);
    const Cells threatened = threats(position.mine | move, position.occupied | move);
    // A threat right above the disc will be answered at once.
    const int merit = 2 * std::popcount(threatened) - (threatened & move << 1 ? 1 : 0);
    choices.insert({move, merit, hash});
  }
  return choices;
}

bool ConnectFourSolver::is_known_to_reach(Choices& choices, int bound) const {
  int kept = 0;
  bool found = false;
  for (int i = 0; i < choices.count; ++i) {
    const Choice choice = choices.list[static_cast<std::size_t>(i)];
    const ScoreBounds after = table_.find(choice.hash);
    found |= after.upper <= -bound;
    if (after.lower < 1 - bound) choices.list[static_cast<std::size_t>(kept++)] = choice;
  }
  choices.count = kept;
  return found;
}

void ConnectFourSolver::remember(std::uint64_t hash, int bound, bool reached, std::uint64_t cost) {
  ScoreBounds bounds = table_.find(hash);
  narrow(bounds, bound, reached);
  table_.store(hash, bounds, cost);
}

}  // namespace gtpbot
