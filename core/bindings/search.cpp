// The tree search, as Python sees it.
#include "search/search.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "games/go/fast_playout.hpp"
#include "games/go/guide.hpp"
#include "py_state.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gtpbot {
namespace {

// The value for the player to move, as text: an empty one says that nothing is proven.
const char* word(Proof proof) {
  constexpr const char* kWords[] = {"", "win", "draw", "loss"};
  return kWords[static_cast<int>(proof)];
}

// The state in `root`. Throws std::invalid_argument if the evaluator does not serve it.
std::unique_ptr<State> state_for(const Evaluator& evaluator, const nb::object& root) {
  std::unique_ptr<State> state = state_from(root);
  if (!evaluator.serves(*state)) {
    throw std::invalid_argument("this evaluator does not serve the game of: " + state->to_string());
  }
  return state;
}

// Player, action, and for how many moves from the root.
using ForbiddenMove = std::tuple<int, int, int>;

ForbiddenMoves forbidden_moves(const std::vector<ForbiddenMove>& moves, int num_actions) {
  ForbiddenMoves out;
  for (const auto& [player, action, plies] : moves) {
    if (player < 0 || player > 1 || action < 0 || action >= num_actions || plies < 0) {
      throw std::invalid_argument("forbidden move (" + std::to_string(player) + ", " +
                                  std::to_string(action) + ", " + std::to_string(plies) +
                                  "): expected a player, 0 or 1, an action, and a number of moves");
    }
    out.add(player == 0 ? Player::kBlack : Player::kWhite, action_at(action), plies);
  }
  return out;
}

void make_search(Search* self, const nb::object& root, std::shared_ptr<Evaluator> evaluator,
                 Rule rule, int threads, std::size_t max_bytes, std::uint64_t seed,
                 std::uint32_t expand_visits, std::optional<int> max_tree_depth,
                 bool transpositions, const std::vector<ForbiddenMove>& forbidden, bool stop_early,
                 std::optional<std::tuple<float, float>> lower_bound,
                 std::shared_ptr<Prover> prover, float bias_correction) {
  const std::unique_ptr<State> start = state_for(*evaluator, root);
  std::optional<LowerBound> bound;
  if (lower_bound) bound = {std::get<0>(*lower_bound), std::get<1>(*lower_bound)};
  const SearchOptions options{rule,           threads,
                              max_bytes,      seed,
                              expand_visits,  max_tree_depth.value_or(SearchOptions::kNoDepth),
                              transpositions, forbidden_moves(forbidden, start->num_actions()),
                              stop_early,     bound,
                              bias_correction};
  new (self) Search(*start, std::move(evaluator), options, std::move(prover));
}

SearchReport run_search(Search& search, std::optional<std::uint64_t> playouts,
                        std::optional<double> seconds, const std::vector<int>& root_actions) {
  SearchLimits limits;
  for (const int a : root_actions) {
    const State& root = search.tree().root_state();
    limits.root_actions.push_back(legal_action(root, a, "root action"));
    if (!search.looks_at(limits.root_actions.back())) {
      throw std::invalid_argument("root action " + std::to_string(a) +
                                  " is legal, but none that is searched in " + root.to_string());
    }
  }
  if (playouts) limits.playouts = std::min(*playouts, limits.playouts);
  if (seconds) limits.seconds = *seconds;
  const nb::gil_scoped_release release;
  return search.run(limits);
}

void set_root_priors(Search& search, const std::map<int, float>& priors) {
  for (const auto& [action, prior] : priors) {
    if (action < 0 || action >= kMaxActions || !search.set_root_prior(action_at(action), prior)) {
      throw std::invalid_argument("action " + std::to_string(action) +
                                  ": expected a move that the root has a node for");
    }
  }
}

double mean_value(const Evaluator& evaluator, const nb::object& root, std::uint32_t playouts,
                  std::uint64_t seed) {
  if (playouts == 0) throw std::invalid_argument("playouts 0: expected at least 1");
  const std::unique_ptr<State> start = state_for(evaluator, root);
  const nb::gil_scoped_release release;
  const std::unique_ptr<State> leaf = start->clone();
  Rng rng(seed);
  double sum = 0.0;
  for (std::uint32_t i = 0; i < playouts; ++i) {
    leaf->assign(*start);
    sum += static_cast<double>(evaluator.evaluate(*leaf, rng, nullptr));
  }
  return sum / playouts;
}

std::vector<int> variation(const ChildReport& report) {
  std::vector<int> out;
  for (const Action a : report.variation) out.push_back(index(a));
  return out;
}

void bind_reports(nb::module_& m) {
  nb::class_<SearchReport>(m, "SearchReport", "What a run of a search did.")
      .def_ro("playouts", &SearchReport::playouts)
      .def_ro("seconds", &SearchReport::seconds);
  nb::class_<ChildReport>(m, "ChildReport", "What a search knows about one move at its root.")
      .def_prop_ro("action", [](const ChildReport& r) { return index(r.action); })
      .def_ro("visits", &ChildReport::visits)
      .def_ro("value_to_move", &ChildReport::value_to_move,
              "From -1 to 1 for the player to move at the root; 0 without visits.")
      .def_ro("deviation", &ChildReport::deviation,
              "The standard error of value_to_move, or a bound on it; 0 without visits.")
      .def_ro("prior", &ChildReport::prior, "Probability from a net; 0 without.")
      .def_prop_ro(
          "proof", [](const ChildReport& r) { return word(r.proof); },
          "win, draw or loss for the player to move at the root; empty if not proven.")
      .def_prop_ro("variation", &variation, "The actions expected, this one first.")
      .def_ro("variation_visits", &ChildReport::variation_visits,
              "The visits of each action of the variation.");
}

void bind_rules(nb::module_& m) {
  nb::class_<Ucb1>(m, "Ucb1", "mean + exploration * sqrt(ln(parent visits) / visits).")
      .def(
          "__init__", [](Ucb1* self, float exploration) { new (self) Ucb1{exploration}; },
          "exploration"_a = 0.7f);
  nb::class_<Rave>(m, "Rave",
                   "UCB1 on (1 - beta) * mean + beta * AMAF mean, with "
                   "beta = m / (n + m + n * m / equivalence).")
      .def(
          "__init__",
          [](Rave* self, float exploration, float equivalence) {
            new (self) Rave{exploration, equivalence};
          },
          "exploration"_a, "equivalence"_a);
}

void bind_rules_with_priors(nb::module_& m) {
  nb::class_<MixedUcb>(m, "MixedUcb",
                       "mean + exploration * sqrt(ln(parent visits) / visits) + "
                       "prior_weight * prior / (1 + visits), values from 0 to 1.")
      .def(
          "__init__",
          [](MixedUcb* self, float exploration, float prior_weight) {
            new (self) MixedUcb{exploration, prior_weight};
          },
          "exploration"_a, "prior_weight"_a);
  nb::class_<WeightedPrior>(m, "WeightedPrior",
                            "weight * prior / (1 + visits) + (1 - weight) * mean, "
                            "values from -1 to 1.")
      .def(
          "__init__", [](WeightedPrior* self, float weight) { new (self) WeightedPrior{weight}; },
          "weight"_a);
  nb::class_<Puct>(m, "Puct",
                   "mean + c * prior * sqrt(parent visits) / (1 + visits), values from -1 to 1, "
                   "c = c_puct + ln((1 + parent visits + 19652) / 19652). A move without visits is "
                   "taken for its parent's mean less fpu_reduction * sqrt(priors of those with). "
                   "c is multiplied by 1 + by_spread * (s / 0.4 - 1), s the standard deviation of "
                   "the values below the parent.")
      .def(
          "__init__",
          [](Puct* self, float c_puct, float fpu_reduction, float by_spread) {
            new (self) Puct{c_puct, fpu_reduction, by_spread};
          },
          "c_puct"_a, "fpu_reduction"_a = 0.0f, "by_spread"_a = 0.0f);
}

void make_fast_policy(go::FastGuide* self, const nb::bytes& weights, float temperature,
                      float prior_weight) {
  const std::string_view bytes(weights.c_str(), weights.size());
  new (self) go::FastGuide(go::FastPolicy(go::FastPolicy::parse(bytes), temperature), prior_weight);
}

nb::bytes encode_fast_policy(const Numbers<std::uint32_t>& keys, const Numbers<double>& weights) {
  if (keys.shape(0) != weights.shape(0)) {
    throw std::invalid_argument("keys, weights: expected as many of each");
  }
  std::vector<go::FeatureKey> features;
  for (std::size_t i = 0; i < keys.shape(0); ++i) {
    features.push_back(static_cast<go::FeatureKey>(keys(i)));
  }
  const std::string file = go::FastPolicy::encode(features, {weights.data(), weights.shape(0)});
  return nb::bytes(file.data(), file.size());
}

void bind_fast_policy(nb::module_& m) {
  nb::class_<go::FastGuide, Evaluator> policy(
      m, "GoFastPolicy",
      "Go playouts by a linear softmax policy, and GoGuide's first beliefs. A move has at most "
      "MOST_FEATURES features. PLAIN, SHAPE and DIAMOND are the first keys of each kind; the plain "
      "ones end with those of self-atari, from SELF_ATARI on, and RARE_SHAPE, which stands for "
      "shapes that have no weight.");
  policy
      .def("__init__", &make_fast_policy, "weights"_a, nb::kw_only(), "temperature"_a = 1.0f,
           "prior_weight"_a = 1.0f,
           "weights: the bytes of a file of weights; temperature: above 1 it evens out the chances "
           "of moves, below 1 it sharpens them; prior_weight as in GoGuide. Raises ValueError if "
           "the weights are damaged.")
      .def_static("encode", &encode_fast_policy, "keys"_a, "weights"_a,
                  nb::sig("def encode(keys: NDArray[numpy.uint32], "
                          "weights: NDArray[numpy.float64]) -> bytes"),
                  "The bytes of a file of weights: [N] keys of features, in ascending order, and "
                  "[N] what each weighs. Raises ValueError for weights that are not finite.");
  // The first and the last plain key tell how many there are.
  static_assert(go::plain_key(go::Plain::kRareShape, 1) == go::plain_key(go::Plain::kEnd));
  const auto number = [](go::FeatureKey key) { return static_cast<std::uint32_t>(key); };
  policy.attr("MOST_FEATURES") = go::kMostFeatures;
  policy.attr("PLAIN") = number(go::plain_key(go::Plain::kLines));
  policy.attr("SELF_ATARI") = number(go::plain_key(go::Plain::kSelfAtari));
  policy.attr("RARE_SHAPE") = number(go::plain_key(go::Plain::kRareShape));
  policy.attr("SHAPE") = number(go::feature_key(go::FeatureKind::kShape, 0));
  policy.attr("DIAMOND") = number(go::feature_key(go::FeatureKind::kDiamond, 0));
}

void bind_evaluators(nb::module_& m) {
  nb::class_<Evaluator>(m, "Evaluator", "Values a leaf by one uniformly random playout.")
      .def(nb::init<>())
      .def("mean_value", &mean_value, "root"_a, "playouts"_a, "seed"_a = 0,
           "The value for Black, from -1 to 1, on average over so many evaluations of `root`, a "
           "native state or any object with the methods of games.base.State. Releases the "
           "interpreter's lock. Raises ValueError for no playouts.");
  nb::class_<DecisivePlayouts, Evaluator>(
      m, "DecisivePlayouts",
      "Values a leaf by one playout whose players win where they can and keep the other from it, "
      "in games that see such moves at a glance, as Connect Four; random otherwise. A search looks "
      "into no other moves, either.")
      .def(nb::init<>());
  nb::class_<go::Guide, Evaluator>(m, "GoGuide", "Go playouts and first beliefs for `rave`.")
      .def(
          "__init__",
          [](go::Guide* self, float atari_rate, float pattern_rate, float prior_weight) {
            new (self) go::Guide({atari_rate, pattern_rate, prior_weight});
          },
          nb::kw_only(), "atari_rate"_a = 0.9f, "pattern_rate"_a = 0.95f, "prior_weight"_a = 1.0f,
          "atari_rate, pattern_rate: how often a playout looks for answers of these kinds to the "
          "last move; prior_weight scales the beliefs about moves not yet tried.");
  bind_fast_policy(m);
}

constexpr const char* kAboutSearch =
    "root: a native state, or any object with the methods of games.base.State. max_bytes: the cap "
    "on the tree's memory. expand_visits: visits of a node before its children are made; "
    "evaluators with nets make them at the first. max_tree_depth: nodes so many moves below the "
    "root get no children. transpositions: share what is known of a position between all ways to "
    "it, where the game allows. forbidden: moves not to look at while others are legal, as "
    "(player, action, for how many moves from the root); not together with transpositions. "
    "stop_early: end a run that has a limit of time once the most visited move cannot be "
    "overtaken, or all others are known to lose. lower_bound: (share, errors), not to stop early "
    "while another move, of more than this share of the most visits, is better even so many "
    "standard errors below its mean. prover: asked before the evaluator, which is to be one with "
    "nets, about leaves below the root, and below the moves within which something is forbidden. "
    "bias_correction: the share of a net's errors so far, in positions that are locally alike, by "
    "which its later values are corrected; not in a tree with transpositions. Raises ValueError "
    "for options out of range, MemoryError for too large a cap.";

}  // namespace

void bind_search(nb::module_& m) {
  bind_reports(m);
  bind_rules(m);
  bind_rules_with_priors(m);
  bind_evaluators(m);
  const SearchOptions usual;
  nb::class_<Search>(m, "Search", "A tree search from one root.")
      .def("__init__", &make_search, "root"_a, "evaluator"_a, "rule"_a, nb::kw_only(),
           "threads"_a = usual.threads, "max_bytes"_a = usual.max_bytes, "seed"_a = usual.seed,
           "expand_visits"_a = usual.expand_visits, "max_tree_depth"_a = nb::none(),
           "transpositions"_a = usual.transpositions, "forbidden"_a = std::vector<ForbiddenMove>(),
           "stop_early"_a = usual.stop_early, "lower_bound"_a = nb::none(),
           "prover"_a.none() = nb::none(), "bias_correction"_a = usual.bias_correction,
           kAboutSearch)
      .def("run", &run_search, "playouts"_a = nb::none(), "seconds"_a = nb::none(),
           "root_actions"_a = std::vector<int>(),
           "Search until a limit, a proof, or stop(); with nets and without rollouts, until the "
           "tree is full. With `seconds` and stop_early, also ends once the most visited move "
           "cannot be overtaken, or all others are known to lose. With `root_actions`, looks at "
           "these moves only, at all equally often, as sequential halving does. Releases the "
           "interpreter's lock. Raises ValueError for a root action that is not searched, as one "
           "that fills an eye, and what a Python state or net raised.")
      .def("set_root_priors", &set_root_priors, "priors"_a,
           "Replace the priors of the root's moves, {action: probability}, as root noise does. "
           "Raises ValueError if the root has no children yet, or for an action without one.")
      .def("stop", &Search::stop, "End a run in progress at once; from any thread.")
      .def(
          "reset",
          [](Search& s, const nb::object& root) { s.reset(*state_for(s.evaluator(), root)); },
          "root"_a, "Forget everything and begin at another state of the same game.")
      .def(
          "advance",
          [](Search& s, int action) {
            const Action legal = legal_action(s.tree().root_state(), action);
            const nb::gil_scoped_release release;
            s.advance(legal);
          },
          "action"_a,
          "Move the root along an action and keep what is known below it, or nothing if moves are "
          "forbidden, as they are for so many moves from the root.")
      // Without the interpreter's lock, as these wait while a run compacts its tree.
      .def("children", &Search::children, "depth"_a = 1, nb::call_guard<nb::gil_scoped_release>(),
           "The moves at the root, best first, with variations of at most `depth` actions; from "
           "any thread, during a run too.")
      .def_prop_ro(
          "root_proof", [](const Search& s) { return word(s.root_proof()); },
          nb::call_guard<nb::gil_scoped_release>(),
          "win, draw or loss for the player to move; empty if not proven.")
      .def_prop_ro("root_visits", &Search::root_visits, nb::call_guard<nb::gil_scoped_release>(),
                   "All playouts through the root, with those that earlier searches left.")
      .def_prop_ro("root_hash", [](const Search& s) { return s.tree().root_state().hash(); })
      .def_prop_ro("num_nodes", [](const Search& s) { return s.tree().num_nodes(); })
      .def_prop_ro("max_nodes", [](const Search& s) { return s.tree().max_nodes(); })
      .def_prop_ro_static("node_bytes", [](nb::handle) { return sizeof(Node); });
}

}  // namespace gtpbot
