// The exact searches and the counting of games, as Python sees them.
#include "search/exact.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "py_state.hpp"
#include "search/perft.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gtpbot {
namespace {

std::vector<Action> legal(const State& state, const std::vector<int>& actions) {
  std::vector<Action> out;
  for (const int a : actions) out.push_back(legal_action(state, a));
  return out;
}

ExactReport run_exact(ExactSearch& search, const nb::object& root, const std::vector<int>& actions,
                      std::optional<int> depth, std::optional<std::uint64_t> nodes,
                      std::optional<double> seconds) {
  const std::unique_ptr<State> state = state_from(root);
  const std::vector<Action> choices = legal(*state, actions);
  ExactLimits limits;
  if (depth) limits.depth = *depth;
  if (nodes) limits.nodes = *nodes;
  if (seconds) limits.seconds = *seconds;
  const nb::gil_scoped_release release;
  return search.run(*state, choices, limits);
}

std::vector<int> best_actions(const ExactReport& report) {
  std::vector<int> out;
  for (const Action a : report.best) out.push_back(index(a));
  return out;
}

std::pair<std::uint64_t, std::uint64_t> count_games(const nb::object& root, int depth) {
  if (depth < 0) {
    throw std::invalid_argument("depth " + std::to_string(depth) + ": expected 0 or more");
  }
  const std::unique_ptr<State> state = state_from(root);
  const nb::gil_scoped_release release;
  const Perft sum = perft(*state, depth);
  return {sum.paths, sum.finished};
}

}  // namespace

void bind_exact(nb::module_& m) {
  nb::class_<ExactReport>(m, "ExactReport", "What the deepest look found that was completed.")
      .def_prop_ro("best", &best_actions, "All actions of the greatest value, in ascending order.")
      .def_ro("value_to_move", &ExactReport::value_to_move, "From -1 to 1.")
      .def_ro("proven", &ExactReport::proven, "True if looking deeper cannot change it.")
      .def_ro("depth", &ExactReport::depth, "Moves looked ahead; 0 if there was no time for any.")
      .def_ro("nodes", &ExactReport::nodes, "Positions visited.");
  nb::class_<ExactSearch>(m, "ExactSearch", "Minimax, or alpha-beta with a table of positions.")
      .def(
          "__init__",
          [](ExactSearch* self, bool prune, bool heuristic) {
            const auto method = prune ? ExactMethod::kAlphaBeta : ExactMethod::kMinimax;
            new (self) ExactSearch(method, heuristic);
          },
          "prune"_a, "heuristic"_a = true,
          "prune: alpha-beta; otherwise plain minimax. heuristic: positions at the horizon are "
          "judged by the state's heuristic; otherwise they count as drawn.")
      .def("run", &run_exact, "root"_a, "actions"_a, nb::kw_only(), "depth"_a = nb::none(),
           "nodes"_a = nb::none(), "seconds"_a = nb::none(),
           "Weigh `actions` in `root`, a native state or any object with the methods of "
           "games.base.State, looking one move ahead, then two, to a limit, a proof, or stop(). "
           "Releases the interpreter's lock. Raises IllegalMoveError for an action that is not "
           "legal, ValueError for none or a depth not from 1 to 1000.")
      .def("stop", &ExactSearch::stop, "End a run in progress at once; from any thread.");
  m.def("perft", &count_games, "state"_a, "depth"_a,
        "How many sequences of exactly `depth` legal moves there are, and how many of them end "
        "the game.");
}

}  // namespace gtpbot
