// Nets and what values leaves by them, as Python sees it.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.hpp"
#include "nets/gathering.hpp"
#include "nets/net_evaluator.hpp"
#include "symmetry.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gtpbot {
namespace {

using HeadNumbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

// Copies what the function answered for one head into `out`, whose size it must have.
void take(const nb::handle& answer, const char* head, std::vector<float>& out) {
  if (out.empty()) return;
  HeadNumbers numbers;
  if (!nb::try_cast(answer, numbers)) {
    throw std::runtime_error(std::string("the net's ") + head +
                             " is no contiguous array of float32");
  }
  if (numbers.size() != out.size()) {
    throw std::runtime_error(std::string("the net's ") + head + " has " +
                             std::to_string(numbers.size()) + " numbers: expected " +
                             std::to_string(out.size()));
  }
  std::copy_n(numbers.data(), out.size(), out.data());
}

// Calls a Python function with planes [count, height, width, planes]; it answers with the pair
// (policy, value), either None if the net has none.
class PyForward {
 public:
  PyForward(nb::object function, PlaneShape shape) : held_(std::make_shared<Held>()) {
    held_->function = std::move(function);
    held_->shape = shape;
  }

  void operator()(std::span<const float> planes, int count, NetOutput& out) const {
    const nb::gil_scoped_acquire gil;
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    const PlaneShape& shape = held_->shape;
    const nb::ndarray<nb::numpy, const float, nb::ndim<4>> view(
        planes.data(), {size(count), size(shape.height), size(shape.width), size(shape.planes)},
        nb::handle());
    const nb::object answer = held_->function(nb::cast(view, nb::rv_policy::reference));
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2) {
      throw std::runtime_error("the net did not answer with a pair (policy, value)");
    }
    take(answer[0], "policy", out.policy);
    take(answer[1], "value", out.value);
  }

 private:
  // A search without the lock may be the last to let go of it.
  struct Held {
    nb::object function;
    PlaneShape shape;
    ~Held() {
      const nb::gil_scoped_acquire gil;
      function.reset();
    }
  };
  std::shared_ptr<Held> held_;
};

void make_net(Net* self, nb::object forward, std::tuple<int, int, int> planes, int num_actions,
              bool has_policy, bool has_value, std::size_t memory, int gathers) {
  const PlaneShape planes_shape{std::get<0>(planes), std::get<1>(planes), std::get<2>(planes)};
  const NetShape shape{planes_shape, num_actions, has_policy, has_value};
  Net::Forward function = PyForward(std::move(forward), planes_shape);
  if (gathers != 0) function = Gathering(std::move(function), shape, gathers);
  new (self) Net(shape, std::move(function), memory);
}

std::optional<Turns> turns_of(std::optional<std::uint64_t> symmetry_seed, int images) {
  constexpr int kMost = Symmetry::kCount;
  if (images < 1 || images > kMost) {
    throw std::invalid_argument("images " + std::to_string(images) + ": expected 1 to " +
                                std::to_string(kMost));
  }
  return symmetry_seed ? std::optional(Turns{*symmetry_seed, images}) : std::nullopt;
}

nb::tuple evaluate_one(const Net& net, const State& state,
                       std::optional<std::uint64_t> symmetry_seed, int images) {
  if (!net.fits(state)) {
    throw std::invalid_argument("this net does not fit the game of: " + state.to_string());
  }
  const State* const states[] = {&state};
  const std::optional<Turns> turns = turns_of(symmetry_seed, images);
  NetOutput output;
  {
    const nb::gil_scoped_release release;  // a net that gathers may wait for another thread
    net.evaluate(states, output, turns);
  }
  return nb::make_tuple(net.shape().has_policy ? nb::cast(output.policy) : nb::none(),
                        net.shape().has_value ? nb::cast(output.value.front()) : nb::none());
}

void make_evaluator(NetEvaluator* self, std::shared_ptr<Net> prior, std::shared_ptr<Net> value,
                    std::shared_ptr<Net> rollout_policy, std::shared_ptr<Evaluator> playouts,
                    const std::string& rollout, std::optional<int> rollout_depth,
                    float value_weight, int batch_size, std::optional<std::uint64_t> symmetry_seed,
                    int images, std::size_t memory) {
  NetRecipe recipe{std::move(prior), std::move(value), std::move(rollout_policy),
                   std::move(playouts)};
  if (rollout == "random") {
    recipe.rollout = Rollout::kRandom;
  } else if (rollout == "policy") {
    recipe.rollout = Rollout::kPolicy;
  } else if (rollout == "playouts") {
    recipe.rollout = Rollout::kPlayouts;
  } else if (rollout != "none") {
    throw std::invalid_argument("rollout '" + rollout +
                                "': expected none, random, policy or playouts");
  }
  if (rollout_depth) recipe.rollout_depth = *rollout_depth;
  recipe.value_weight = value_weight;
  recipe.batch_size = batch_size;
  recipe.turns = turns_of(symmetry_seed, images);
  recipe.memory = memory;
  new (self) NetEvaluator(recipe);
}

}  // namespace

void bind_nets(nb::module_& m) {
  nb::class_<Net>(m, "Net", "A neural net, as a search sees it; remembers positions seen last.")
      .def("__init__", &make_net, "forward"_a, "planes"_a, "num_actions"_a, nb::kw_only(),
           "has_policy"_a, "has_value"_a, "memory"_a = std::size_t{1} << 16, "gathers"_a = 0,
           "forward: a function from planes, float32 [batch, height, width, planes], good only "
           "during the call, to the pair (policy, value): probabilities [batch, num_actions] and "
           "values [batch] from -1 to 1 for the player to move, float32, or None for what the net "
           "has not. Called by several threads. memory: positions to remember. gathers: so many "
           "threads call it at a time, each with the positions of all that wait; 0: each with its "
           "own, at once. Raises ValueError if that is negative.")
      .def("evaluate", &evaluate_one, "state"_a, "symmetry_seed"_a = nb::none(), "images"_a = 1,
           "The pair (policy, value) of one native state: the probabilities of all actions, "
           "illegal ones too, and the value from -1 to 1 for the player to move; None for what "
           "the net has not. With a symmetry_seed the net is shown a position of Go in so many "
           "orientations, from 1 to 8, at random, and one of Connect Four as it is and mirrored, "
           "and the mean counts. Raises ValueError if it is a net for another game.")
      .def_prop_ro("evaluations", &Net::evaluations,
                   "How many positions the function was given so far, images counted one by one.")
      .def_prop_ro("has_policy", [](const Net& n) { return n.shape().has_policy; })
      .def_prop_ro("has_value", [](const Net& n) { return n.shape().has_value; });
  nb::class_<NetEvaluator, Evaluator>(
      m, "NetEvaluator",
      "Values leaves by value_weight * value net + (1 - value_weight) * rollout, in batches.")
      .def("__init__", &make_evaluator, nb::kw_only(), "prior"_a = nb::none(),
           "value"_a = nb::none(), "rollout_policy"_a = nb::none(), "playouts"_a = nb::none(),
           "rollout"_a = "none", "rollout_depth"_a = nb::none(), "value_weight"_a = 0.0f,
           "batch_size"_a = 8, "symmetry_seed"_a = nb::none(), "images"_a = 1,
           "memory"_a = std::size_t{0},
           "prior: the net for the probabilities of moves; none: all alike. value: the net for "
           "values. rollout: none, random, policy, which plays by the net rollout_policy, or "
           "playouts, "
           "which are those of that evaluator, to the end of the game. "
           "rollout_depth: moves after which a rollout is cut off, and is worth what the value "
           "net says, or 0 without one; none: the whole game. symmetry_seed, images: leaves are "
           "shown as Net.evaluate does it; none: as they are. memory: "
           "positions of which to remember what a net said that alone gives priors and values, "
           "whichever way led there, in games where that matters, as Go. Raises ValueError if the "
           "parts do not fit together.");
}

}  // namespace gtpbot
