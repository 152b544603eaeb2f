#include "search/connect_four_prover.hpp"

#include <stdexcept>
#include <string>

namespace gtpbot {
namespace {

// Bytes of each solver: what is proven within a few thousand positions need not be kept for long.
constexpr std::size_t kMemory = std::size_t{16} << 20;

}  // namespace

ConnectFourProver::ConnectFourProver(int threads, std::uint64_t nodes) : nodes_(nodes) {
  if (threads < 1) {
    throw std::invalid_argument("threads " + std::to_string(threads) + ": expected at least 1");
  }
  for (int i = 0; i < threads; ++i) {
    solvers_.push_back(std::make_unique<ConnectFourSolver>(kMemory));
  }
}

bool ConnectFourProver::serves(const State& state) const {
  const auto* game = dynamic_cast<const ConnectFourState*>(&state);
  return game && ConnectFourSolver::serves(*game);
}

std::optional<float> ConnectFourProver::prove(const State& state, int thread) {
  ConnectFourSolver& solver = *solvers_[static_cast<std::size_t>(thread)];
  const std::optional<int> outcome =
      solver.solve(static_cast<const ConnectFourState&>(state), Precision::kOutcome,
                   ConnectFourSolver::kForever, nodes_);
  if (!outcome) return std::nullopt;
  return static_cast<float>(state.current_player() == Player::kBlack ? *outcome : -*outcome);
}

}  // namespace gtpbot
