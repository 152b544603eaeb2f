// Go playouts end, leave sound and finished boards, and are the same for a seed for ever.
#include "games/go/go_state.hpp"
#include "games/go/guide.hpp"
#include "games/go/playout.hpp"
#include "games/go/score.hpp"
#include "games/go/tactics.hpp"
#include "go_boards.hpp"

namespace gtpbot::go {
namespace {

using Playout = void (*)(Board&, Rng&);

void light(Board& board, Rng& rng) { light_playout(board, Player::kBlack, rng, nullptr); }
void guided(Board& board, Rng& rng) {
  Guide(Guide::Params{}).playout(board, Player::kBlack, kNoPoint, rng, nullptr);
}

// True for moves that the ends of playouts may leave: eyes, gifts, and a ko whose ban the
// opponent's pass has lifted.
bool may_be_left(const Board& board, Player player, Point p, bool is_guided) {
  const bool ko =
      board.neighbours(p).surrounded_by(opponent(player)) && board.would_capture(player, p) == 1;
  const bool gift =
      is_guided && is_self_atari(board, player, p) && chain_size_after(board, player, p) > 1;
  return ko || gift || board.is_eye(player, p) || !board.is_legal(player, p);
}

void ends_are_sound_and_finished(Playout play, bool is_guided) {
  Rng rng(1);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int i = 0; i < 2 + 40 / size; ++i) {
      Board board(size);
      play(board, rng);
      board.check();
      if (size < 5) continue;  // the smallest boards go round in circles
      for (int e = 0; e < board.num_empty(); ++e) {
        for (const Player player : {Player::kBlack, Player::kWhite}) {
          CHECK(may_be_left(board, player, board.empty(e), is_guided));
        }
      }
    }
  }
}

// Light playouts leave nothing but stones and eyes, so the quick count is the true one.
void the_quick_count_is_the_true_one() {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    Board board(5 + i % 8);
    light(board, rng);
    CHECK_EQ(playout_score(board), area_difference(board));
  }
}

struct Totals {
  int black_wins = 0;
  long score = 0;
  std::uint64_t hashes = 0;
};

Totals totals(Playout play, int playouts) {
  Totals sums;
  Rng rng(3);
  for (int i = 0; i < playouts; ++i) {
    Board board(9);
    play(board, rng);
    const int score = playout_score(board);
    sums.black_wins += 2 * score > 15;
    sums.score += score;
    sums.hashes ^= board.hash();
  }
  return sums;
}

// Any change of what playouts do, or of the numbers that they draw, shows here.
void a_seed_plays_the_same_for_ever() {
  const Totals of_light = totals(light, 10'000);
  CHECK_EQ(of_light.black_wins, 4235);
  CHECK_EQ(of_light.score, 22574L);
  CHECK_EQ(of_light.hashes, std::uint64_t{14963851779559148776u});
  const Totals of_guided = totals(guided, 1'000);
  CHECK_EQ(of_guided.black_wins, 418);
  CHECK_EQ(of_guided.score, 739L);
  CHECK_EQ(of_guided.hashes, std::uint64_t{5993818571731751946u});
}

// On a filled board reached by as many moves of both, area and territory agree.
void territory_agrees_with_area_when_both_played_as_often() {
  Rng rng(4);
  for (int game = 0; game < 50; ++game) {
    Rules rules;
    rules.scoring = Scoring::kTerritory;
    rules.remove_dead = true;
    GoState state(7, rules);
    Board& board = state.playout_board();
    std::array<int, 2> moves{};
    for (int ply = 0; ply < 400 && !state.is_terminal(); ++ply) {
      const Player player = state.current_player();
      const Point p = random_move(board, player, rng);
      state.apply_unchecked(p == kNoPoint ? board.geometry().pass() : board.geometry().action(p));
      moves[static_cast<std::size_t>(player)] += p != kNoPoint;
    }
    // The moves are in the offset, so its sum with the area is the territory for any numbers.
    CHECK_EQ(2 * playout_score(board) + state.playout_offset(), state.black_half_points());
    rules.scoring = Scoring::kArea;
    const int by_territory = state.black_half_points();
    state.set_rules(rules);
    CHECK_EQ(state.black_half_points() - by_territory, 2 * (moves[0] - moves[1]));
    CHECK_EQ(2 * playout_score(board) + state.playout_offset(), state.black_half_points());
  }
}

}  // namespace
}  // namespace gtpbot::go

int main() {
  using namespace gtpbot::go;
  ends_are_sound_and_finished(light, false);
  ends_are_sound_and_finished(guided, true);
  the_quick_count_is_the_true_one();
  a_seed_plays_the_same_for_ever();
  territory_agrees_with_area_when_both_played_as_often();
  return gtpbot::check::status();
}
