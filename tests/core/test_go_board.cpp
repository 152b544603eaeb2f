// The Go board against what its stones alone say, on all sizes and with the largest of chains.
#include "go_boards.hpp"

namespace gtpbot::go {
namespace {

constexpr Player kPlayers[] = {Player::kBlack, Player::kWhite};

// What the board foretells of a move is what comes of it.
void check_move(const Board& board, Player player, Point p) {
  Board after = board;
  after.play(player, p);
  const int captured = after.captures(player) - board.captures(player);
  const bool suicide = after.is_empty(p);
  CHECK_EQ(board.hash_after(player, p), after.hash());
  CHECK_EQ(board.is_suicide(player, p), suicide);
  CHECK_EQ(board.would_capture(player, p), captured);
  CHECK_EQ(board.is_legal(player, p), !suicide);
  for (const Point q : board.geometry().points) {
    if (is_stone(after.at(q))) CHECK(!after.is_without_liberties(q));
  }
}

void check_all_moves(const Board& board) {
  for (const Player player : kPlayers) {
    for (int i = 0; i < board.num_empty(); ++i) {
      const Point p = board.empty(i);
      const bool retakes = p == board.ko() && board.neighbours(p).surrounded_by(opponent(player));
      if (retakes) {
        CHECK(!board.is_legal(player, p));
      } else {
        check_move(board, player, p);
      }
    }
  }
}

void small_boards_foretell_every_move() {
  Rng rng(1);
  for (int size = kMinSize; size <= 7; ++size) {
    random_game(size, 4 * size * size, true, rng, [](const Board& board, Player) {
      board.check();
      check_all_moves(board);
    });
  }
}

void every_size_keeps_its_books() {
  Rng rng(2);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (const bool suicide : {false, true}) {
      int moves = 0;
      random_game(size, 2 * size * size, suicide, rng, [&](const Board& board, Player) {
        if (++moves % (1 + size) == 0) board.check();
      });
    }
  }
}

void a_copy_has_all_of_a_board_and_nothing_more() {
  Rng rng(3);
  Board copy(kMaxSize);
  for (const int size : {9, 19, 2, 25}) {
    random_game(size, size * size, false, rng, [&](const Board& board, Player) {
      copy = board;
      CHECK_EQ(copy.hash(), board.hash());
      CHECK_EQ(copy.ko(), board.ko());
    });
    copy.check();
    CHECK_EQ(copy.size(), size);
  }
}

// Black's comb has nearly all pseudo-liberties that a chain can have; White then fills it up to
// the last one.
void the_largest_chains_count_right() {
  const int size = kMaxSize;
  Board board(size);
  const Geometry& geometry = board.geometry();
  const auto at = [&](int row, int column) {
    return geometry.point(action_at(row * size + column));
  };
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      if (column == 0 || row % 2 == 0) board.place(Player::kBlack, at(row, column));
    }
  }
  board.check();
  const Point black = at(0, 0);
  CHECK_EQ(board.chain_size(black), 25 + 13 * 24);
  while (board.num_empty() > 1) {
    CHECK(!board.in_atari(black));
    board.place(Player::kWhite, board.empty(board.num_empty() / 2));
  }
  CHECK(board.in_atari(black));
  CHECK_EQ(board.last_liberty(black), board.empty(0));
}

// The whole board but one point is one chain; the last move takes all of it.
void a_board_full_of_one_colour_is_taken() {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    Board board(size);
    while (board.num_empty() > 1) board.place(Player::kBlack, board.empty(0));
    const Point last = board.empty(0);
    CHECK(board.is_suicide(Player::kBlack, last));
    CHECK(board.is_legal(Player::kWhite, last));
    CHECK_EQ(board.would_capture(Player::kWhite, last), size * size - 1);
    Board suicide = board;
    suicide.play(Player::kBlack, last);
    suicide.check();
    CHECK_EQ(suicide.num_empty(), size * size);
    CHECK_EQ(suicide.captures(Player::kWhite), size * size);
    CHECK_EQ(suicide.hash(), std::uint64_t{0});
    board.play(Player::kWhite, last);
    board.check();
    CHECK_EQ(board.num_empty(), size * size - 1);
    CHECK_EQ(board.captures(Player::kWhite), size * size - 1);
    CHECK_EQ(board.ko(), kNoPoint);
  }
}

void liberties_are_found_up_to_the_limit() {
  Rng rng(4);
  random_game(9, 150, false, rng, [](const Board& board, Player) {
    for (const Point p : board.geometry().points) {
      if (!is_stone(board.at(p))) continue;
      std::vector<Point> expected = liberties(board, p);
      for (const int limit : {1, 2, 3, 81}) {
        std::vector<Point> found(81);
        found.resize(static_cast<std::size_t>(board.find_liberties(p, limit, found.data())));
        CHECK_EQ(found.size(), std::min(expected.size(), static_cast<std::size_t>(limit)));
        std::sort(found.begin(), found.end());
        std::sort(expected.begin(), expected.end());
        CHECK(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
      }
    }
  });
}

void eyes() {
  const Drawn drawn = draw(5,
                           "a X b X c"
                           "X X X X X"
                           ". X d X O"
                           ". O X O e"
                           ". . . O f");
  const auto is_eye = [&](char name) {
    return drawn.board.is_eye(Player::kBlack, drawn.names.at(name));
  };
  CHECK(is_eye('a'));
  CHECK(is_eye('b'));
  CHECK(is_eye('c'));
  CHECK(!is_eye('d'));  // White has two of its diagonals
  CHECK(!drawn.board.is_eye(Player::kWhite, drawn.names.at('a')));
  CHECK(!drawn.board.is_eye(Player::kWhite, drawn.names.at('e')));  // f is empty
}

void sizes_have_limits() {
  CHECK_THROWS(Board(1), std::invalid_argument, "size 1: expected 2 to 25");
  CHECK_THROWS(Board(26), std::invalid_argument, "size 26");
}

}  // namespace
}  // namespace gtpbot::go

int main() {
  using namespace gtpbot::go;
  small_boards_foretell_every_move();
  every_size_keeps_its_books();
  a_copy_has_all_of_a_board_and_nothing_more();
  the_largest_chains_count_right();
  a_board_full_of_one_colour_is_taken();
  liberties_are_found_up_to_the_limit();
  eyes();
  sizes_have_limits();
  return gtpbot::check::status();
}
