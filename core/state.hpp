// What every game is: two players who take turns, perfect information, zero sum.
//
// The search, the exact solvers and the bindings know games only through State. The words are
// OpenSpiel's. Anything that happens once a move (undo, text, SGF) lives in Python, in games/.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "rng.hpp"

namespace gtpbot {

// The first player is Black in every game, as GTP has it.
enum class Player : std::uint8_t { kBlack = 0, kWhite = 1 };

constexpr int index(Player p) { return static_cast<int>(p); }
constexpr Player opponent(Player p) { return static_cast<Player>(1 - index(p)); }

// A move, numbered by its game from 0 to num_actions() - 1.
enum class Action : std::uint16_t {};

constexpr int index(Action a) { return static_cast<int>(a); }
constexpr Action action_at(int i) { return static_cast<Action>(i); }

// The most actions that a game may have: Go on 25x25, and the pass.
constexpr int kMaxActions = 25 * 25 + 1;

// A list of actions without allocation.
class ActionList {
 public:
  void clear() { size_ = 0; }
  void push(Action a) {
    assert(size_ < kMaxActions);
    items_[static_cast<std::size_t>(size_++)] = a;
  }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Action operator[](int i) const { return items_[static_cast<std::size_t>(i)]; }
  Action* begin() { return items_.data(); }
  Action* end() { return items_.data() + size_; }
  const Action* begin() const { return items_.data(); }
  const Action* end() const { return items_.data() + size_; }

 private:
  int size_ = 0;
  std::array<Action, kMaxActions> items_;
};

// Who first played each action in a playout: what RAVE learns from (Gelly and Silver, 2007).
struct FirstPlays {
  static constexpr std::uint8_t kNobody = 2;
  std::array<std::uint8_t, kMaxActions> player;

  void clear() { player.fill(kNobody); }
  void record(Action a, Player p) {
    auto& who = player[static_cast<std::size_t>(a)];
    if (who == kNobody) who = static_cast<std::uint8_t>(p);
  }
};

// The shape of what a game shows to a net: [height, width, planes], row 0 the lowest.
struct PlaneShape {
  int height = 0;
  int width = 0;
  int planes = 0;

  int size() const { return height * width * planes; }
  bool operator==(const PlaneShape&) const = default;
};

// The errors of the rules; in Python they are subclasses of ValueError.
struct IllegalMove : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
struct GameOver : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

class State {
 public:
  virtual ~State() = default;

  virtual std::unique_ptr<State> clone() const = 0;
  // Becomes a copy of `other`, which is of the same game and the same options. Does not allocate
  // in the long run: a search calls it once a simulation.
  virtual void assign(const State& other) = 0;

  virtual int num_actions() const = 0;
  virtual Player current_player() const = 0;
  virtual bool is_terminal() const = 0;
  // Of a finished game: 1 if Black won, -1 if White won, 0 if it was drawn.
  virtual float black_value() const = 0;
  // False if the players still have to agree on the result of a finished game, as on dead stones
  // in Go: then a search takes playouts for it, and proves nothing by it.
  virtual bool is_decided() const { return true; }
  // What a search with nets takes a finished game for if the players still have to agree on it:
  // true for black_value(), as whoever wants dead stones off the board may play on; false for what
  // a net says, where that costs points, as under territory scoring in Go.
  virtual bool is_counted() const { return true; }

  // Replaces `out` by the legal actions in ascending order; none in a finished game.
  virtual void legal_actions(ActionList& out) const = 0;
  // The legal actions that a search should look at, in ascending order: all of them, unless the
  // game knows some that are never better than the rest. Not empty if legal_actions() is not.
  virtual void candidates(ActionList& out) const { legal_actions(out); }
  // The candidates that win at once, or else those after which the opponent does not (Teytaud and
  // Teytaud, On the huge benefit of decisive moves in Monte-Carlo tree search, 2010). Not empty if
  // he wins anyhow, and all of them in a game that sees no such moves at a glance.
  virtual void decisive_candidates(ActionList& out) const { candidates(out); }
  // True if `a` is in legal_actions(). Precondition: index(a) < num_actions().
  virtual bool is_legal(Action a) const;
  // The rule against `a`, in a word or two. Precondition: the game is not over, a is not legal.
  virtual const char* why_illegal(Action /*a*/) const { return "not among the legal moves"; }
  // Precondition: is_legal(a).
  virtual void apply_unchecked(Action a) = 0;

  // Plays uniformly random legal moves (in Go: none that fills an own eye) until the game ends,
  // and returns black_value() of that end. The state is used up. `plays`, unless null, records the
  // moves made.
  virtual float playout(Rng& rng, FirstPlays* plays);
  // The same, but with moves of decisive_candidates() alone.
  virtual float decisive_playout(Rng& rng, FirstPlays* plays) { return playout(rng, plays); }

  // A guess of the outcome for Black, between -1 and 1, of a game that is not over: what the
  // depth-limited exact searches use at their horizon.
  virtual float black_heuristic() const { return 0.0f; }

  // What a net sees: plane_shape().size() numbers, from the view of the player to move. A game
  // without planes has the shape of none.
  virtual PlaneShape plane_shape() const { return {}; }
  virtual void write_planes(float* /*out*/) const {}
  // True if a game that is turned or mirrored is a game just as good: the planes are square, action
  // i is a move at point i of them, and what is beyond the points is the same anywhere, as a pass.
  virtual bool has_square_symmetry() const { return false; }
  // True if a position seen in a mirror, left and right swapped, is worth the same: action i is a
  // move in column i.
  virtual bool has_mirror_symmetry() const { return false; }

  // Equal for equal positions with the same player to move (and, in Go, the same ko).
  virtual std::uint64_t hash() const = 0;
  // True if hash() tells all that the rest of the game depends on, and no position comes back in
  // the same game: then a search may share what it knows of a position between all ways to it.
  virtual bool is_history_free() const { return false; }
  // Equal for positions that a net may be taken to value alike in a search: those that differ only
  // in how they came about. hash() tells all that a net sees, unless a game says otherwise.
  virtual std::uint64_t net_key() const { return hash(); }
  // Equal for positions in which the same moves came last, and what is about them is alike; 0 in a
  // game where that means nothing.
  virtual std::uint64_t local_key() const { return 0; }
  // One line that names the position: for error messages and tests.
  virtual std::string to_string() const = 0;

  // Checked: throws GameOver or IllegalMove and changes nothing.
  void apply_action(Action a);

 protected:
  State() = default;
  State(const State&) = default;
  State& operator=(const State&) = default;
};

}  // namespace gtpbot
