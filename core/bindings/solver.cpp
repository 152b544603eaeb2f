// The solver of Connect Four, as Python sees it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unordered_map>

#include "bindings.hpp"
#include "search/connect_four_prover.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gtpbot {
namespace {

constexpr std::int8_t kNoScore = -128;

using Labels = nb::ndarray<nb::numpy, std::int8_t, nb::ndim<2>>;
using Keys = Numbers<std::uint64_t>;
using Bytes = Numbers<std::int8_t>;

std::span<const std::uint8_t> view(const nb::bytes& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Precision precision_of(bool exact) { return exact ? Precision::kScore : Precision::kOutcome; }
double seconds_of(std::optional<double> seconds) {
  return seconds.value_or(ConnectFourSolver::kForever);
}

std::optional<int> solve(ConnectFourSolver& solver, const ConnectFourState& state, bool exact,
                         std::optional<double> seconds) {
  const nb::gil_scoped_release release;
  return solver.solve(state, precision_of(exact), seconds_of(seconds));
}

nb::dict solve_moves(ConnectFourSolver& solver, const ConnectFourState& state, bool exact,
                     std::optional<double> seconds) {
  ConnectFourSolver::MoveScores scores;
  {
    const nb::gil_scoped_release release;
    scores = solver.solve_moves(state, precision_of(exact), seconds_of(seconds));
  }
  nb::dict out;
  for (std::size_t column = 0; column < scores.size(); ++column) {
    if (scores[column]) out[nb::int_(column)] = *scores[column];
  }
  return out;
}

void check_all_there(const std::vector<const ConnectFourState*>& states) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i]) continue;
    throw nb::type_error(
        ("states[" + std::to_string(i) + "] is None: expected a ConnectFourState").c_str());
  }
}

Labels label(ConnectFourSolver& solver, const std::vector<const ConnectFourState*>& states,
             bool exact, std::optional<double> seconds) {
  check_all_there(states);
  std::vector<ConnectFourSolver::MoveScores> all;
  {
    const nb::gil_scoped_release release;
    all = solver.solve_moves(states, precision_of(exact), seconds_of(seconds));
  }
  constexpr std::size_t kWidth = ConnectFourSolver::kColumns;
  auto labels = std::make_unique<std::int8_t[]>(all.size() * kWidth);
  std::int8_t* next = labels.get();
  for (const auto& scores : all) {
    for (const auto& score : scores) *next++ = static_cast<std::int8_t>(score.value_or(kNoScore));
  }
  return to_numpy<Labels>(std::move(labels), {all.size(), kWidth});
}

std::vector<ConnectFourState> followers(const std::vector<const ConnectFourState*>& states) {
  check_all_there(states);
  const nb::gil_scoped_release release;
  std::vector<ConnectFourState> found;
  std::unordered_map<std::uint64_t, std::size_t> places;
  ActionList moves;
  for (const ConnectFourState* state : states) {
    state->legal_actions(moves);
    for (const Action move : moves) {
      ConnectFourState follower = *state;
      follower.apply_unchecked(move);
      if (follower.is_terminal()) continue;
      const auto [at, is_new] =
          places.try_emplace(ConnectFourSolver::book_key(follower), found.size());
      if (is_new) found.emplace_back();
      found[at->second] = follower;
    }
  }
  return found;
}

nb::bytes encode_book(int most_discs, const Keys& keys, const Bytes& scores, const Bytes& answers) {
  const std::size_t count = keys.size();
  if (scores.size() != count || answers.size() != count) {
    throw std::invalid_argument(std::to_string(count) + " keys with " +
                                std::to_string(scores.size()) + " scores and " +
                                std::to_string(answers.size()) + " answers: expected one of each");
  }
  std::vector<ConnectFourBook::Line> lines;
  lines.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int score = scores.data()[i];
    lines.push_back({keys.data()[i], {score, score}, answers.data()[i]});
  }
  const std::vector<std::uint8_t> bytes = ConnectFourBook::encode(most_discs, lines);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_solver(nb::module_& m) {
  nb::class_<ConnectFourSolver> solver(
      m, "ConnectFourSolver",
      "Connect Four on 7x6, solved. Values are for the player to move, 1, 0 or -1; exact ones tell "
      "how soon: a win is worth 22 less the discs that the winner will have played, a loss the "
      "negative. One call at a time; different solvers may work in different threads, and all "
      "calls release the interpreter's lock. `seconds` and stop() end them early. All raise "
      "ValueError for another size of the board.");
  solver
      .def(
          "__init__",
          [](ConnectFourSolver* self, std::size_t max_bytes, const std::optional<nb::bytes>& book) {
            new (self) ConnectFourSolver(max_bytes,
                                         book ? ConnectFourBook(view(*book)) : ConnectFourBook());
          },
          nb::kw_only(), "max_bytes"_a = std::size_t{64} << 20, "book"_a = nb::none(),
          "max_bytes: the cap on what is remembered of positions; all of it stays from call to "
          "call. book: the contents of a book. Raises ValueError for less than 1 MiB or no book.")
      .def("solve", &solve, "state"_a, nb::kw_only(), "exact"_a = false, "seconds"_a = nb::none(),
           "The value of a position; None if not solved in time. Raises GameOverError.")
      .def("solve_moves", &solve_moves, "state"_a, nb::kw_only(), "exact"_a = false,
           "seconds"_a = nb::none(),
           nb::sig("def solve_moves(self, state: ConnectFourState, *, exact: bool = False, "
                   "seconds: float | None = None) -> dict[int, int]"),
           "The values of the positions after each legal action, for the player who makes it; "
           "without those not solved in time. Raises GameOverError.")
      .def("label", &label, "states"_a, nb::kw_only(), "exact"_a = false, "seconds"_a = nb::none(),
           "As solve_moves, of many positions at once: [N, 7] int8, NO_SCORE for actions that are "
           "illegal, and in all of a finished game. If ended early, N is how many positions were "
           "done.")
      .def("book_answer", &ConnectFourSolver::book_answer, "state"_a,
           "The action that the book plays, which keeps the outcome; None if it has no answer.")
      .def_static("followers", &followers, "states"_a,
                  "What each move of each position leads to, as far as the game goes on: of those "
                  "that are the same, or mirror images, the last, where the first came.")
      .def_static("book_key", &ConnectFourSolver::book_key, "state"_a,
                  "The number under which a book has a position and its mirror image.")
      .def_static("book_action", &ConnectFourSolver::book_column, "state"_a, "action"_a,
                  "An action of `state` in the image that has its book_key, or one of that image "
                  "in `state`.")
      .def_static(
          "encode_book", &encode_book, "most_discs"_a, "keys"_a, "scores"_a, "answers"_a,
          nb::sig("def encode_book(most_discs: int, keys: NDArray[numpy.uint64], "
                  "scores: NDArray[numpy.int8], answers: NDArray[numpy.int8]) -> bytes"),
          "The contents of a book of positions of at most so many discs: [N] their book_key, "
          "exact scores for the player to move, and what to play, a book_action, or -1. "
          "Raises ValueError for an answer that is no column, a score beyond -21 to 21, and "
          "discs beyond 0 to 42. What is not in it is searched.")
      .def("stop", &ConnectFourSolver::stop, "End a call in progress at once; from any thread.")
      .def_prop_ro("nodes", &ConnectFourSolver::nodes, "Positions visited since the beginning.");
  solver.attr("NO_SCORE") = static_cast<int>(kNoScore);
  nb::class_<Prover>(m, "Prover", "Tells a search of leaves how they end if nobody errs.");
  nb::class_<ConnectFourProver, Prover>(m, "ConnectFourProver",
                                        "Searches a position of 7x6 exactly.")
      .def(nb::init<int, std::uint64_t>(), nb::kw_only(), "threads"_a, "nodes"_a,
           "threads: of the search; each has 16 MiB to remember positions. nodes: positions that a "
           "proof may visit. Raises ValueError for no threads.");
}

}  // namespace gtpbot
