#include "bindings.hpp"
#include "state.hpp"

namespace nb = nanobind;

NB_MODULE(gtpcore, m) {
  // A thread may hold references when the process ends, and stderr belongs to the controller.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of gtpbot: rules, playouts and tree search.";
  nb::exception<gtpbot::IllegalMove>(m, "IllegalMoveError", PyExc_ValueError);
  nb::exception<gtpbot::GameOver>(m, "GameOverError", PyExc_ValueError);
  gtpbot::bind_games(m);
  gtpbot::bind_go(m);
  gtpbot::bind_solver(m);
  gtpbot::bind_search(m);
  gtpbot::bind_nets(m);
  gtpbot::bind_exact(m);
}
