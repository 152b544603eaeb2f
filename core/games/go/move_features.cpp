#include "games/go/move_features.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

namespace gtpbot::go {
namespace {

constexpr int kCross = 16;  // the bit where the four fields of a shape begin

// (right, up) of each place near a point: the eight around, clockwise from the top; the four two
// away; knight's moves; two diagonal.
struct Step {
  int right;
  int up;
};
constexpr Step kSteps[] = {{0, 1},  {1, 1},  {1, 0},  {1, -1}, {0, -1},  {-1, -1},
                           {-1, 0}, {-1, 1}, {0, 2},  {2, 0},  {0, -2},  {-2, 0},
                           {1, 2},  {2, 1},  {2, -1}, {1, -2}, {-1, -2}, {-2, -1},
                           {-2, 1}, {-1, 2}, {2, 2},  {2, -2}, {-2, -2}, {-2, 2}};

std::uint32_t rotated(std::uint32_t fields, int by, int bits) {
  const std::uint32_t mask = (1u << bits) - 1;
  return (fields << by | fields >> (bits - by)) & mask;
}

// The fields of a ring in the opposite order, the first one kept: a mirror.
std::uint32_t mirrored_ring(std::uint32_t ring) {
  return (ring & 0x0303) | (ring & 0x000c) << 12 | (ring & 0x0030) << 8 | (ring & 0x00c0) << 4 |
         (ring & 0x0c00) >> 4 | (ring & 0x3000) >> 8 | (ring & 0xc000) >> 12;
}

// The same of four fields of `width` bits: the second and the last change places.
std::uint32_t mirrored_cross(std::uint32_t cross, int width) {
  const std::uint32_t field = (1u << width) - 1;
  const std::uint32_t kept = field | field << (2 * width);
  return (cross & kept) | (cross >> width & field) << (3 * width) |
         (cross >> (3 * width) & field) << width;
}

// Four fields of `width` bits follow the ring.
inline std::uint32_t image(std::uint32_t code, int symmetry, int width) {
  std::uint32_t ring = code & 0xffff;
  std::uint32_t cross = code >> kCross & ((1u << (4 * width)) - 1);
  const std::uint32_t rest = code >> (kCross + 4 * width) << (kCross + 4 * width);
  if (symmetry & 4) {
    ring = mirrored_ring(ring);
    cross = mirrored_cross(cross, width);
  }
  const int turns = symmetry & 3;
  if (turns == 0) return ring | cross << kCross | rest;
  return rotated(ring, 4 * turns, 16) | rotated(cross, width * turns, 4 * width) << kCross | rest;
}

int size_class(int stones) { return stones == 1 ? 0 : stones <= 3 ? 1 : 2; }

}  // namespace

std::uint32_t shape_image(std::uint32_t code, int symmetry) { return image(code, symmetry, 1); }
std::uint32_t diamond_image(std::uint32_t code, int symmetry) { return image(code, symmetry, 2); }

DiamondImage least_diamond(std::uint32_t code) {
  DiamondImage least{code, 0};
  for (int s = 1; s < 8; ++s) {
    const std::uint32_t other = image(code, s, 2);
    if (other < least.code) least = {other, s};
  }
  return least;
}

namespace {

using Places = std::array<std::array<std::uint8_t, kDiamondPlaces>, 8>;

constexpr Places make_places() {
  Places places{};
  for (int s = 0; s < 8; ++s) {
    for (int place = 0; place < kDiamondPlaces; ++place) {
      const bool ring = place < 8;
      const int count = ring ? 8 : 4;
      int i = ring ? place : place - 8;
      if (s & 4) i = (count - i) % count;
      i = (i + (s & 3) * (ring ? 2 : 1)) % count;
      places[static_cast<std::size_t>(s)][static_cast<std::size_t>(place)] =
          static_cast<std::uint8_t>(ring ? i : i + 8);
    }
  }
  return places;
}

constexpr Places kPlaces = make_places();

}  // namespace

const std::array<std::uint8_t, kDiamondPlaces>& diamond_places(int symmetry) {
  return kPlaces[static_cast<std::size_t>(symmetry)];
}

std::uint32_t ring_code(const Board& board, Point p) {
  const int stride = board.geometry().stride;
  const auto color = [&](int offset) { return static_cast<std::uint32_t>(board.at(p + offset)); };
  return color(stride) | color(stride + 1) << 2 | color(1) << 4 | color(1 - stride) << 6 |
         color(-stride) << 8 | color(-stride - 1) << 10 | color(-1) << 12 | color(stride - 1) << 14;
}

std::uint32_t shape_code(const Board& board, Point p) {
  return shape_of_ring(board, p, ring_code(board, p));
}

bool shape_is_suicide(Player player, std::uint32_t true_code) {
  const auto own = static_cast<std::uint32_t>(player);
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t beside = true_code >> (4 * i) & 3;
    const bool in_atari = true_code >> (kCross + i) & 1;
    if (beside == static_cast<std::uint32_t>(Color::kEmpty)) return false;
    if (beside < 2 && in_atari != (beside == own)) return false;
  }
  return true;
}

bool shape_is_eye(Player player, std::uint32_t true_code) {
  const auto own = static_cast<std::uint32_t>(player);
  int hostile = 0;
  int at_edge = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t beside = true_code >> (4 * i) & 3;
    const bool border = beside == static_cast<std::uint32_t>(Color::kBorder);
    if (!border && beside != own) return false;
    at_edge |= border;
    hostile += (true_code >> (4 * i + 2) & 3) == 1 - own;
  }
  return hostile + at_edge < 2;
}

Neighbourhoods::Neighbourhoods(const Geometry& geometry) {
  const int size = geometry.size;
  for (std::size_t place = 0; place < kDiamondPlaces; ++place) {
    to_place[place] = kSteps[place].up * geometry.stride + kSteps[place].right;
  }
  for (int i = 0; i < geometry.area; ++i) {
    const Point p = geometry.point(action_at(i));
    const int r = i / size;
    const int c = i % size;
    const int a = std::min({kMostLines, 1 + std::min(r, size - 1 - r)});
    const int b = std::min({kMostLines, 1 + std::min(c, size - 1 - c)});
    row[p] = static_cast<std::uint8_t>(r);
    lines[p] = static_cast<std::uint8_t>(kMostLines * (std::min(a, b) - 1) + std::max(a, b) - 1);
    begin_[p] = static_cast<std::uint16_t>(near_.size());
    in_diamond_[p] = 0;
    two_away[p].fill(kNoPoint);
    for (int place = 0; place < static_cast<int>(std::size(kSteps)); ++place) {
      const Step step = kSteps[place];
      const int up = r + step.up;
      const int right = c + step.right;
      if (up < 0 || up >= size || right < 0 || right >= size) continue;
      in_diamond_[p] = static_cast<std::uint8_t>(in_diamond_[p] + (place < kDiamondPlaces));
      if (place >= 8 && place < kDiamondPlaces) {
        two_away[p][static_cast<std::size_t>(place - 8)] =
            geometry.point(action_at(up * size + right));
      }
      near_.push_back({geometry.point(action_at(up * size + right)),
                       static_cast<std::uint8_t>(place),
                       static_cast<std::uint8_t>(steps_to(place))});
    }
    count_[p] = static_cast<std::uint8_t>(near_.size() - begin_[p]);
  }
}

const Neighbourhoods& Neighbourhoods::of(int size) {
  static std::array<std::unique_ptr<const Neighbourhoods>, kMaxSize + 1> made;
  static std::mutex mutex;
  const Geometry& geometry = Geometry::of(size);
  const std::lock_guard lock(mutex);
  auto& facts = made[static_cast<std::size_t>(size)];
  if (!facts) facts = std::make_unique<const Neighbourhoods>(geometry);
  return *facts;
}

Answers::Answers(const Board& board, Player player, Point last) {
  const auto capture = [&](Point move) { add(move, size_class(board.chain_size(last))); };
  const auto rescue = [&](Point chain) {
    FewPoints rescues;
    add_rescues(board, chain, rescues);
    const Point extension = board.last_liberty(chain);
    const int size = size_class(board.chain_size(chain));
    for (const Point move : rescues) add(move, (move == extension ? 6 : 3) + size);
  };
  answer_ataris(board, player, last, capture, rescue);
}

void Answers::add(Point move, int offset) {
  for (int i = 0; i < size_; ++i) {
    Answer& known = answers_[static_cast<std::size_t>(i)];
    if (known.move != move) continue;
    known.offset = std::max(known.offset, offset);
    return;
  }
  if (size_ < FewPoints::kMost) answers_[static_cast<std::size_t>(size_++)] = {move, offset};
}

int self_atari_offset(const Board& board, Player player, Point p) {
  if (!is_self_atari(board, player, p)) return -1;
  const int stones = chain_size_after(board, player, p);
  return stones <= 2 ? stones - 1 : stones <= 5 ? 2 : 3;
}

AtariSizes atari_sizes(const Board& board, Point p) {
  AtariSizes sizes;
  for (const Point n : board.beside(p)) {
    const Color c = board.at(n);
    if (!is_stone(c) || !board.in_atari(n)) continue;
    int& size = sizes.by_color[static_cast<std::size_t>(c)];
    size = std::max(size, size_class(board.chain_size(n)));
  }
  return sizes;
}

namespace {

FeatureKey shape_key(Player player, std::uint32_t true_code) {
  const std::uint32_t code = seen_by(player, true_code, kShapeColors);
  std::uint32_t least = code;
  for (int s = 1; s < 8; ++s) least = std::min(least, shape_image(code, s));
  return feature_key(FeatureKind::kShape, least);
}

// Of images that are alike, the one where the place is first.
FeatureKey diamond_key(std::uint32_t code, int place) {
  std::uint32_t least = ~0u;
  for (int s = 0; s < 8; ++s) {
    const auto at = std::uint32_t{diamond_places(s)[static_cast<std::size_t>(place)]};
    least = std::min(least, diamond_image(code, s) << 4 | at);
  }
  return feature_key(FeatureKind::kDiamond, least);
}

}  // namespace

Features features_of(const Board& board, Player player, Point last, Point move) {
  const Neighbourhoods& neighbourhoods = Neighbourhoods::of(board.size());
  Features features{};
  std::size_t count = 0;
  const auto add = [&](FeatureKey key) { features[count++] = key; };
  add(shape_key(player, shape_code(board, move)));
  add(plain_key(Plain::kLines, neighbourhoods.lines[move]));
  const AtariSizes sizes = atari_sizes(board, move);
  for (const int of : {0, 1}) {
    const int size = sizes.by_color[static_cast<std::size_t>(of ^ index(player))];
    if (size > 0) add(plain_key(Plain::kAtari, 2 * of + size - 1));
  }
  const int self_atari = self_atari_offset(board, player, move);
  if (self_atari >= 0) add(plain_key(Plain::kSelfAtari, self_atari));
  if (last == kNoPoint) return features;
  for (const NearPoint& near : neighbourhoods.near(last)) {
    if (near.point != move) continue;
    add(plain_key(Plain::kNear, near.steps));
    if (near.place >= kDiamondPlaces) break;
    const std::uint32_t colors =
        diamond_colors(board, neighbourhoods, last, ring_code(board, last));
    const std::uint32_t diamond = diamond_code(board, player, last, colors);
    add(diamond_key(diamond, near.place));
  }
  for (const Answer& answer : Answers(board, player, last)) {
    if (answer.move == move) add(plain_key(Plain::kAnswer, answer.offset));
  }
  return features;
}

}  // namespace gtpbot::go
