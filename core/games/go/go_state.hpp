// Go as a State: a Board under Rules, with what its history forbids.
//
// Actions are row * size + column with A1 = 0; size * size is the pass.
#pragma once

#include <span>

#include "games/go/board.hpp"
#include "games/go/history.hpp"
#include "games/go/rules.hpp"

namespace gtpbot::go {

class GoState final : public State {
 public:
  // Throws std::invalid_argument unless kMinSize <= size <= kMaxSize.
  explicit GoState(int size, Rules rules = {});

  const Board& board() const { return board_; }
  const Rules& rules() const { return rules_; }
  void set_rules(const Rules& rules);
  // The number of handicap stones, for White's bonus.
  int handicap() const { return handicap_; }
  void set_handicap(int stones) { handicap_ = stones; }
  // The last move; kNoPoint if it was a pass or there was none.
  Point last_move() const { return recent_moves_.front(); }
  // The last moves, the newest first.
  const std::array<Point, 5>& recent_moves() const { return recent_moves_; }
  int passes() const { return passes_; }

  // Makes `player` the one to move, as GTP allows at any time, even after the end.
  void resume(Player player);
  // Puts a setup stone and begins history here: no passes, no ko. Throws IllegalMove, and changes
  // nothing, if the point is taken or a chain would have no liberty.
  void place(Player player, Point p);
  // As if `player` had captured so many more stones before a position that is set up.
  void add_captures(Player player, int count) {
    board_.add_captures(player, count);
    stones_played_[static_cast<std::size_t>(opponent(player))] += count;
  }

  // True if ko or superko is all that keeps the player to move from p.
  bool is_forbidden_by_ko(Point p) const;

  // Black's points less White's, komi and bonus included, in half points, with the chains at
  // `dead` taken off. Under territory scoring the eyes of chains at `seki` count for nobody.
  int black_half_points(std::span<const Point> dead = {}, std::span<const Point> seki = {}) const;
  // What to add to a playout's area score, in half points: komi, bonus, and under territory
  // scoring the difference in stones played so far, which makes area and territory agree.
  int playout_offset() const;

  // The board for a playout to use up; nothing else of the state holds afterwards.
  Board& playout_board() { return board_; }

  std::unique_ptr<State> clone() const override { return std::make_unique<GoState>(*this); }
  void assign(const State& other) override { *this = static_cast<const GoState&>(other); }
  int num_actions() const override { return board_.geometry().area + 1; }
  Player current_player() const override { return to_move_; }
  bool is_terminal() const override { return passes_ >= 2; }
  float black_value() const override;
  bool is_decided() const override { return !rules_.remove_dead; }
  bool is_counted() const override { return is_decided() || rules_.scoring == Scoring::kArea; }
  void legal_actions(ActionList& out) const override;
  void candidates(ActionList& out) const override;
  bool is_legal(Action a) const override;
  // "occupied", "suicide", "ko" or "superko".
  const char* why_illegal(Action a) const override;
  void apply_unchecked(Action a) override;
  float playout(Rng& rng, FirstPlays* plays) override;
  PlaneShape plane_shape() const override;
  void write_planes(float* out) const override;  // those of planes.hpp
  bool has_square_symmetry() const override { return true; }
  std::uint64_t hash() const override;
  // With komi, and the prisoners under territory scoring; without the last moves, and what is
  // forbidden for the sake of earlier positions.
  std::uint64_t net_key() const override;
  // By the player to move, the last two moves, ko, and the stones up to two lines from the last
  // one.
  std::uint64_t local_key() const override;
  std::string to_string() const override;

 private:
  bool is_legal_point(Point p) const;
  bool is_legal_but_for_history(Point p) const;
  bool repeats(Point p) const;
  int bonus() const;

  Board board_;
  Rules rules_;
  Player to_move_ = Player::kBlack;
  int passes_ = 0;
  int handicap_ = 0;
  std::array<int, 2> stones_played_{};  // setup stones included
  std::array<Point, 5> recent_moves_{};
  History history_;
};

}  // namespace gtpbot::go
