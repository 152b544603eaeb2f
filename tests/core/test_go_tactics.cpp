// What Go playouts know of tactics and shapes, against what moves really lead to.
#include "games/go/patterns.hpp"
#include "games/go/tactics.hpp"
#include "go_boards.hpp"

namespace gtpbot::go {
namespace {

// Calls visit(board, player, p) for legal moves of either player on random boards.
template <class Visit>
void for_random_moves(Visit visit) {
  Rng rng(1);
  for (int game = 0; game < 8; ++game) {
    random_game(5 + game % 3 * 2, 120, false, rng, [&](const Board& board, Player player) {
      for (int i = 0; i < board.num_empty(); ++i) {
        if (board.is_legal(player, board.empty(i))) visit(board, player, board.empty(i));
      }
    });
  }
}

void liberties_after_a_move() {
  for_random_moves([](const Board& board, Player player, Point p) {
    Board after = board;
    after.play(player, p);
    int expected = 0;
    const auto near = beside(board, p);
    for (const Point liberty : liberties(after, p)) {
      // Of captured stones it promises only those beside p.
      const bool was_stone = is_stone(board.at(liberty));
      expected += !was_stone || std::find(near.begin(), near.end(), liberty) != near.end();
    }
    for (const int limit : {1, 2, 3, 20}) {
      CHECK_EQ(liberties_after(board, player, p, limit), std::min(expected, limit));
    }
    CHECK_EQ(is_self_atari(board, player, p), expected < 2);
    CHECK_EQ(chain_size_after(board, player, p), after.chain_size(p));
  });
}

bool is_rescue(const Board& board, Player player, Point in_atari, Point move) {
  Board after = board;
  after.play(player, move);
  const auto chain = flood(board, in_atari);
  const auto takes_neighbour = [&](Point stone) {
    const auto near = beside(board, stone);
    return std::any_of(near.begin(), near.end(), [&](Point n) {
      return is_stone(board.at(n)) && board.at(n) != board.at(stone) && after.is_empty(n);
    });
  };
  return liberties(after, in_atari).size() >= 2 ||
         std::any_of(chain.begin(), chain.end(), takes_neighbour);
}

// Only moves that rescue a chain in atari are found, and all of them but some captures, by which
// a chain that is joined gains liberties.
void rescues_are_the_moves_that_rescue() {
  int rescued = 0;
  int lost = 0;
  for_random_moves([&](const Board& board, Player player, Point move) {
    for (const Point p : board.geometry().points) {
      if (board.at(p) != stone_of(player) || !board.in_atari(p)) continue;
      FewPoints moves;
      add_rescues(board, p, moves);
      const bool rescues = is_rescue(board, player, p, move);
      CHECK(rescues || !moves.contains(move));
      CHECK(!rescues || moves.contains(move) || board.would_capture(player, move) > 0);
      ++(moves.contains(move) ? rescued : lost);
    }
  });
  CHECK(rescued > 1000);
  CHECK(lost > 1000);
}

FewPoints answers(const Board& board, Player player, Point last) {
  FewPoints moves;
  add_atari_answers(board, player, last, moves);
  return moves;
}

// Black at a has put the White stone beside it into atari, and is in atari itself.
void an_atari_is_answered_by_capture_and_rescue() {
  Drawn drawn = draw(5,
                     ". . . . ."
                     ". X X . ."
                     "X O a d ."
                     ". b O . ."
                     ". . . . .");
  const Point a = drawn.names['a'];
  CHECK(answers(drawn.board, Player::kWhite, drawn.names['d']).empty());
  drawn.board.play(Player::kBlack, a);
  const FewPoints rescue = answers(drawn.board, Player::kWhite, a);
  CHECK_EQ(rescue.size(), 1);
  CHECK(rescue.contains(drawn.names['b']));
}

void a_chain_that_runs_into_atari_is_captured() {
  Drawn drawn = draw(5,
                     ". . . . ."
                     ". O O O ."
                     "O X a c ."
                     ". O O O ."
                     ". . . . .");
  const Point a = drawn.names['a'];
  drawn.board.play(Player::kBlack, a);
  const FewPoints capture = answers(drawn.board, Player::kWhite, a);
  CHECK_EQ(capture.size(), 1);
  CHECK(capture.contains(drawn.names['c']));
  CHECK(answers(drawn.board, Player::kBlack, a).empty());  // its own stone, if it moves twice
}

// --- patterns -----------------------------------------------------------------------------------

struct Shape {
  bool urgent;
  std::string_view drawing;
};

constexpr Shape kShapes[] = {
    {true, ". . . . . . X O X . . . p . . . . . . . . . . . ."},   // hane
    {false, ". . . . . . X X X . . . p . . . . . . . . . . . ."},  // no White stone
    {true, ". . . . . . X O . . . . p . . . . . . . . . . . ."},   // hane on one side
    {false, ". . . . . . X O . . . . p . . . . X . . . . . . ."},  // with a stone below
    {true, ". . . . . . X O . . . O p . . . . . . . . . . . ."},   // cut
    {false, ". . . . . . X O . . . O p O . . . . . . . . . . ."},  // White may capture it at once
    {true, ". . . . . . X O . . . O p X . . . . . . . . . . ."},   // peeped cut
    {true, ". . . . . . . X . . . O p O . . . . . . . . . . ."},   // push between
    {false, ". . . . . . . X . . . O p O . . . O . . . . . . ."},  // White is connected below
    {true, ". . . . . . . . . . . . . . . . X . . . . O p . ."},   // chase on the first line
    {true, ". . . . . . . . . . . . . . . . . X . . . . p O ."},   // block a cut
    {false, ". . . . . . . . . . . . . . . . . X . . . X p O ."},  // it is blocked
    {false, ". . . . . . . . . . . . p . . . . . . . . . . . ."},  // nothing near
    {false, "p . . . . . . . . . . . . . . . . . . . . . . . ."},  // nothing but the corner
};

void drawn_shapes() {
  for (const Shape& shape : kShapes) {
    const Drawn drawn = draw(5, shape.drawing);
    CHECK_EQ(is_pattern(drawn.board, drawn.names.at('p')), shape.urgent);
  }
}

// The board seen in a mirror or turned, or with colours exchanged.
Board transformed(const Board& board, int symmetry) {
  Board image(board.size());
  const Geometry& geometry = board.geometry();
  const int last = board.size() - 1;
  for (int i = 0; i < geometry.area; ++i) {
    const Color c = board.at(geometry.point(action_at(i)));
    if (!is_stone(c)) continue;
    int row = i / board.size();
    int column = i % board.size();
    if (symmetry & 1) row = last - row;
    if (symmetry & 2) column = last - column;
    if (symmetry & 4) std::swap(row, column);
    const Player player = symmetry & 8 ? opponent(owner(c)) : owner(c);
    image.place(player, geometry.point(action_at(row * board.size() + column)));
  }
  return image;
}

// How many points are patterns is the same in all sixteen images: each finds the same shapes.
void shapes_know_no_direction_and_no_colour() {
  const auto urgent = [](const Board& board) {
    int count = 0;
    for (int i = 0; i < board.num_empty(); ++i) count += is_pattern(board, board.empty(i));
    return count;
  };
  Rng rng(2);
  int total = 0;
  random_game(9, 120, false, rng, [&](const Board& board, Player) {
    const int expected = urgent(board);
    total += expected;
    for (int symmetry = 1; symmetry < 16; ++symmetry) {
      CHECK_EQ(urgent(transformed(board, symmetry)), expected);
    }
  });
  CHECK_EQ(total, 657);
}

}  // namespace
}  // namespace gtpbot::go

int main() {
  using namespace gtpbot::go;
  liberties_after_a_move();
  rescues_are_the_moves_that_rescue();
  an_atari_is_answered_by_capture_and_rescue();
  a_chain_that_runs_into_atari_is_captured();
  drawn_shapes();
  shapes_know_no_direction_and_no_colour();
  return gtpbot::check::status();
}
