#include "games/go/go_state.hpp"

#include <algorithm>

#include "games/go/planes.hpp"
#include "games/go/playout.hpp"
#include "games/go/score.hpp"

namespace gtpbot::go {

GoState::GoState(int size, Rules rules) : board_(size), rules_(rules) {}

void GoState::set_rules(const Rules& rules) { rules_ = rules; }

void GoState::resume(Player player) {
  to_move_ = player;
  if (is_terminal()) passes_ = 0;
}

void GoState::place(Player player, Point p) {
  if (!board_.is_empty(p)) throw IllegalMove("a stone on an occupied point");
  Board after = board_;
  after.place(player, p);
  bool smothered = after.is_without_liberties(p);
  for (const Point q : after.geometry().points) {
    smothered |= is_stone(after.at(q)) && after.is_without_liberties(q);
  }
  if (smothered) throw IllegalMove("a stone that leaves a chain without liberties");
  board_ = after;
  board_.pass();  // forgets the ko
  ++stones_played_[static_cast<std::size_t>(player)];
  passes_ = 0;
  recent_moves_.fill(kNoPoint);
  history_.clear();
}

bool GoState::repeats(Point p) const {
  if (rules_.ko == KoRule::kSimple) return false;
  const std::uint64_t after = board_.hash_after(to_move_, p);
  return rules_.ko == KoRule::kPositional ? history_.contains(after)
                                          : history_.contains(after, opponent(to_move_));
}

// True if p is legal but perhaps for superko.
bool GoState::is_legal_but_for_history(Point p) const {
  if (board_.is_legal(to_move_, p)) return true;
  const bool alone = board_.neighbours(p).stones(opponent(to_move_)) == 4;
  return rules_.suicide && !alone && board_.is_empty(p) && board_.is_suicide(to_move_, p);
}

bool GoState::is_forbidden_by_ko(Point p) const {
  if (!board_.is_empty(p)) return false;
  if (is_legal_but_for_history(p)) return repeats(p);
  return p == board_.ko() && !board_.is_suicide(to_move_, p);
}

bool GoState::is_legal_point(Point p) const { return is_legal_but_for_history(p) && !repeats(p); }

const char* GoState::why_illegal(Action a) const {
  const Point p = board_.geometry().point(a);
  if (!board_.is_empty(p)) return "occupied";
  if (is_legal_but_for_history(p)) return "superko";
  return board_.is_suicide(to_move_, p) ? "suicide" : "ko";
}

bool GoState::is_legal(Action a) const {
  if (is_terminal()) return false;
  const Geometry& geometry = board_.geometry();
  return a == geometry.pass() || is_legal_point(geometry.point(a));
}

void GoState::legal_actions(ActionList& out) const {
  out.clear();
  if (is_terminal()) return;
  const Geometry& geometry = board_.geometry();
  for (int i = 0; i < geometry.area; ++i) {
    if (is_legal_point(geometry.point(action_at(i)))) out.push(action_at(i));
  }
  out.push(geometry.pass());
}

void GoState::candidates(ActionList& out) const {
  out.clear();
  if (is_terminal()) return;
  const Geometry& geometry = board_.geometry();
  for (int i = 0; i < geometry.area; ++i) {
    const Point p = geometry.point(action_at(i));
    if (is_legal_point(p) && !board_.is_eye(to_move_, p)) out.push(action_at(i));
  }
  out.push(geometry.pass());
}

void GoState::apply_unchecked(Action a) {
  const Geometry& geometry = board_.geometry();
  // Recorded here too: the first position of all, and one where resume() changed who is to move.
  history_.add(board_.hash(), to_move_);
  std::shift_right(recent_moves_.begin(), recent_moves_.end(), 1);
  if (a == geometry.pass()) {
    board_.pass();
    recent_moves_.front() = kNoPoint;
    ++passes_;
  } else {
    recent_moves_.front() = geometry.point(a);
    board_.play(to_move_, recent_moves_.front());
    ++stones_played_[static_cast<std::size_t>(to_move_)];
    passes_ = 0;
  }
  to_move_ = opponent(to_move_);
  history_.add(board_.hash(), to_move_);
}

int GoState::bonus() const {
  if (rules_.scoring == Scoring::kTerritory || handicap_ < 2) return 0;
  switch (rules_.handicap_bonus) {
    case HandicapBonus::kN:
      return handicap_;
    case HandicapBonus::kNMinus1:
      return handicap_ - 1;
    default:
      return 0;
  }
}

int GoState::black_half_points(std::span<const Point> dead, std::span<const Point> seki) const {
  const bool by_area = rules_.scoring == Scoring::kArea;
  int points = area_difference(board_, dead, by_area ? std::span<const Point>() : seki);
  if (!by_area) {  // a point for each prisoner, the dead among them; none for a stone that lives
    points += board_.captures(Player::kBlack) - board_.captures(Player::kWhite);
    points += board_.num_stones(Player::kWhite) - board_.num_stones(Player::kBlack);
  }
  return 2 * (points - bonus()) - rules_.komi_halves;
}

int GoState::playout_offset() const {
  int points = -bonus();
  if (rules_.scoring == Scoring::kTerritory) points -= stones_played_[0] - stones_played_[1];
  return 2 * points - rules_.komi_halves;
}

namespace {
float sign(int x) { return static_cast<float>((x > 0) - (x < 0)); }
}  // namespace

float GoState::black_value() const { return sign(black_half_points()); }

float GoState::playout(Rng& rng, FirstPlays* plays) {
  if (is_terminal() && is_decided()) return black_value();
  const int offset = playout_offset();
  light_playout(board_, to_move_, rng, plays);
  return playout_value(board_, offset);
}

PlaneShape GoState::plane_shape() const { return {board_.size(), board_.size(), kPlanes}; }

void GoState::write_planes(float* out) const { go::write_planes(*this, out); }

std::uint64_t GoState::hash() const {
  const Geometry& geometry = board_.geometry();
  std::uint64_t hash = board_.hash() + static_cast<std::uint64_t>(passes_) * 0x9e3779b97f4a7c15ull;
  if (to_move_ == Player::kWhite) hash ^= geometry.white_to_move;
  if (board_.ko() != kNoPoint) hash ^= geometry.zobrist[0][board_.ko()] * 0xbf58476d1ce4e5b9ull;
  return hash;
}

std::uint64_t GoState::net_key() const {
  return hash() + static_cast<std::uint64_t>(playout_offset()) * 0x94d049bb133111ebull;
}

std::uint64_t GoState::local_key() const {
  const Geometry& geometry = board_.geometry();
  std::uint64_t key = static_cast<std::uint64_t>(gtpbot::index(to_move_));
  const auto add = [&](int fact) {
    key = (key ^ static_cast<std::uint64_t>(fact)) * 0x9e3779b97f4a7c15ull;
    key ^= key >> 32;
  };
  for (const Point p : {recent_moves_[0], recent_moves_[1], board_.ko()}) add(index(p));
  if (last_move() == kNoPoint) return key;
  const int row = gtpbot::index(geometry.action(last_move())) / geometry.size;
  const int column = gtpbot::index(geometry.action(last_move())) % geometry.size;
  const int end = geometry.size - 1;
  for (int r = std::max(0, row - 2); r <= std::min(end, row + 2); ++r) {
    for (int c = std::max(0, column - 2); c <= std::min(end, column + 2); ++c) {
      const Point p = geometry.point(action_at(r * geometry.size + c));
      const Color color = board_.at(p);
      add(index(color) + (is_stone(color) && board_.in_atari(p) ? 4 : 0));
    }
  }
  return key;
}

std::string GoState::to_string() const {
  const Geometry& geometry = board_.geometry();
  std::string text = std::to_string(geometry.size) + "x" + std::to_string(geometry.size) + " ";
  for (int row = geometry.size - 1; row >= 0; --row) {
    for (int column = 0; column < geometry.size; ++column) {
      const Point p = geometry.point(action_at(row * geometry.size + column));
      text += "XO.#"[index(board_.at(p))];
    }
    if (row > 0) text += '/';
  }
  return text + (to_move_ == Player::kBlack ? " Black" : " White") + " to move, " +
         std::to_string(passes_) + " passes";
}

}  // namespace gtpbot::go
