// A State whose rules are a Python object: see games.base.State for its methods.
#pragma once

#include <nanobind/nanobind.h>

#include "state.hpp"

namespace gtpbot {

// Every call takes the interpreter's lock, so threads take turns; exceptions pass through.
class PyState final : public State {
 public:
  // `object` is cloned, never changed.
  explicit PyState(const nanobind::object& object);
  PyState(const PyState& other);
  PyState& operator=(const PyState&) = delete;
  ~PyState() override;

  std::unique_ptr<State> clone() const override { return std::make_unique<PyState>(*this); }
  void assign(const State& other) override;
  int num_actions() const override { return num_actions_; }
  Player current_player() const override { return player_; }
  bool is_terminal() const override;
  float black_value() const override;
  void legal_actions(ActionList& out) const override;
  // Throws std::invalid_argument too if the same player is to move after it.
  void apply_unchecked(Action a) override;
  std::uint64_t hash() const override;
  // What the object says, if it has such an attribute.
  bool is_history_free() const override;
  std::string to_string() const override;

 private:
  nanobind::object object_;
  int num_actions_;
  Player player_;
};

// The native state in `object`, or a PyState around it. Throws what cloning it throws, and
// std::invalid_argument if it has more than kMaxActions actions.
std::unique_ptr<State> state_from(const nanobind::object& object);

}  // namespace gtpbot
