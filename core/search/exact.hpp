// Exact search: minimax to a depth, and alpha-beta with a transposition table, which finds the
// same moves sooner (Knuth and Moore, 1975). Where the rest of a game depends on its history, as in
// Go, the table only orders moves.
//
//   value(s) = result of s              if the game ended there
//            = heuristic of s, or 0     at the horizon
//            = max over moves of -value(s after the move)
//
// Both look one move ahead, then two, and so on: when time runs out the last full look counts,
// and alpha-beta tries first what was best before. Start reading at ExactSearch::run in exact.cpp.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/transpositions.hpp"
#include "state.hpp"

namespace gtpbot {

// A value for the player to move. A win after n more moves is kWin - n, so a quicker win is worth
// more; a loss is its negative. In between lie heuristics and draws, 0.
using Score = int;

enum class ExactMethod { kMinimax, kAlphaBeta };

struct ExactLimits {
  static constexpr int kMaxDepth = 1000;

  int depth = kMaxDepth;  // moves ahead, 1 to kMaxDepth
  std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

// What a run found: the deepest look that was completed.
struct ExactReport {
  std::vector<Action> best;    // the moves of the greatest value, all of them, in ascending order
  float value_to_move = 0.0f;  // from -1 to 1
  bool proven = false;         // looking deeper cannot change it
  int depth = 0;               // moves looked ahead; 0 if stopped before the first look was done
  std::uint64_t nodes = 0;     // positions visited
};

class ExactSearch {
 public:
  // Without `heuristic`, positions at the horizon count as drawn.
  explicit ExactSearch(ExactMethod method, bool heuristic = true)
      : method_(method), heuristic_(heuristic) {}

  // Weighs `actions`, which are legal in `root` and not none. Ends at a limit, at a proof, or by
  // stop(). One call at a time. Throws std::invalid_argument for no actions or a depth out of
  // range, and what a state threw.
  ExactReport run(const State& root, std::span<const Action> actions, const ExactLimits& limits);
  // Makes a run in progress end within a thousand positions; any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }

 private:
  struct Value {
    Score score = 0;
    bool proven = false;
    Value operator-() const { return {-score, proven}; }
  };
  // A score matters only between these: above `beta` the opponent would not let it come to this,
  // and below `alpha` neither would the player to move.
  struct Window {
    Score alpha;
    Score beta;
    Window operator-() const { return {-beta, -alpha}; }
  };
  // A position of the line being looked at, written over again and again.
  struct Ply {
    std::unique_ptr<State> state;
    ActionList actions;
  };

  void begin(const State& root, const ExactLimits& limits);
  // All moves of `depth`; counts only if not stopped.
  ExactReport look(std::span<const Action> actions, int depth);
  Value minimax(int ply, int depth);
  Value alpha_beta(int ply, int depth, Window window);
  // The value of a move at `ply`, for the player who makes it.
  Value child(int ply, Action a, int depth, Window window);
  // The value of a position without looking at its moves, if there are none or `depth` is 0.
  std::optional<Value> leaf_value(int ply, int depth) const;
  // The value that the table has of a position, if that is good enough and the way there does not
  // matter.
  std::optional<Value> known_value(int ply, int depth, Window window) const;
  void remember(int ply, int depth, Window window, Value value, Action best);
  // Puts first what the table has as best, then what caused most cutoffs.
  void order(ActionList& actions, int ply) const;
  bool out_of_time();
  Ply& at(int ply) { return line_[static_cast<std::size_t>(ply)]; }
  const State& state_at(int ply) const { return *line_[static_cast<std::size_t>(ply)].state; }

  ExactMethod method_;
  bool heuristic_;
  std::atomic<bool> stop_{false};

  // Of the run in progress.
  ExactLimits limits_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
  bool history_free_ = false;  // State::is_history_free()
  std::vector<Ply> line_;      // by moves from the root
  std::unique_ptr<TranspositionTable> table_;
  std::array<std::array<std::uint64_t, kMaxActions>, 2> cutoffs_;  // by player and action
};

}  // namespace gtpbot
