// What a linear policy sees of a move: the shapes around it and around the last move, and what it
// does about chains in atari.
//
// After the rollout policy of AlphaGo (Silver et al., Mastering the game of Go with deep neural
// networks and tree search, 2016, Extended Data Table 4). All colours are from the view of the
// player who moves, and symmetric images of a shape are one feature.
#pragma once

#include <bit>
#include <span>

#include "games/go/board.hpp"
#include "games/go/tactics.hpp"

namespace gtpbot::go {

// A feature's name for ever, in files too: its kind in the upper three bits, and a code.
enum class FeatureKey : std::uint32_t {};
constexpr FeatureKey kNoFeature{0};

enum class FeatureKind : std::uint32_t {
  kPlain = 1,    // one of Plain and those after it
  kShape = 2,    // the 3x3 shape around the move
  kDiamond = 3,  // the shape of twelve points around the last move, and the move's place in it
};

// The codes of plain features: where each group begins.
enum class Plain : std::uint32_t {
  kLines = 0,       // 36: lines of the nearer and of the other edge, the sixth for all beyond
  kAtari = 36,      // 4: touches an own chain of 2-3, of more stones in atari; the opponent's
  kNear = 40,       // 5: how far from the last move, see steps_to
  kAnswer = 45,     // 9: see Answer
  kSelfAtari = 54,  // 4: leaves its chain of 1, 2, 3-5, more stones in atari
  kRareShape = 58,  // a shape without a weight of its own
  kEnd = 59,
};
constexpr std::size_t kNumPlain = static_cast<std::size_t>(Plain::kEnd);
constexpr int kMostLines = 6;

constexpr FeatureKey feature_key(FeatureKind kind, std::uint32_t code) {
  return static_cast<FeatureKey>(static_cast<std::uint32_t>(kind) << 29 | code);
}
constexpr FeatureKey plain_key(Plain group, int offset = 0) {
  return feature_key(FeatureKind::kPlain,
                     static_cast<std::uint32_t>(group) + static_cast<std::uint32_t>(offset));
}
constexpr FeatureKind kind_of(FeatureKey key) {
  return static_cast<FeatureKind>(static_cast<std::uint32_t>(key) >> 29);
}
constexpr std::uint32_t code_of(FeatureKey key) {
  return static_cast<std::uint32_t>(key) & ((1u << 29) - 1);
}

// --- shapes --------------------------------------------------------------------------------------

// A shape is eight fields of two bits, the colours around its centre clockwise from the top, and
// four fields from bit 16 on, clockwise too: of a 3x3 shape one bit each, whether the chain beside
// the centre is in atari; of a diamond two bits each, the colours two points away.
constexpr int kShapeBits = 20;
constexpr int kDiamondBits = 24;
constexpr std::uint32_t kDiamondAtari = 1u << kDiamondBits;  // of the last move's chain
constexpr int kDiamondPlaces = 12;                           // as the fields of a diamond

// The eight images of a shape; symmetry 0 is the shape itself.
std::uint32_t shape_image(std::uint32_t code, int symmetry);
std::uint32_t diamond_image(std::uint32_t code, int symmetry);
// Where a symmetry takes each field of a diamond.
const std::array<std::uint8_t, kDiamondPlaces>& diamond_places(int symmetry);
// The image with the least code, and a symmetry that makes it.
struct DiamondImage {
  std::uint32_t code;
  int symmetry;
};
DiamondImage least_diamond(std::uint32_t code);

// The shape around p in true colours, as Black sees it; and its eight colours alone.
std::uint32_t shape_code(const Board& board, Point p);
std::uint32_t ring_code(const Board& board, Point p);
// The shape of a ring of colours around p: with the chains beside p that are in atari.
inline std::uint32_t shape_of_ring(const Board& board, Point p, std::uint32_t ring);
// A code in true colours as `player` sees it: stones change colours for White.
constexpr std::uint32_t seen_by(Player player, std::uint32_t code, std::uint32_t color_bits) {
  if (player == Player::kBlack) return code;
  return code ^ (~(code >> 1) & 0x55555555u & color_bits);
}
constexpr std::uint32_t kShapeColors = 0xffff;
constexpr std::uint32_t kDiamondColors = 0xffffff;
// A move that no candidate is, by its shape alone: a suicide, or an own eye, which the ring tells.
bool shape_is_suicide(Player player, std::uint32_t true_code);
bool shape_is_eye(Player player, std::uint32_t true_code);

// The point's neighbourhood within two lines, as far as it is on the board.
struct NearPoint {
  Point point;
  std::uint8_t place;  // in the diamond; kDiamondPlaces and more: beyond it
  std::uint8_t steps;  // the offset in Plain::kNear
};
// From the last move to a place near it: 0 beside, 1 diagonal, 2 two away, 3 knight's move, 4 two
// diagonal.
constexpr int steps_to(int place) {
  return place < 8 ? place % 2 : place < 12 ? 2 : place < 20 ? 3 : 4;
}

// The facts of one board size that features need, made once.
struct Neighbourhoods {
  static const Neighbourhoods& of(int size);

  PerPoint<std::uint8_t> row;
  PerPoint<std::uint8_t> lines;              // the offset in Plain::kLines
  PerPoint<std::array<Point, 4>> two_away;   // clockwise from the top; off the board some border
  std::array<int, kDiamondPlaces> to_place;  // from a point to each place of its diamond
  std::span<const NearPoint> near(Point p) const {
    return std::span(near_).subspan(begin_[p], static_cast<std::size_t>(count_[p]));
  }
  // Those beyond the diamond.
  std::span<const NearPoint> beyond(Point p) const {
    return near(p).subspan(static_cast<std::size_t>(in_diamond_[p]));
  }

  explicit Neighbourhoods(const Geometry& geometry);

 private:
  std::vector<NearPoint> near_;
  PerPoint<std::uint16_t> begin_;
  PerPoint<std::uint8_t> count_;
  PerPoint<std::uint8_t> in_diamond_;
};

// The true colours of the diamond around p, of those of the ring around it.
inline std::uint32_t diamond_colors(const Board& board, const Neighbourhoods& neighbourhoods,
                                    Point p, std::uint32_t ring);
// The diamond around p as `player` sees it.
inline std::uint32_t diamond_code(const Board& board, Player player, Point p,
                                  std::uint32_t true_colors);
// A bit for each empty place of a diamond, and the first place of those that have one.
constexpr std::uint32_t empty_places(std::uint32_t colors) {
  return colors >> 1 & ~colors & 0x555555;
}
constexpr std::size_t first_place(std::uint32_t places) {
  return static_cast<std::size_t>(std::countr_zero(places)) / 2;
}

// --- moves ---------------------------------------------------------------------------------------

// True for what a policy chooses among: legal moves that fill no own eye.
inline bool is_candidate(const Board& board, Player player, Point p) {
  return board.is_legal(player, p) && !board.is_eye(player, p);
}

// A tactical answer to the last move. `offset` in Plain::kAnswer is 3 * what + size, where what is
// 0: captures the last move's chain, 1: rescues a chain from it by a capture, 2: by extending; and
// size is that of the chain, 0: one stone, 1: up to three, 2: more.
struct Answer {
  Point move;
  int offset;
};

class Answers {
 public:
  // All answers to `last`, each move once, with its greatest offset.
  Answers(const Board& board, Player player, Point last);
  const Answer* begin() const { return answers_.data(); }
  const Answer* end() const { return answers_.data() + size_; }

 private:
  void add(Point move, int offset);
  std::array<Answer, FewPoints::kMost> answers_;
  int size_ = 0;
};

// The offset in Plain::kSelfAtari of a move; -1 if it is none.
int self_atari_offset(const Board& board, Player player, Point p);

// The offsets in Plain::kAtari of the largest chains in atari beside p: 0 for single stones and for
// none, 1 for up to three stones, 2 for more.
struct AtariSizes {
  std::array<int, 2> by_color{};
};
AtariSizes atari_sizes(const Board& board, Point p);

// All features of a candidate, kNoFeature in the places left: slow, for training and for tests.
constexpr int kMostFeatures = 8;
using Features = std::array<FeatureKey, kMostFeatures>;
Features features_of(const Board& board, Player player, Point last, Point move);

// --- what every move of a playout asks -----------------------------------------------------------

inline std::uint32_t shape_of_ring(const Board& board, Point p, std::uint32_t ring) {
  std::uint32_t code = ring;
  // Of the two bits of a colour the upper one is 0 for stones alone.
  for (std::uint32_t stones = ~ring & 0x2222; stones != 0; stones &= stones - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(stones)) / 4;
    if (board.in_atari(p + board.geometry().beside[i])) code |= 1u << (16 + i);
  }
  return code;
}

inline std::uint32_t diamond_colors(const Board& board, const Neighbourhoods& neighbourhoods,
                                    Point p, std::uint32_t ring) {
  std::uint32_t colors = ring;
  int field = 16;
  for (const Point far : neighbourhoods.two_away[p]) {
    colors |= static_cast<std::uint32_t>(board.at(far)) << field;
    field += 2;
  }
  return colors;
}

inline std::uint32_t diamond_code(const Board& board, Player player, Point p,
                                  std::uint32_t true_colors) {
  const std::uint32_t code = seen_by(player, true_colors, kDiamondColors);
  return is_stone(board.at(p)) && board.in_atari(p) ? code | kDiamondAtari : code;
}

}  // namespace gtpbot::go
