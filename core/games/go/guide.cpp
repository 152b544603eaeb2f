#include "games/go/guide.hpp"

#include "games/go/patterns.hpp"
#include "games/go/playout.hpp"
#include "games/go/tactics.hpp"

namespace gtpbot::go {
namespace {

std::array<Point, 8> ring(const Board& board, Point p) {
  const int stride = board.geometry().stride;
  return {p - stride - 1, p - stride,     p - stride + 1, p - 1,
          p + 1,          p + stride - 1, p + stride,     p + stride + 1};
}

bool chance(float rate, Rng& rng) { return rng.uniform() < static_cast<double>(rate); }

Point pick(const FewPoints& moves, Rng& rng) {
  if (moves.empty()) return kNoPoint;
  return moves[static_cast<int>(rng.below(static_cast<std::uint32_t>(moves.size())))];
}

Point atari_answer(const Board& board, Player player, Point last, Rng& rng) {
  FewPoints moves;
  add_atari_answers(board, player, last, moves);
  return pick(moves, rng);
}

Point pattern_answer(const Board& board, Player player, Point last, Rng& rng) {
  FewPoints moves;
  for (const Point p : ring(board, last)) {
    if (board.is_empty(p) && is_pattern(board, p) && board.is_legal(player, p) &&
        !is_self_atari(board, player, p)) {
      moves.push(p);
    }
  }
  return pick(moves, rng);
}

// A random move as in light playouts, but no self-atari of more than one stone, which only seldom
// is more than a gift.
Point sensible_move(Board& board, Player player, Rng& rng) {
  return draw_move(board, player, rng, [&](Point p) {
    return !is_self_atari(board, player, p) || chain_size_after(board, player, p) == 1;
  });
}

}  // namespace

bool Playouts::serves(const State& state) const {
  return dynamic_cast<const GoState*>(&state) != nullptr;
}

float Playouts::evaluate(State& leaf, Rng& rng, FirstPlays* plays) const {
  auto& state = static_cast<GoState&>(leaf);
  if (state.is_terminal() && state.is_decided()) return state.black_value();
  Board& board = state.playout_board();
  const int offset = state.playout_offset();
  playout(board, state.current_player(), state.last_move(), rng, plays);
  return playout_value(board, offset);
}

Point Guide::choose(Board& board, Player player, Point last, Rng& rng) const {
  if (last != kNoPoint) {
    if (chance(params_.atari_rate, rng)) {
      const Point p = atari_answer(board, player, last, rng);
      if (p != kNoPoint) return p;
    }
    if (chance(params_.pattern_rate, rng)) {
      const Point p = pattern_answer(board, player, last, rng);
      if (p != kNoPoint) return p;
    }
  }
  return sensible_move(board, player, rng);
}

void Guide::playout(Board& board, Player to_move, Point last, Rng& rng, FirstPlays* plays) const {
  play_out(board, to_move, last, plays,
           [&](Player player, Point before) { return choose(board, player, before, rng); });
}

namespace {

// Adds up beliefs about one move.
class Belief {
 public:
  void favour(float weight) {
    wins_ += weight;
    weight_ += weight;
  }
  void disfavour(float weight) { weight_ += weight; }
  void level(float weight) {
    wins_ += 0.5f * weight;
    weight_ += weight;
  }
  Prior prior(float scale) const { return {wins_ / weight_, weight_ * scale}; }

 private:
  float wins_ = 0.0f;
  float weight_ = 0.0f;
};

// Steps from `from` to each point where chains count as one point; 255 beyond `limit`.
void common_fate_distance(const Board& board, Point from, int limit,
                          PerPoint<std::uint8_t>& distance) {
  for (int i = 0; i < board.geometry().num_points; ++i) distance[point_at(i)] = 255;
  if (from == kNoPoint) return;
  std::array<Point, kMaxPoints> queue;
  std::size_t head = 0;
  std::size_t tail = 0;
  const auto reach = [&](Point p, int steps) {
    if (board.at(p) == Color::kBorder || distance[p] != 255) return;
    const auto note = [&](Point there) {
      distance[there] = static_cast<std::uint8_t>(steps);
      queue[tail++] = there;
    };
    if (board.is_empty(p)) return note(p);
    board.for_stones(p, note);
  };
  reach(from, 0);
  while (head < tail) {
    const Point p = queue[head++];
    const int steps = distance[p];
    for (const Point n : board.beside(p)) {
      // Within a chain no step is taken, so a neighbour of the same colour is never farther.
      const bool same_chain = is_stone(board.at(p)) && board.at(n) == board.at(p);
      if (!same_chain && steps < limit) reach(n, steps + 1);
    }
  }
}

bool is_open(const Board& board, Point p) {
  for (const Point n : ring(board, p)) {
    if (is_stone(board.at(n))) return false;
  }
  return true;
}

Prior belief_in(const Board& board, Player player, Point p, const FewPoints& answers, int distance,
                float scale) {
  Belief belief;
  belief.level(10);
  if (answers.contains(p)) belief.favour(20);
  const int captured = board.would_capture(player, p);
  if (captured > 0) belief.favour(captured > 1 ? 30 : 15);
  if (is_self_atari(board, player, p)) belief.disfavour(20);
  if (is_pattern(board, p)) belief.favour(10);
  constexpr std::array<float, 4> kNear = {0, 24, 22, 8};
  if (distance >= 1 && distance <= 3) belief.favour(kNear[static_cast<std::size_t>(distance)]);
  const int line = board.geometry().line[p];
  if (is_open(board, p)) {
    if (line <= 2) belief.disfavour(10);
    if (line == 3) belief.favour(10);
  }
  return belief.prior(scale);
}

}  // namespace

void Guide::prior(const State& any_state, const ActionList& actions,
                  std::span<Prior> priors) const {
  const auto& state = static_cast<const GoState&>(any_state);
  const Board& board = state.board();
  const Player player = state.current_player();
  FewPoints answers;
  if (state.last_move() != kNoPoint) {
    add_atari_answers(board, player, state.last_move(), answers);
  }
  PerPoint<std::uint8_t> distance;
  common_fate_distance(board, state.last_move(), 3, distance);
  for (int i = 0; i < actions.size(); ++i) {
    Prior& prior = priors[static_cast<std::size_t>(i)];
    if (actions[i] == board.geometry().pass()) {
      prior = {0.1f, 20.0f * params_.prior_weight};
      continue;
    }
    const Point p = board.geometry().point(actions[i]);
    prior = belief_in(board, player, p, answers, distance[p], params_.prior_weight);
  }
}

}  // namespace gtpbot::go
