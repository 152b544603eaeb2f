// The fast policy of Go: its shares are the softmax over features found from scratch, its draws
// follow them, and its weights are read whole or not at all.
#include <cmath>
#include <set>

#include "games/go/fast_playout.hpp"
#include "games/go/playout.hpp"
#include "go_boards.hpp"

namespace gtpbot::go {
namespace {

// All features of some random games, with random weights: so every one of them counts.
std::vector<FeatureWeight> random_weights(int size, int games, Rng& rng) {
  std::set<FeatureKey> keys{plain_key(Plain::kRareShape)};
  for (int game = 0; game < games; ++game) {
    Point last = kNoPoint;
    Board board(size);
    Player player = Player::kBlack;
    for (int ply = 0; ply < 2 * size * size; ++ply) {
      for (int i = 0; i < board.num_empty(); ++i) {
        const Point p = board.empty(i);
        if (!is_candidate(board, player, p)) continue;
        for (const FeatureKey key : features_of(board, player, last, p)) {
          if (key != kNoFeature) keys.insert(key);
        }
      }
      last = random_move(board, player, rng);
      if (last == kNoPoint) break;
      board.play(player, last);
      player = opponent(player);
    }
  }
  std::vector<FeatureWeight> weights;
  for (const FeatureKey key : keys) {
    const bool self_atari =
        key >= plain_key(Plain::kSelfAtari) && key < plain_key(Plain::kRareShape);
    if (self_atari) weights.push_back({key, -0.5f - static_cast<float>(rng.uniform())});
    if (!self_atari && rng.below(4) > 0)
      weights.push_back({key, static_cast<float>(2 * rng.uniform() - 1)});
  }
  return weights;
}

double slow_share(const FastPolicy& policy, const Board& board, Player player, Point last,
                  Point p) {
  if (!is_candidate(board, player, p)) return 0.0;
  double sum = 0.0;
  for (const FeatureKey key : features_of(board, player, last, p)) {
    if (key != kNoFeature) sum += static_cast<double>(policy.log_factor(key));
  }
  return std::exp(sum) * FastPlayout::kOne;
}

// Returns the number of self-ataris, kos and captures met.
struct Met {
  int self_ataris = 0;
  int kos = 0;
  int captures = 0;
};

void compare(const FastPolicy& policy, const Board& board, FastPlayout& playout, Player player,
             Point last, Met& met) {
  met.kos += board.ko() != kNoPoint && !board.is_legal(player, board.ko());
  for (const Point p : board.geometry().points) {
    const double expected = slow_share(policy, board, player, last, p);
    const double found = playout.share(player, last, p);
    CHECK(std::abs(found - expected) <= 2.0 + 0.002 * expected);
    if (expected > 0.0) met.self_ataris += self_atari_offset(board, player, p) >= 0;
  }
}

void shares_are_those_of_features_found_from_scratch() {
  Rng rng(1);
  Met met;
  for (const int size : {2, 5, 9, 19}) {
    const FastPolicy policy(random_weights(size, 40 / size, rng));
    for (int game = 0; game < 90 / size; ++game) {
      Board board(size);
      FastPlayout playout(policy, board);
      Player player = Player::kBlack;
      Point last = kNoPoint;
      for (int ply = 0; ply < 2 * size * size; ++ply) {
        if (size < 19 || ply % 5 == 0) {  // from scratch takes long, and errors stay to be seen
          compare(policy, board, playout, player, last, met);
          compare(policy, board, playout, opponent(player), last, met);
        }
        last = playout.choose(player, last, rng);
        if (last == kNoPoint) break;
        met.captures += board.would_capture(player, last);
        playout.play(player, last);
        player = opponent(player);
      }
      board.check();
    }
  }
  CHECK(met.self_ataris > 1000);
  CHECK(met.kos > 5);
  CHECK(met.captures > 100);
}

void draws_follow_the_softmax() {
  Rng rng(2);
  const FastPolicy policy(random_weights(7, 10, rng));
  const Drawn drawn = draw(7,
                           ". . . . O b ."
                           ". X X . . O ."
                           "X O O a . . ."
                           ". X X . . . ."
                           ". . . O X . ."
                           ". . O . O X ."
                           ". . . O X . .");
  Board board = drawn.board;
  FastPlayout playout(policy, board);
  const Point last = drawn.names.at('a') + 1;
  constexpr int kDraws = 1'000'000;
  PerPoint<int> drawn_times;
  double total = 0.0;
  for (const Point p : board.geometry().points) {
    drawn_times[p] = 0;
    total += slow_share(policy, board, Player::kWhite, last, p);
  }
  for (int i = 0; i < kDraws; ++i) ++drawn_times[playout.choose(Player::kWhite, last, rng)];
  double chi_square = 0.0;
  int moves = 0;
  int self_ataris = 0;
  for (const Point p : board.geometry().points) {
    const double share = slow_share(policy, board, Player::kWhite, last, p);
    if (share <= 0.0) CHECK_EQ(drawn_times[p], 0);
    if (share <= 0.0) continue;
    self_ataris += self_atari_offset(board, Player::kWhite, p) >= 0;
    const double expected = kDraws * share / total;
    chi_square += (drawn_times[p] - expected) * (drawn_times[p] - expected) / expected;
    ++moves;
  }
  CHECK(moves > 25);
  CHECK(self_ataris > 0);
  CHECK(chi_square < moves + 4 * std::sqrt(2.0 * moves));
  CHECK(chi_square > moves - 5 * std::sqrt(2.0 * moves));
}

// Where nothing but self-atari is left, it is drawn all the same.
void the_last_candidates_may_be_self_atari() {
  Drawn drawn = draw(5,
                     "a O . X X"
                     "O O O X X"
                     "O O O X ."
                     "O O O X X"
                     "O O . O X");
  std::vector<FeatureWeight> weights;
  for (int i = 0; i < 4; ++i) weights.push_back({plain_key(Plain::kSelfAtari, i), -8.0f});
  const FastPolicy policy(weights);
  FastPlayout playout(policy, drawn.board);
  Rng rng(3);
  int drawn_moves = 0;
  for (const Point p : drawn.board.geometry().points) {
    drawn_moves += is_candidate(drawn.board, Player::kBlack, p);
  }
  const Point p = playout.choose(Player::kBlack, kNoPoint, rng);
  CHECK_EQ(p == kNoPoint, drawn_moves == 0);
}

void a_seed_plays_the_same_game() {
  Rng weights(4);
  const FastGuide guide(FastPolicy(random_weights(9, 4, weights)), 1.0f);
  const auto hashes = [&](std::uint64_t seed) {
    Rng rng(seed);
    std::uint64_t sum = 0;
    for (int i = 0; i < 100; ++i) {
      Board board(9);
      guide.playout(board, Player::kBlack, kNoPoint, rng, nullptr);
      board.check();
      sum = 31 * sum + board.hash();
    }
    return sum;
  };
  CHECK_EQ(hashes(5), hashes(5));
  CHECK(hashes(5) != hashes(6));
}

// Plain feature 1 weighs -1.
std::string file_by_hand() {
  using namespace std::string_literals;
  const std::string count = "\x01\x00\x00\x00"s;
  const std::string sum = "\xd0\x03\xad\xd8\xc7\xdc\x7e\x10"s;
  const std::string key = "\x01\x00\x00\x20"s;
  return "GOFAST01" + count + sum + key + "\x00\xfc"s;
}

std::string file_of(const std::vector<FeatureWeight>& features) {
  std::vector<FeatureKey> keys;
  std::vector<double> weights;
  for (const FeatureWeight& feature : features) {
    keys.push_back(feature.key);
    weights.push_back(static_cast<double>(feature.weight));
  }
  return FastPolicy::encode(keys, weights);
}

void weights_are_read_as_they_were_written() {
  const FeatureKey plain = plain_key(Plain::kLines);
  const FeatureKey near = plain_key(Plain::kNear);
  const FeatureKey shape = feature_key(FeatureKind::kShape, 7);
  const FeatureKey diamond = feature_key(FeatureKind::kDiamond, 3);
  CHECK_EQ(file_of({{plain_key(Plain::kLines, 1), -1.0f}}), file_by_hand());
  const std::string file =
      file_of({{plain, 40.0f}, {near, 0.0004f}, {shape, 0.0f}, {diamond, -40.0f}});
  const std::vector<FeatureWeight> read = FastPolicy::parse(file);
  CHECK_EQ(read.size(), std::size_t{3});  // of those without weight the shape alone
  CHECK(read[0].key == plain && read[0].weight == 32767.0f / 1024);
  CHECK(read[1].key == shape && read[1].weight == 0.0f);
  CHECK(read[2].key == diamond && read[2].weight == -32.0f);
  CHECK_THROWS(file_of({{plain, NAN}}), std::invalid_argument, "not finite");
}

void weights_are_read_whole_or_not_at_all() {
  const std::string file = file_by_hand();
  const std::vector<FeatureWeight> weights = FastPolicy::parse(file);
  CHECK_EQ(weights.size(), std::size_t{1});
  CHECK(weights[0].key == plain_key(Plain::kLines, 1));
  CHECK_EQ(weights[0].weight, -1.0f);
  for (std::size_t size = 0; size < file.size(); ++size) {
    CHECK_THROWS(FastPolicy::parse(file.substr(0, size)), std::invalid_argument, "fast policy");
  }
  for (std::size_t place = 0; place < file.size(); ++place) {
    std::string damaged = file;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    CHECK_THROWS(FastPolicy::parse(damaged), std::invalid_argument, "fast policy");
  }
  std::string too_short = file;
  too_short[11] = '\x80';  // the count is 2^31 more
  CHECK_THROWS(FastPolicy::parse(too_short), std::invalid_argument, "as long as");
  const FeatureKey none = plain_key(Plain::kEnd);
  CHECK_THROWS(FastPolicy({{none, 1.0f}}), std::invalid_argument, "no feature");
  CHECK_THROWS(FastPolicy({{plain_key(Plain::kNear), NAN}}), std::invalid_argument, "no feature");
  CHECK_THROWS(FastPolicy(weights, 0.0f), std::invalid_argument, "temperature");
  CHECK_THROWS(FastPolicy({weights[0], weights[0]}), std::invalid_argument, "ascending");
}

void images_of_a_shape_are_eight_and_come_back() {
  Rng rng(7);
  for (int i = 0; i < 1000; ++i) {
    const auto code = static_cast<std::uint32_t>(rng.below(1u << kDiamondBits));
    for (int s = 0; s < 8; ++s) {
      int ways_back = 0;
      for (int t = 0; t < 8; ++t) ways_back += diamond_image(diamond_image(code, s), t) == code;
      CHECK(ways_back >= 1);
      CHECK(least_diamond(code).code <= diamond_image(code, s));
      for (int place = 0; place < kDiamondPlaces; ++place) {
        const int to = diamond_places(s)[static_cast<std::size_t>(place)];
        CHECK_EQ(diamond_image(code, s) >> (2 * to) & 3, code >> (2 * place) & 3);
      }
    }
  }
}

}  // namespace
}  // namespace gtpbot::go

int main() {
  using namespace gtpbot::go;
  shares_are_those_of_features_found_from_scratch();
  draws_follow_the_softmax();
  the_last_candidates_may_be_self_atari();
  a_seed_plays_the_same_game();
  weights_are_read_as_they_were_written();
  weights_are_read_whole_or_not_at_all();
  images_of_a_shape_are_eight_and_come_back();
  return gtpbot::check::status();
}
