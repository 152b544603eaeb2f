// Go boards for the core's tests: drawn ones and random ones.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "games/go/board.hpp"

namespace gtpbot::go {

// A board drawn top row first: `X` Black, `O` White, `.` empty; any other letter names an empty
// point. Blanks do not count.
struct Drawn {
  Board board;
  std::map<char, Point> names;
};

inline Drawn draw(int size, std::string_view drawing) {
  Drawn drawn{Board(size), {}};
  int place = 0;
  for (const char mark : drawing) {
    if (mark == ' ') continue;
    const int row = size - 1 - place / size;
    const Point p = drawn.board.geometry().point(action_at(row * size + place % size));
    ++place;
    if (mark == 'X' || mark == 'O') {
      drawn.board.place(mark == 'X' ? Player::kBlack : Player::kWhite, p);
    } else if (mark != '.') {
      drawn.names[mark] = p;
    }
  }
  CHECK_EQ(place, size * size);
  return drawn;
}

inline std::array<Point, 4> beside(const Board& board, Point p) {
  const int stride = board.geometry().stride;
  return {p - stride, p - 1, p + 1, p + stride};
}

// All points of the chain of the stone at p, found from the stones alone.
inline std::vector<Point> flood(const Board& board, Point p) {
  std::vector<Point> chain{p};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (const Point n : beside(board, chain[i])) {
      const bool known = std::find(chain.begin(), chain.end(), n) != chain.end();
      if (board.at(n) == board.at(p) && !known) chain.push_back(n);
    }
  }
  return chain;
}

// The liberties of the chain of the stone at p, found from the stones alone.
inline std::vector<Point> liberties(const Board& board, Point p) {
  std::vector<Point> found;
  for (const Point stone : flood(board, p)) {
    for (const Point n : beside(board, stone)) {
      const bool known = std::find(found.begin(), found.end(), n) != found.end();
      if (board.is_empty(n) && !known) found.push_back(n);
    }
  }
  return found;
}

// A random empty point that `player` may play, suicides of more than one stone included if
// `suicide`; kNoPoint if a few tries find none.
inline Point random_point(const Board& board, Player player, bool suicide, Rng& rng) {
  for (int tries = 0; tries < 20 && board.num_empty() > 0; ++tries) {
    const auto count = static_cast<std::uint32_t>(board.num_empty());
    const Point p = board.empty(static_cast<int>(rng.below(count)));
    if (board.is_legal(player, p)) return p;
    const bool alone = board.neighbours(p).stones(opponent(player)) == 4;
    if (suicide && !alone && p != board.ko()) return p;
  }
  return kNoPoint;
}

// Calls visit(board, player) before each of `moves` random moves, eyes filled and all.
template <class Visit>
void random_game(int size, int moves, bool suicide, Rng& rng, Visit visit) {
  Board board(size);
  Player player = Player::kBlack;
  for (; moves > 0; --moves) {
    visit(std::as_const(board), player);
    const Point p = random_point(board, player, suicide, rng);
    if (p == kNoPoint) {
      board.pass();
    } else {
      board.play(player, p);
    }
    player = opponent(player);
  }
}

}  // namespace gtpbot::go
