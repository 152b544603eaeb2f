#include "search/perft.hpp"

#include <memory>
#include <vector>

namespace gtpbot {
namespace {

// line[0] stands where the counting goes on; the states after it are written over.
void count(const std::unique_ptr<State>* line, int depth, Perft& sum) {
  const State& state = *line[0];
  if (depth == 0) {
    ++sum.paths;
    sum.finished += state.is_terminal() ? 1 : 0;
    return;
  }
  ActionList actions;
  state.legal_actions(actions);
  for (const Action a : actions) {
    line[1]->assign(state);
    line[1]->apply_unchecked(a);
    count(line + 1, depth - 1, sum);
  }
}

}  // namespace

Perft perft(const State& root, int depth) {
  std::vector<std::unique_ptr<State>> line;
  for (int i = 0; i <= depth; ++i) line.push_back(root.clone());
  Perft sum;
  count(line.data(), depth, sum);
  return sum;
}

}  // namespace gtpbot
