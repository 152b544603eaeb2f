// State and the small games, as Python sees them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "games/coin.hpp"
#include "games/connect_four.hpp"
#include "games/tictactoe.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gtpbot {
namespace {

Action checked_action(const State& state, int a) {
  if (a < 0 || a >= state.num_actions()) {
    throw IllegalMove("action " + std::to_string(a) + ": expected 0 to " +
                      std::to_string(state.num_actions() - 1));
  }
  return action_at(a);
}

std::vector<int> indices(const ActionList& actions) {
  std::vector<int> out;
  out.reserve(static_cast<std::size_t>(actions.size()));
  for (Action a : actions) out.push_back(index(a));
  return out;
}

std::vector<int> legal_actions(const State& state) {
  ActionList actions;
  state.legal_actions(actions);
  return indices(actions);
}

std::vector<int> candidates(const State& state) {
  ActionList actions;
  state.candidates(actions);
  return indices(actions);
}

using Planes = nb::ndarray<nb::numpy, float, nb::ndim<3>>;

Planes planes(const State& state) {
  const PlaneShape shape = state.plane_shape();
  if (shape.size() == 0) {
    throw std::invalid_argument("this game has no planes for a net: " + state.to_string());
  }
  auto numbers = std::make_unique<float[]>(static_cast<std::size_t>(shape.size()));
  state.write_planes(numbers.get());
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  return to_numpy<Planes>(std::move(numbers),
                          {size(shape.height), size(shape.width), size(shape.planes)});
}

void bind_state(nb::module_& m) {
  nb::class_<State>(m, "State", "A position of a game; the words are OpenSpiel's.")
      .def("clone", &State::clone, "An independent copy.")
      .def_prop_ro("num_actions", &State::num_actions, "Actions are 0 to num_actions - 1.")
      .def_prop_ro(
          "current_player", [](const State& s) { return index(s.current_player()); },
          "Who is to move: 0 for Black, the first player, 1 for White.")
      .def_prop_ro("is_terminal", &State::is_terminal, "True once the game is over.")
      .def_prop_ro("black_value", &State::black_value,
                   "Of a finished game: 1 if Black won, -1 if White won, 0 if drawn.")
      .def("legal_actions", &legal_actions, "The legal actions in ascending order.")
      .def("candidates", &candidates,
           "The legal actions that a search looks at, ascending: in Go none that fills an own eye.")
      .def(
          "is_legal",
          [](const State& s, int a) {
            return a >= 0 && a < s.num_actions() && s.is_legal(action_at(a));
          },
          "action"_a, "True if the action may be played now.")
      .def(
          "apply_action", [](State& s, int a) { s.apply_action(checked_action(s, a)); }, "action"_a,
          "Plays an action. Raises IllegalMoveError or GameOverError and changes nothing.")
      .def(
          "playout",
          [](const State& s, std::uint64_t seed) {
            Rng rng(seed);
            return s.clone()->playout(rng, nullptr);
          },
          "seed"_a, "The value for Black of one random playout from here; changes nothing.")
      .def_prop_ro("black_heuristic", &State::black_heuristic,
                   "Of a game that is not over: a guess of its value for Black, from -1 to 1.")
      .def_prop_ro(
          "plane_shape",
          [](const State& s) {
            const PlaneShape shape = s.plane_shape();
            return std::tuple(shape.height, shape.width, shape.planes);
          },
          "The shape of planes(); (0, 0, 0) if the game has none.")
      .def("planes", &planes,
           "What a net sees, float32 [height, width, planes], from the view of the player to move; "
           "row 0 is the lowest. Raises ValueError if the game has no planes.")
      .def_prop_ro("hash", &State::hash, "Equal for equal positions with the same side to move.")
      .def_prop_ro("local_key", &State::local_key,
                   "Equal where the same moves came last and what is about them is alike.")
      .def("__str__", &State::to_string);
}

int checked_below(int i, int limit, const char* what) {
  if (i < 0 || i >= limit) {
    throw std::invalid_argument(std::string(what) + " " + std::to_string(i) + ": expected 0 to " +
                                std::to_string(limit - 1));
  }
  return i;
}

void bind_coin(nb::module_& m) {
  nb::class_<CoinState, State>(m, "CoinState", "The coin game.")
      .def(nb::init<int, int>(), "pile"_a = 21, "max_take"_a = 2,
           "Raises ValueError unless 1 <= max_take <= pile <= 1000, and max_take is at most 626.")
      .def_prop_ro("coins", &CoinState::coins, "Coins left.");
}

void bind_tictactoe(nb::module_& m) {
  nb::class_<TicTacToeState, State>(m, "TicTacToeState", "Tic Tac Toe.")
      .def(nb::init<>())
      .def(
          "stone_at",
          [](const TicTacToeState& s, int point) {
            return s.stone_at(checked_below(point, TicTacToeState::kCells, "point"));
          },
          "point"_a, "Who has the cell row * 3 + column: 0 Black, 1 White, -1 nobody.");
}

void bind_connect_four(nb::module_& m) {
  nb::class_<ConnectFourState, State>(m, "ConnectFourState", "Connect Four.")
      .def(nb::init<int, int, int>(), "columns"_a = 7, "rows"_a = 6, "length"_a = 4,
           "Raises ValueError unless columns * (rows + 1) <= 64 and "
           "2 <= length <= max(columns, rows).")
      .def_prop_ro("columns", &ConnectFourState::columns)
      .def_prop_ro("rows", &ConnectFourState::rows)
      .def_prop_ro("length", &ConnectFourState::length, "How many discs in a row win.")
      .def(
          "height",
          [](const ConnectFourState& s, int column) {
            return s.height(checked_below(column, s.columns(), "column"));
          },
          "column"_a, "How many discs lie in a column, and the row of the next.")
      .def(
          "stone_at",
          [](const ConnectFourState& s, int point) {
            return s.stone_at(checked_below(point, s.columns() * s.rows(), "point"));
          },
          "point"_a, "Who has the cell row * columns + column: 0 Black, 1 White, -1 nobody.");
}

}  // namespace

void bind_games(nb::module_& m) {
  bind_state(m);
  bind_coin(m);
  bind_tictactoe(m);
  bind_connect_four(m);
}

}  // namespace gtpbot
