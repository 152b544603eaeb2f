#include "py_state.hpp"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace gtpbot {
namespace {

// Python's bool() and int() take numpy's types too, which nanobind's casts do not.
bool is_true(nb::handle value) { return static_cast<bool>(nb::bool_(value)); }

template <class Number>
Number number_in(nb::handle value, const char* what) {
  Number out;
  if (nb::try_cast(value, out)) return out;
  throw std::invalid_argument(std::string(what) + " " + nb::cast<std::string>(nb::repr(value)) +
                              ": expected a number");
}

Player player_to_move(const nb::object& object) {
  const int player = number_in<int>(object.attr("current_player"), "current_player");
  if (player != 0 && player != 1) {
    throw std::invalid_argument("current_player " + std::to_string(player) +
                                ": expected 0 for Black or 1 for White");
  }
  return player == 0 ? Player::kBlack : Player::kWhite;
}

}  // namespace

PyState::PyState(const nb::object& object)
    : object_(object.attr("clone")()),
      num_actions_(number_in<int>(object.attr("num_actions"), "num_actions")),
      player_(player_to_move(object)) {
  if (num_actions_ < 1 || num_actions_ > kMaxActions) {
    throw std::invalid_argument("state with " + std::to_string(num_actions_) +
                                " actions: expected 1 to " + std::to_string(kMaxActions));
  }
}

PyState::PyState(const PyState& other)
    : State(other), num_actions_(other.num_actions_), player_(other.player_) {
  const nb::gil_scoped_acquire gil;
  object_ = other.object_.attr("clone")();
}

PyState::~PyState() {
  const nb::gil_scoped_acquire gil;
  object_.reset();
}

void PyState::assign(const State& other) {
  const nb::gil_scoped_acquire gil;
  const auto& source = static_cast<const PyState&>(other);
  object_ = source.object_.attr("clone")();
  player_ = source.player_;
}

bool PyState::is_terminal() const {
  const nb::gil_scoped_acquire gil;
  return is_true(object_.attr("is_terminal"));
}

float PyState::black_value() const {
  const nb::gil_scoped_acquire gil;
  const auto value = number_in<float>(object_.attr("black_value"), "black_value");
  if (!(value >= -1.0f && value <= 1.0f)) {
    throw std::invalid_argument("black_value " + std::to_string(value) + ": expected -1 to 1");
  }
  return value;
}

void PyState::legal_actions(ActionList& out) const {
  const nb::gil_scoped_acquire gil;
  out.clear();
  for (const nb::handle action : object_.attr("legal_actions")()) {
    const int a = number_in<int>(action, "legal action");
    if (a < 0 || a >= num_actions_ || out.size() == num_actions_) {
      throw std::invalid_argument("legal action " + std::to_string(a) +
                                  ": expected distinct actions from 0 to " +
                                  std::to_string(num_actions_ - 1));
    }
    out.push(action_at(a));
  }
  if (out.empty() && !is_terminal()) {
    throw std::invalid_argument("no legal actions: expected some, or the end of the game, in " +
                                to_string());
  }
}

void PyState::apply_unchecked(Action a) {
  const nb::gil_scoped_acquire gil;
  object_.attr("apply_action")(index(a));
  const Player next = player_to_move(object_);
  // A search turns a value around at each move, and a solver looks who would be next at the end.
  if (next == player_) {
    throw std::invalid_argument("current_player " + std::to_string(index(next)) +
                                " before action " + std::to_string(index(a)) +
                                " and after it: expected players who take turns, in " +
                                to_string());
  }
  player_ = next;
}

std::uint64_t PyState::hash() const {
  const nb::gil_scoped_acquire gil;
  // Python's integers are signed and unbounded; any 64 bits of them will do.
  const nb::object said = object_.attr("hash");
  const nb::int_ hash{nb::handle(said)};
  return nb::cast<std::uint64_t>(hash & nb::int_(~std::uint64_t{0}));
}

bool PyState::is_history_free() const {
  const nb::gil_scoped_acquire gil;
  return is_true(nb::getattr(object_, "is_history_free", nb::bool_(false)));
}

std::string PyState::to_string() const {
  const nb::gil_scoped_acquire gil;
  return nb::cast<std::string>(nb::str(object_));
}

std::unique_ptr<State> state_from(const nb::object& object) {
  const State* native = nullptr;
  if (nb::try_cast(object, native) && native) return native->clone();
  return std::make_unique<PyState>(object);
}

}  // namespace gtpbot
