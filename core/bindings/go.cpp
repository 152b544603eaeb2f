// Go, as Python sees it.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "games/go/go_state.hpp"
#include "games/go/move_features.hpp"
#include "games/go/ownership.hpp"
#include "games/go/score.hpp"
#include "symmetry.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gtpbot {
namespace {

using go::GoState;
using go::HandicapBonus;
using go::KoRule;
using go::Point;
using go::Rules;
using go::Scoring;

// The words of an enumeration, by its values in order.
template <class Enum, std::size_t N>
Enum parse(const char* what, const std::string& text, const char* const (&words)[N]) {
  std::string expected;
  for (std::size_t i = 0; i < N; ++i) {
    if (text == words[i]) return static_cast<Enum>(i);
    expected += (i ? ", " : "") + std::string(words[i]);
  }
  throw std::invalid_argument(std::string(what) + " '" + text + "': expected one of " + expected);
}

constexpr const char* kKoWords[] = {"simple", "positional", "situational"};
constexpr const char* kScoringWords[] = {"area", "territory"};
constexpr const char* kBonusWords[] = {"none", "n", "n-1"};

Rules make_rules(const std::string& ko, const std::string& scoring, bool suicide, double komi,
                 const std::string& bonus, bool remove_dead) {
  const double halves = komi * 2;
  if (!(std::abs(halves) <= 2000) || halves != std::floor(halves)) {
    throw std::invalid_argument("komi " + std::to_string(komi) +
                                ": expected a multiple of one half, 1000 at most either way");
  }
  return Rules{parse<KoRule>("ko rule", ko, kKoWords),
               parse<Scoring>("scoring", scoring, kScoringWords),
               suicide,
               parse<HandicapBonus>("handicap bonus", bonus, kBonusWords),
               remove_dead,
               static_cast<int>(halves)};
}

Point checked_point(const GoState& state, int point) {
  const auto& geometry = state.board().geometry();
  if (point < 0 || point >= geometry.area) {
    throw std::invalid_argument("point " + std::to_string(point) + ": expected 0 to " +
                                std::to_string(geometry.area - 1));
  }
  return geometry.point(action_at(point));
}

Player checked_player(int player) {
  if (player != 0 && player != 1) {
    throw std::invalid_argument("player " + std::to_string(player) +
                                ": expected 0 for Black or 1 for White");
  }
  return static_cast<Player>(player);
}

std::vector<int> stones(const GoState& state, int player) {
  const go::Color color = go::stone_of(checked_player(player));
  const auto& geometry = state.board().geometry();
  std::vector<int> out;
  for (int i = 0; i < geometry.area; ++i) {
    if (state.board().at(geometry.point(action_at(i))) == color) out.push_back(i);
  }
  return out;
}

std::vector<Point> checked_points(const GoState& state, const std::vector<int>& points) {
  std::vector<Point> out;
  for (const int point : points) out.push_back(checked_point(state, point));
  return out;
}

double black_score(const GoState& state, const std::vector<int>& dead,
                   const std::vector<int>& seki) {
  return state.black_half_points(checked_points(state, dead), checked_points(state, seki)) / 2.0;
}

// The stones of the chain at a point, and its liberties, both ascending.
std::pair<std::vector<int>, std::vector<int>> chain_at(const GoState& state, int point) {
  const go::Board& board = state.board();
  const Point at = checked_point(state, point);
  if (!go::is_stone(board.at(at))) return {};
  const auto action = [&](Point p) { return index(board.geometry().action(p)); };
  std::vector<int> stones;
  board.for_stones(at, [&](Point stone) { stones.push_back(action(stone)); });
  std::array<Point, go::kMaxArea> found;
  const int count = board.find_liberties(at, go::kMaxArea, found.data());
  std::vector<int> liberties;
  std::transform(found.begin(), found.begin() + count, std::back_inserter(liberties), action);
  std::sort(stones.begin(), stones.end());
  std::sort(liberties.begin(), liberties.end());
  return {stones, liberties};
}

// 1 Black's, -1 White's, 0 nobody's.
std::vector<int> owners(const GoState& state, const std::vector<int>& dead) {
  const auto whose = go::owners(state.board(), checked_points(state, dead));
  std::vector<int> out;
  for (const Point p : state.board().geometry().points) {
    out.push_back((whose[p] == go::Color::kBlack) - (whose[p] == go::Color::kWhite));
  }
  return out;
}

std::string why_illegal(const GoState& state, int action) {
  if (action < 0 || action >= state.num_actions()) return "off the board";
  if (state.is_terminal()) return "the game is over";
  const Action a = action_at(action);
  return state.is_legal(a) ? "" : state.why_illegal(a);
}

using FeatureArray = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>;

// A row a candidate of the player to move: its action, and its features.
FeatureArray move_features(const GoState& state) {
  const go::Board& board = state.board();
  const Player player = state.current_player();
  constexpr std::size_t kColumns = 1 + go::kMostFeatures;
  auto numbers =
      std::make_unique<std::uint32_t[]>(static_cast<std::size_t>(board.num_empty()) * kColumns);
  std::size_t rows = 0;
  for (const Point p : board.geometry().points) {
    if (!go::is_candidate(board, player, p)) continue;
    std::uint32_t* row = numbers.get() + kColumns * rows++;
    *row++ = static_cast<std::uint32_t>(board.geometry().action(p));
    for (const auto key : go::features_of(board, player, state.last_move(), p)) {
      *row++ = static_cast<std::uint32_t>(key);
    }
  }
  return to_numpy<FeatureArray>(std::move(numbers), {rows, kColumns});
}

using PlanesArray = nb::ndarray<nb::numpy, float, nb::ndim<4>>;

// Where positions are in games whose moves lie one after the other.
struct Places {
  Numbers<std::int64_t> first;   // the place of the first move of the game of each
  Numbers<std::int64_t> plies;   // how many moves of it led there
  Numbers<std::uint8_t> turned;  // the symmetry it is seen in
  std::size_t count() const { return first.shape(0); }
};

void check_places(const Places& places, std::size_t moves, std::size_t rules) {
  if (places.plies.shape(0) != places.count() || places.turned.shape(0) != places.count() ||
      rules != places.count()) {
    throw std::invalid_argument("rules, first, plies, turned: expected as many of each");
  }
  for (std::size_t i = 0; i < places.count(); ++i) {
    const std::int64_t first = places.first(i), plies = places.plies(i);
    if (places.turned(i) >= Symmetry::kCount) {
      throw std::invalid_argument("position " + std::to_string(i) + ": symmetry " +
                                  std::to_string(places.turned(i)) + ": expected 0 to 7");
    }
    if (first < 0 || plies < 0 || first > static_cast<std::int64_t>(moves) - plies) {
      throw std::invalid_argument("position " + std::to_string(i) + ": its moves are not there");
    }
  }
}

// What a net sees of positions in games, each turned by its symmetry.
PlanesArray go_planes(int size, const std::vector<Rules>& rules,
                      const Numbers<std::uint16_t>& moves, const Numbers<std::int64_t>& first,
                      const Numbers<std::int64_t>& plies, const Numbers<std::uint8_t>& turned) {
  const Places places{first, plies, turned};
  check_places(places, moves.shape(0), rules.size());
  const PlaneShape shape = GoState(size, {}).plane_shape();
  const auto numbers_each = static_cast<std::size_t>(shape.size());
  auto numbers = std::make_unique_for_overwrite<float[]>(places.count() * numbers_each);
  {
    const nb::gil_scoped_release others_may_run;
    std::vector<float> seen(numbers_each);
    for (std::size_t i = 0; i < places.count(); ++i) {
      GoState state(size, rules[i]);
      const std::uint16_t* move = moves.data() + places.first(i);
      for (std::int64_t ply = places.plies(i); ply-- > 0;) state.apply_action(action_at(*move++));
      state.write_planes(seen.data());
      Symmetry(places.turned(i)).turn_planes(seen.data(), shape, &numbers[i * numbers_each]);
    }
  }
  const auto side = static_cast<std::size_t>(size);
  return to_numpy<PlanesArray>(
      std::move(numbers), {places.count(), side, side, static_cast<std::size_t>(shape.planes)});
}

void bind_go_rules(nb::module_& m) {
  const Rules usual;
  nb::class_<Rules>(m, "GoRules", "The rules of a game of Go, komi included.")
      .def(
          "__init__",
          [](Rules* self, const std::string& ko, const std::string& scoring, bool suicide,
             double komi, const std::string& bonus, bool remove_dead) {
            new (self) Rules(make_rules(ko, scoring, suicide, komi, bonus, remove_dead));
          },
          "ko"_a = kKoWords[static_cast<int>(usual.ko)],
          "scoring"_a = kScoringWords[static_cast<int>(usual.scoring)], "suicide"_a = usual.suicide,
          "komi"_a = usual.komi_halves / 2.0,
          "handicap_bonus"_a = kBonusWords[static_cast<int>(usual.handicap_bonus)],
          "remove_dead"_a = usual.remove_dead,
          "ko: simple, positional or situational; scoring: area or territory; suicide: of two "
          "stones or more; komi: in halves, negative too; handicap_bonus: none, n or n-1 points "
          "for White under area scoring; remove_dead: dead stones are taken off before the count. "
          "Raises ValueError for any other value.")
      .def_prop_ro("ko", [](const Rules& r) { return kKoWords[static_cast<int>(r.ko)]; })
      .def_prop_ro("scoring",
                   [](const Rules& r) { return kScoringWords[static_cast<int>(r.scoring)]; })
      .def_ro("suicide", &Rules::suicide)
      .def_prop_ro("komi", [](const Rules& r) { return r.komi_halves / 2.0; })
      .def_prop_ro("handicap_bonus",
                   [](const Rules& r) { return kBonusWords[static_cast<int>(r.handicap_bonus)]; })
      .def_ro("remove_dead", &Rules::remove_dead)
      .def("__eq__", [](const Rules& a, const Rules& b) { return a == b; });
}

double black_lead(const GoState& state, const std::vector<float>& ownership) {
  const auto size = static_cast<std::size_t>(state.board().size());
  if (ownership.size() != size * size) {
    throw std::invalid_argument(std::to_string(ownership.size()) + " points: expected " +
                                std::to_string(size * size));
  }
  return std::accumulate(ownership.begin(), ownership.end(), 0.0) + state.playout_offset() / 2.0;
}

// Far more than in any game, and few enough that scores in half points never overflow.
constexpr int kMostCaptures = 1'000'000;

// What changes a position beside the moves.
void bind_set_up(nb::class_<GoState, State>& go) {
  go.def_prop_rw("rules", &GoState::rules, &GoState::set_rules,
                 "May be changed at any time; the position stays.")
      .def_prop_rw("handicap", &GoState::handicap, &GoState::set_handicap,
                   "The number of handicap stones, for White's bonus.")
      .def(
          "resume", [](GoState& s, int player) { s.resume(checked_player(player)); }, "player"_a,
          "Makes player the one to move, even in a finished game, which then goes on.")
      .def(
          "add_captures",
          [](GoState& s, int player, int count) {
            const Player by = checked_player(player);
            if (count < 0 || count > kMostCaptures - s.board().captures(by)) {
              throw std::invalid_argument("captures " + std::to_string(count) +
                                          ": expected 0 or more, and at most " +
                                          std::to_string(kMostCaptures) + " in all");
            }
            s.add_captures(by, count);
          },
          "player"_a, "count"_a,
          "As if the player had captured so many more stones before a position that is set up. "
          "Raises ValueError if they are fewer than none, or more than a million in all.")
      .def(
          "place",
          [](GoState& s, int player, int point) {
            s.place(checked_player(player), checked_point(s, point));
          },
          "player"_a, "point"_a,
          "Puts a setup stone; history begins here. Raises IllegalMoveError, and changes nothing, "
          "if the point is taken or a chain would have no liberty.");
}

}  // namespace

void bind_go(nb::module_& m) {
  bind_go_rules(m);
  nb::class_<GoState, State> go(
      m, "GoState",
      "Go. Points are row * size + column with A1 = 0; action size * size is the pass.");
  go.def(nb::init<int, Rules>(), "size"_a, "rules"_a = Rules{},
         "Raises ValueError unless 2 <= size <= 25.");
  bind_set_up(go);
  go.def_prop_ro("size", [](const GoState& s) { return s.board().size(); })
      .def(
          "stone_at",
          [](const GoState& s, int point) {
            const go::Color c = s.board().at(checked_point(s, point));
            return go::is_stone(c) ? go::index(c) : -1;
          },
          "point"_a, "0 Black, 1 White, -1 empty.")
      .def("stones", &stones, "player"_a, "The points of a player's stones, ascending.")
      .def("chain_at", &chain_at, "point"_a,
           "The stones of the chain at a point, and its liberties, both ascending; none where no "
           "stone is.")
      .def(
          "captures", [](const GoState& s, int p) { return s.board().captures(checked_player(p)); },
          "player"_a, "How many stones the player has captured.")
      .def("black_score", &black_score, "dead"_a = std::vector<int>{},
           "seki"_a = std::vector<int>{},
           "Black's points less White's under the rules, komi and bonus included, with the chains "
           "of the dead points taken off and all others alive. Under territory scoring the eyes of "
           "chains in seki count for nobody.")
      .def("owners", &owners, "dead"_a = std::vector<int>{},
           "Whose each point is with the chains of the dead points taken off and all others alive: "
           "[size * size], 1 Black's, -1 White's, 0 nobody's.")
      .def(
          "ownership",
          [](const GoState& s, int playouts, std::uint64_t seed) {
            return go::ownership(s, playouts, seed);
          },
          "playouts"_a, "seed"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Whose each point is at the end of playouts, on average: [size * size], from -1 for "
          "White to 1 for Black.")
      .def("black_lead", &black_lead, "ownership"_a,
           "Black's points less White's, komi and bonus included, if the points are owned so, as "
           "ownership() has it. Raises ValueError for another number of points.")
      .def("move_features", &move_features,
           "What a linear policy sees of the moves of the player to move that fill no eye, passes "
           "left out: uint32 [M, 9], each row an action and the keys of its features, 0 in the "
           "places left.")
      .def("why_illegal", &why_illegal, "action"_a,
           "occupied, suicide, ko, superko, off the board, or the game is over; empty if legal.");
  m.def("go_planes", &go_planes, "size"_a, "rules"_a, "moves"_a, "first"_a, "plies"_a, "turned"_a,
        "What a net sees of B positions of games, float32 [B, size, size, planes], while other "
        "Python threads run: that after plies[i] of the moves from moves[first[i]] on, under "
        "rules[i], in the symmetry turned[i], as nets/symmetry.py numbers them. moves: uint16; "
        "first, plies: int64; turned: uint8. Raises IllegalMoveError or GameOverError, and "
        "ValueError for places and symmetries that are none.");
}

}  // namespace gtpbot
