#include "games/go/fast_playout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "games/go/playout.hpp"

namespace gtpbot::go {
namespace {

constexpr int kTries = 6;  // draws before all self-ataris are weighed
constexpr float kMostShare = static_cast<float>(1u << 30);

std::array<Point, 8> ring(int stride, Point p) {
  return {p + stride, p + (stride + 1), p + 1, p - (stride - 1),
          p - stride, p - (stride + 1), p - 1, p + (stride - 1)};
}

}  // namespace

FastPlayout::FastPlayout(const FastPolicy& policy, Board& board)
    : policy_(policy), board_(board), neighbourhoods_(Neighbourhoods::of(board.size())) {
  for (const Point p : board.geometry().points) {
    rings_[p] = static_cast<std::uint16_t>(ring_code(board, p));
    shares_[p] = Shares{};
  }
  for (int i = 0; i < board.num_empty(); ++i) renew(board.empty(i));
}

void FastPlayout::set(Point p, Shares shares) {
  // In arithmetic modulo 2^64 a negative difference is one too.
  rows_[neighbourhoods_.row[p]] +=
      __builtin_convertvector(shares, Sums) - __builtin_convertvector(shares_[p], Sums);
  shares_[p] = shares;
}

void FastPlayout::renew(Point p) {
  if (!board_.is_empty(p)) {
    if (board_.at(p) != Color::kBorder) set(p, Shares{});
    return;
  }
  const std::uint32_t code = shape_of_ring(board_, p, rings_[p]);
  const float here = policy_.plain(Plain::kLines, neighbourhoods_.lines[p]) * float{kOne};
  Factors factors = std::bit_cast<Factors>(policy_.shape(code)) * here;
  if (code >> 16) factors *= atari_factors(p);
  set(p, shares_of(factors));
}

FastPlayout::Factors FastPlayout::atari_factors(Point p) const {
  const AtariSizes sizes = atari_sizes(board_, p);
  Factors factors = {1.0f, 1.0f};
  for (std::size_t player = 0; player < 2; ++player) {
    for (std::size_t of = 0; of < 2; ++of) {
      const int size = sizes.by_color[of ^ player];
      if (size == 0) continue;
      factors[player] *= policy_.plain(Plain::kAtari, static_cast<int>(2 * of) + size - 1);
    }
  }
  return factors;
}

// A candidate's share is never 0, and only a candidate's is above.
FastPlayout::Shares FastPlayout::shares_of(Factors factors) {
  using Numbers = std::int32_t __attribute__((vector_size(8)));
  const Factors most = {kMostShare, kMostShare};
  const Numbers numbers = __builtin_convertvector(factors < most ? factors : most, Numbers);
  return std::bit_cast<Shares>(numbers - (factors > 0.0f));  // true is -1
}

// Tells the rings of which p is a part.
void FastPlayout::recolor(Point p, Color before) {
  const auto change = static_cast<std::uint32_t>(before) ^ static_cast<std::uint32_t>(board_.at(p));
  int place = 8;  // of p in the ring of the first, which is above it
  for (const Point n : ring(board_.geometry().stride, p)) {
    rings_[n] = static_cast<std::uint16_t>(rings_[n] ^ change << place);
    place = (place + 2) & 15;
  }
}

void FastPlayout::renew_around(Point p) {
  renew(p);
  for (std::uint32_t left = empty_places(rings_[p]); left != 0; left &= left - 1) {
    renew(p + neighbourhoods_.to_place[first_place(left)]);
  }
}

// A point's shape changes if a stone beside it comes or goes, or a chain beside it comes into atari
// or out of it; the point is then that chain's only liberty, before or after.
void FastPlayout::play(Player player, Point p) {
  Points captured;
  Points freed;
  find_captured(player, p, captured, freed);
  board_.play(player, p);
  recolor(p, Color::kEmpty);
  for (const Point stone : captured) recolor(stone, stone_of(opponent(player)));
  renew_around(p);
  for (const Point stone : captured) renew_around(stone);
  for (const Point liberty : freed) renew(liberty);
  for (const Point n : board_.beside(p)) {
    if (is_stone(board_.at(n)) && board_.in_atari(n)) renew(board_.last_liberty(n));
  }
}

// The stones that `player` will capture at p, and the liberties of its chains in atari beside them.
void FastPlayout::find_captured(Player player, Point p, Points& captured, Points& freed) const {
  board_.for_chains_beside(p, opponent(player), [&](Point n) {
    if (!board_.in_atari(n)) return;
    board_.for_stones(n, [&](Point stone) {
      captured.push(stone);
      for (const Point beside : board_.beside(stone)) {
        if (board_.at(beside) != stone_of(player) || !board_.in_atari(beside)) continue;
        const Point liberty = board_.last_liberty(beside);
        if (!freed.contains(liberty)) freed.push(liberty);
      }
    });
  });
}

void FastPlayout::multiply(Player player, Point p, float factor) {
  const auto who = static_cast<std::size_t>(player);
  const std::uint32_t before = shares_[p][who];
  if (before == 0) return;
  changed_[num_changed_++] = {p, before};
  const std::uint32_t after = shares_of(Factors{static_cast<float>(before) * factor})[0];
  shares_[p][who] = after;
  rows_[neighbourhoods_.row[p]][who] += std::uint64_t{after} - before;
}

void FastPlayout::restore(Player player) {
  const auto who = static_cast<std::size_t>(player);
  while (num_changed_ > 0) {
    const auto [p, before] = changed_[--num_changed_];
    rows_[neighbourhoods_.row[p]][who] += std::uint64_t{before} - shares_[p][who];
    shares_[p][who] = before;
  }
}

void FastPlayout::weigh_answers(Player player, Point last) {
  const Point ko = board_.ko();
  if (ko != kNoPoint && !board_.is_legal(player, ko)) multiply(player, ko, 0.0f);
  if (last == kNoPoint) return;
  const std::uint32_t colors = diamond_colors(board_, neighbourhoods_, last, rings_[last]);
  const FastPolicy::Diamond diamond = policy_.diamond(diamond_code(board_, player, last, colors));
  for (std::uint32_t left = empty_places(colors); left != 0; left &= left - 1) {
    const std::size_t place = first_place(left);
    multiply(player, last + neighbourhoods_.to_place[place], diamond.at(place));
  }
  for (const NearPoint& near : neighbourhoods_.beyond(last)) {
    multiply(player, near.point, policy_.plain(Plain::kNear, near.steps));
  }
  for (const Answer& answer : Answers(board_, player, last)) {
    multiply(player, answer.move, policy_.plain(Plain::kAnswer, answer.offset));
  }
}

float FastPlayout::self_atari_factor(Player player, Point p) const {
  const int offset = self_atari_offset(board_, player, p);
  return offset < 0 ? 1.0f : policy_.plain(Plain::kSelfAtari, offset);
}

void FastPlayout::weigh_self_atari(Player player) {
  for (int i = 0; i < board_.num_empty(); ++i) {
    const Point p = board_.empty(i);
    const float factor = self_atari_factor(player, p);
    if (factor < 1.0f) multiply(player, p, factor);
  }
}

Point FastPlayout::draw(Player player, Rng& rng) const {
  const auto who = static_cast<std::size_t>(player);
  const auto size = static_cast<std::size_t>(board_.size());
  std::uint64_t total = 0;
  for (std::size_t row = 0; row < size; ++row) total += rows_[row][who];
  if (total == 0) return kNoPoint;
  __extension__ using Wide = unsigned __int128;
  auto left = static_cast<std::uint64_t>(static_cast<Wide>(rng.next()) * total >> 64);
  std::size_t row = 0;
  while (left >= rows_[row][who]) left -= rows_[row++][who];
  Point p = board_.geometry().points[row * size];
  while (left >= shares_[p][who]) {
    left -= shares_[p][who];
    p = p + 1;
  }
  return p;
}

Point FastPlayout::draw_with_self_atari(Player player, Rng& rng) {
  for (int tries = 0; tries < kTries; ++tries) {
    const Point p = draw(player, rng);
    if (p == kNoPoint || board_.neighbours(p).empty() >= 2) return p;
    const float factor = self_atari_factor(player, p);
    if (factor >= 1.0f || rng.uniform() < static_cast<double>(factor)) return p;
  }
  weigh_self_atari(player);
  return draw(player, rng);
}

Point FastPlayout::choose(Player player, Point last, Rng& rng) {
  weigh_answers(player, last);
  const Point p = draw_with_self_atari(player, rng);
  restore(player);
  return p;
}

std::uint32_t FastPlayout::share(Player player, Point last, Point p) {
  weigh_answers(player, last);
  weigh_self_atari(player);
  const std::uint32_t found = shares_[p][static_cast<std::size_t>(player)];
  restore(player);
  return found;
}

void FastGuide::playout(Board& board, Player to_move, Point last, Rng& rng,
                        FirstPlays* plays) const {
  FastPlayout playout(policy_, board);
  play_out(playout, to_move, last, plays,
           [&](Player player, Point before) { return playout.choose(player, before, rng); });
}

}  // namespace gtpbot::go
