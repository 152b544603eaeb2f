// Proofs for searches of Connect Four on 7x6.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/connect_four_solver.hpp"
#include "search/prover.hpp"

namespace gtpbot {

// Asks a solver, which may look at so many positions. Each thread has a solver of its own.
class ConnectFourProver final : public Prover {
 public:
  // Throws std::invalid_argument for no threads.
  ConnectFourProver(int threads, std::uint64_t nodes);

  int threads() const override { return static_cast<int>(solvers_.size()); }
  bool serves(const State& state) const override;
  std::optional<float> prove(const State& state, int thread) override;

 private:
  std::vector<std::unique_ptr<ConnectFourSolver>> solvers_;
  std::uint64_t nodes_;
};

}  // namespace gtpbot
