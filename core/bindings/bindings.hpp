// The extension module, one function a file of bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "state.hpp"

namespace gtpbot {

// The action `a`, called `what` in errors. Throws IllegalMove unless it is legal in `state`.
inline Action legal_action(const State& state, int a, const char* what = "action") {
  if (a < 0 || a >= state.num_actions() || !state.is_legal(action_at(a))) {
    throw IllegalMove(std::string(what) + " " + std::to_string(a) + " is illegal in " +
                      state.to_string());
  }
  return action_at(a);
}

// A row of numbers from Python, contiguous in memory.
template <class Number>
using Numbers =
    nanobind::ndarray<const Number, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Hands `numbers` over to an array of numpy's.
template <class Array, class Number>
Array to_numpy(std::unique_ptr<Number[]> numbers, std::initializer_list<std::size_t> shape) {
  const nanobind::capsule owner(numbers.get(),
                                [](void* p) noexcept { delete[] static_cast<Number*>(p); });
  return Array(numbers.release(), shape, owner);
}

void bind_exact(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_go(nanobind::module_& m);
void bind_nets(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_solver(nanobind::module_& m);

}  // namespace gtpbot
