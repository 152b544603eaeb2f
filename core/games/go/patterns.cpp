#include "games/go/patterns.hpp"

#include <bitset>
#include <string_view>

#include "symmetry.hpp"

namespace gtpbot::go {
namespace {

// Each pattern is three rows of three. A and B are stones of different colours, a is any point of
// the board but A, b any but B, a dot is empty, # is the border, and ? is anything.
constexpr std::string_view kPatterns[] = {
    // Hane: around the head of a stone, between two stones or on one side, and turning there.
    "ABA"
    "..."
    "???",
    "AB."
    "..."
    "?.?",
    "AB?"
    "A.."
    "b.?",
    // A diagonal attachment.
    ".B."
    "A.."
    "...",
    // Cut, where the cutting stone cannot be captured at once, or where a stone peeps.
    "AB?"
    "B.b"
    "?b?",
    "AB?"
    "B.A"
    "???",
    // Push between two stones, and a cut behind a knight's move.
    "?A?"
    "B.B"
    "bbb",
    "BA?"
    "b.B"
    "???",
    // On the first line: chase, block a cut, block a connection, descend, cut.
    "A.?"
    "B.?"
    "##?",
    "BA?"
    "A.B"
    "###",
    "?A?"
    "a.B"
    "###",
    "?AB"
    "a.a"
    "###",
    "?BA"
    "A.B"
    "###",
};

// The places around the centre, row by row, that are not the centre.
constexpr int kRing[] = {0, 1, 2, 3, 5, 6, 7, 8};

bool fits(char symbol, Color c, bool swapped) {
  const Color a = swapped ? Color::kWhite : Color::kBlack;
  const Color b = swapped ? Color::kBlack : Color::kWhite;
  switch (symbol) {
    case 'A':
      return c == a;
    case 'B':
      return c == b;
    case 'a':
      return c != a && c != Color::kBorder;
    case 'b':
      return c != b && c != Color::kBorder;
    case '.':
      return c == Color::kEmpty;
    case '#':
      return c == Color::kBorder;
    default:
      return true;
  }
}

class PatternTable {
 public:
  // Kept out of is_pattern(), which playouts ask all the time and then has no registers to save.
  [[gnu::noinline]] PatternTable() {
    for (const std::string_view pattern : kPatterns) {
      for (unsigned s = 0; s < 2 * Symmetry::kCount; ++s) {
        add(pattern, Symmetry(s), s >= Symmetry::kCount, 0, 0);
      }
    }
  }
  bool operator[](unsigned code) const { return table_[code]; }

 private:
  // Marks every code that agrees with `code` in its first `known` places and fits in the others.
  void add(std::string_view pattern, Symmetry symmetry, bool swapped, unsigned known,
           unsigned code) {
    if (known == std::size(kRing)) {
      table_[code] = true;
      return;
    }
    const char symbol = pattern[static_cast<std::size_t>(symmetry(kRing[known], 3))];
    for (unsigned c = 0; c < 4; ++c) {
      if (!fits(symbol, static_cast<Color>(c), swapped)) continue;
      add(pattern, symmetry, swapped, known + 1, code | c << (2 * known));
    }
  }

  std::bitset<1 << 16> table_;  // by the colours of the ring, two bits each
};

}  // namespace

bool is_pattern(const Board& board, Point p) {
  static const PatternTable table;
  const int stride = board.geometry().stride;
  const int offsets[] = {stride - 1, stride, stride + 1, -1, 1, -stride - 1, -stride, -stride + 1};
  unsigned code = 0;
  for (unsigned i = 0; i < 8; ++i) {
    code |= static_cast<unsigned>(board.at(p + offsets[i])) << (2 * i);
  }
  return table[code];
}

}  // namespace gtpbot::go
