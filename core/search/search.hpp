// The tree search. One simulation:
//   descend   from the root, each time to the child that the selection rule picks (select.hpp);
//   expand    the node where that ends, once it has visits (SearchOptions::expand_visits), with the
//             candidates of its state;
//   evaluate  the leaf, by a playout unless the game ended there (evaluator.hpp), or it can be
//             proven how it ends (prover.hpp);
//   back up   the value along the path, flipped at each step, and what was proven.
// Playouts value one leaf at a time (playout_worker.hpp, start reading at simulate); nets value
// leaves in batches and expand them at their first visit (batch_worker.hpp).
//
// Threads that play a fast game would spend their time passing the upper nodes to and fro. So a
// thread goes down to a node with many visits and runs a batch of simulations from there, about
// twenty microseconds' worth, before it tells the nodes above. Meanwhile the batch counts there as
// lost (virtual loss), which keeps the other threads away. One thread alone runs no batches.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "evaluator.hpp"
#include "search/options.hpp"
#include "search/prover.hpp"
#include "search/tree.hpp"

namespace gtpbot {

// What a run did.
struct SearchReport {
  std::uint64_t playouts = 0;
  double seconds = 0;
};

// What is known about one child of the root.
struct ChildReport {
  Action action;
  std::uint32_t visits;
  float value_to_move;  // from -1 to 1, for the player to move at the root; 0 without visits
  float deviation;      // the standard error of value_to_move, or a bound on it
  float prior;
  Proof proof;  // for the player to move at the root
  std::vector<Action> variation;
  std::vector<std::uint32_t> variation_visits;  // of each move of the variation
};

class Search {
 public:
  // `prover`, unless null, is asked before the evaluator, which is to be one that works in batches:
  // about leaves below the root, and below the moves within which something is forbidden. Throws
  // std::invalid_argument for options out of range, std::bad_alloc for too little memory.
  Search(const State& root, std::shared_ptr<const Evaluator> evaluator,
         const SearchOptions& options, std::shared_ptr<Prover> prover = nullptr);
  ~Search();

  // Searches until a limit, a proof of the root, or stop(). With a limit of time and stop_early,
  // also ends once the most visited move cannot be overtaken, or all others are known to lose; if
  // the evaluator is_constant(), once the tree is full, as it would say of its leaves what it said
  // before. A tree that is full is compacted first, if it has garbage enough and there is time.
  // One call at a time. Throws what a state threw, and then has forgotten everything below
  // the root. Precondition: it looks_at() all of limits.root_actions.
  SearchReport run(const SearchLimits& limits);
  // Makes a run in progress end at once; any thread. A run that begins later is not affected.
  void stop();

  const Tree& tree() const { return tree_; }
  const Evaluator& evaluator() const { return *evaluator_; }
  void reset(const State& root) {
    tree_.reset(root);
    counted_ = 0;
  }
  // Forgets everything if moves are forbidden, as they are for so many moves from the root. Throws
  // what an evaluator threw, and then has forgotten everything.
  void advance(Action action);

  // True if a run may look at `action` from the root. Not during a run.
  bool looks_at(Action action);
  // Replaces the prior of a move of the root; false if the move has no node. Not during a run.
  bool set_root_prior(Action action, float prior);

  // Best first; `depth` bounds the variations. Only moves that have nodes. Any thread, during a
  // run too, but not while another moves the root.
  std::vector<ChildReport> children(int depth) const;
  // The proven result for the player to move at the root. Any thread, as children().
  Proof root_proof() const;
  // All playouts through the root, with those that earlier runs left. Any thread, as children().
  std::uint32_t root_visits() const;

 private:
  void work(int thread);
  void simulate_until_done(int thread);
  template <class Worker>
  void simulate_with(Worker worker);
  std::uint64_t claim();
  void run_threads();
  bool is_over(double elapsed) const;
  bool misses_room(std::uint64_t playouts) const;
  bool is_worth_compacting() const;
  void make_room();
  // Frees what the tree left behind, unless more than `most` of its nodes live.
  void compact(std::size_t most = ~std::size_t{0});
  void clear() {
    tree_.clear();
    counted_ = 0;
  }
  // Gives the root, which was below another, the unlikely moves that it had no nodes for.
  void complete_root();
  // Null if the move has no node.
  Node* root_child(Action action);
  bool settled(double elapsed) const;
  bool has_greatest_bound(const Node& most_visited) const;
  float deviation_of(const Node& child) const;

  Tree tree_;
  std::shared_ptr<const Evaluator> evaluator_;
  std::shared_ptr<Prover> prover_;
  SearchOptions options_;
  std::uint64_t runs_ = 0;     // each has its own random numbers
  std::uint64_t counted_ = 0;  // no node has more visits, whichever ways led to it

  // Of the run in progress.
  SearchLimits limits_;
  std::chrono::steady_clock::time_point start_;
  double paused_ = 0.0;              // seconds in which no thread searched
  std::uint32_t visits_before_ = 0;  // of the root
  bool may_compact_ = false;         // once the tree is full

  alignas(64) std::atomic<bool> stop_{false};            // read at every simulation
  alignas(64) std::atomic<std::uint64_t> unclaimed_{0};  // playouts that no thread took on yet
  std::atomic<std::uint64_t> finished_{0};
  alignas(64) mutable std::mutex mutex_;  // guards what follows, and the end of the tree
  std::condition_variable wake_;
  int working_ = 0;
  std::exception_ptr error_;
};

}  // namespace gtpbot
