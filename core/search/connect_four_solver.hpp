// Connect Four on 7x6, solved: alpha-beta on bitboards, as null windows. The one question asked of
// a position is whether its score reaches a bound, and bisection finds the score itself (Pons,
// "Solving Connect 4: how to build a perfect AI", 2015-2019).
//
//   score(s) = 22 - the discs that the winner will have played   if the player to move wins
//            = 0                                                  if drawn
//            = -(22 - the discs of the winner)                    if he loses
//
// so a quicker win is worth more, and the outcome is the score's sign. Start reading at
// ConnectFourSolver::reaches in connect_four_solver.cpp.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "games/connect_four.hpp"
#include "search/connect_four_book.hpp"
#include "search/score_table.hpp"

namespace gtpbot {

// What of a position is to be found out; the outcome takes a fraction of the time.
enum class Precision { kOutcome, kScore };

class ConnectFourSolver {
 public:
  static constexpr int kColumns = 7;
  static constexpr int kRows = 6;
  static constexpr double kForever = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t kAllNodes = std::numeric_limits<std::uint64_t>::max();

  // By action; nothing for a move that is illegal, or was not solved in time.
  using MoveScores = std::array<std::optional<int>, kColumns>;

  explicit ConnectFourSolver(std::size_t max_bytes = std::size_t{64} << 20,
                             ConnectFourBook book = {})
      : table_(max_bytes), book_(std::move(book)) {}

  // True for boards of the usual size and length, which are those that it solves.
  static bool serves(const ConnectFourState& state);
  // For the player to move: the score, or its sign for kOutcome. Nothing if `seconds`, that many
  // positions visited, or stop() came first. Throws GameOver, and std::invalid_argument for another
  // size or length.
  std::optional<int> solve(const ConnectFourState& state, Precision precision,
                           double seconds = kForever, std::uint64_t nodes = kAllNodes);
  // The same of the position after each legal move, for the player who makes it.
  MoveScores solve_moves(const ConnectFourState& state, Precision precision,
                         double seconds = kForever);
  // Of many positions, up to the one at which `seconds` or stop() came. A finished game has no
  // moves.
  std::vector<MoveScores> solve_moves(std::span<const ConnectFourState* const> states,
                                      Precision precision, double seconds = kForever);

  // The column that the book plays in an open game; nothing if it has no answer.
  std::optional<int> book_answer(const ConnectFourState& state) const;
  // The key under which a book has a position and its mirror image.
  static std::uint64_t book_key(const ConnectFourState& state);
  // A column of `state` in the image that has this key, and the other way round.
  static int book_column(const ConnectFourState& state, int column);

  // Makes a call in progress end within a millisecond; any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  // Positions visited since the beginning.
  std::uint64_t nodes() const { return nodes_; }

 private:
  using Cells = std::uint64_t;  // laid out as in ConnectFourState

  // A position, as the player to move sees it.
  struct Position {
    Cells mine;
    Cells occupied;
    int discs;

    Cells theirs() const { return mine ^ occupied; }
    Position after(Cells move) const { return {theirs(), occupied | move, discs + 1}; }
    bool wins_at_once() const;
    // Below 2^49, and different for each position.
    std::uint64_t key() const { return mine + occupied; }
    // The lower of its key and that of its mirror image.
    std::uint64_t book_key() const;
  };
  // Moves to look at, the most promising last.
  struct Choice {
    Cells move;
    int merit;
    std::uint64_t hash;  // of the position after it
  };
  struct Choices {
    std::array<Choice, kColumns> list;
    int count = 0;

    void insert(const Choice& choice);
  };
  struct Stopped {};

  static Position position_of(const ConnectFourState& state);
  static std::uint64_t hash_of(const Position& position);
  void begin(double seconds, std::uint64_t nodes = kAllNodes);
  void poll();
  ScoreBounds bounds_in_book(const Position& position) const;
  int score(const Position& position, Precision precision);
  void score_moves(const Position& position, Precision precision, MoveScores& scores);
  // True if the score of `position`, which cannot be won at once, is `bound` or more. `hash` is
  // its place in the table. Throws Stopped.
  bool reaches(const Position& position, int bound, std::uint64_t hash);
  // The answer of reaches, if that is plain without a look at the moves.
  static std::optional<bool> plain_answer(const Position& position, Cells moves, int bound);
  static bool may_win_against_answers(const Position& position);
  Choices ordered(const Position& position, Cells moves) const;
  // True if the table knows a move that reaches the bound; takes out those known to fail.
  bool is_known_to_reach(Choices& choices, int bound) const;
  void remember(std::uint64_t hash, int bound, bool reached, std::uint64_t cost);

  ScoreTable table_;
  ConnectFourBook book_;
  std::atomic<bool> stop_{false};
  std::chrono::steady_clock::time_point start_;
  double seconds_ = kForever;
  std::uint64_t nodes_ = 0;
  std::uint64_t last_ = kAllNodes;  // the nodes_ at which to give up
  std::uint64_t next_poll_ = 0;     // the nodes_ at which to look whether to give up
};

}  // namespace gtpbot
