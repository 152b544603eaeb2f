// The extension module, one function a file of bindings.
#pragma once

#include <nanobind/nanobind.h>

namespace gtpbot {

void bind_exact(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_go(nanobind::module_& m);
void bind_nets(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_solver(nanobind::module_& m);

}  // namespace gtpbot
