// A thread of a search that gathers leaves and has them valued together, as nets like it.
//
// While a leaf waits, the nodes above it count one more visit, lost (virtual loss), so that the
// next simulation looks elsewhere, which is often worth less; so a batch is small while the tree
// is. One that comes to a leaf which another has just begun to expand is in vain, but as long as it
// is pending, too, the next ones find other leaves; in a large tree some such are worth a full
// batch.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "evaluator.hpp"
#include "search/prover.hpp"
#include "search/walker.hpp"

namespace gtpbot {

// Whom a thread asks for proofs, if not null, and its number.
struct Proving {
  Prover* prover = nullptr;
  int thread = 0;
};

// Start reading at run_batch().
class BatchWorker : private Walker {
 public:
  BatchWorker(Tree& tree, const Evaluator& evaluator, const Proving& proving,
              const SearchOptions& options, const SearchLimits& limits, Rng rng)
      : Walker(tree, options, limits, rng),
        evaluator_(evaluator),
        proving_(proving),
        leaves_(static_cast<std::size_t>(evaluator.batch_size())),
        paths_(leaves_.size()) {
    for (Leaf& leaf : leaves_) leaf.state = tree.root_state().clone();
  }

  // Runs up to `most` simulations, or until `idle`; returns how many.
  template <class Select, class Idle>
  std::uint64_t run(const Select& select, std::uint64_t most, const Idle& idle) {
    std::uint64_t done = 0;
    while (done < most && !idle()) done += run_batch(select, most - done);
    return done;
  }

 private:
  // How a way down ended: at a leaf that waits for its evaluation, at one whose value is known or
  // was just proven, or at one that another simulation has just begun to expand.
  enum class End { kWaiting, kKnown, kProven, kTaken };

  // A batch is cut short once so many ways have ended at a taken leaf for each that the tree can
  // spare.
  static constexpr double kTurnsBack = 0.25;

  // Leaves below different moves that must be looked at are not in each other's way.
  std::uint64_t most_waiting() const {
    return std::clamp<std::uint64_t>(std::max(spread(), num_root_actions()), 1, leaves_.size());
  }

  // How many leaves the tree can spare: in batches of n the root must have 2 n visits for each leaf
  // that waits, of all threads. All that there may be, or a power of four, as nets of Go are
  // compiled for such batches, and others are padded or parted.
  std::uint64_t spread() const {
    const auto threads = static_cast<std::uint64_t>(options_.threads);
    const auto spares = [&](std::uint64_t n) {
      return 2 * n * n * threads <= tree_.root().visits();
    };
    if (spares(leaves_.size())) return leaves_.size();
    std::uint64_t n = 1;
    while (4 * n < leaves_.size() && spares(4 * n)) n *= 4;
    return n;
  }

  static bool is_open(const Node& node) { return node.proven() == Proof::kNone; }

  // Simulations until enough leaves wait or a proof settles the root, and then the evaluation of
  // these leaves; `most` in all.
  template <class Select>
  std::uint64_t run_batch(const Select& select, std::uint64_t most) {
    const std::uint64_t size = most_waiting();
    std::uint64_t known = 0;
    std::uint64_t proofs = 0;  // which take about as long as a net does
    std::size_t waiting = 0;
    while (waiting + proofs < size && waiting + known < most && is_open(tree_.root())) {
      const End end = descend(select, leaves_[waiting], paths_[waiting]);
      if (end == End::kTaken) {
        turned_back_.push_back(paths_[waiting]);
        if (turned_back_.size() >= kTurnsBack * spread()) break;
        continue;
      }
      if (end == End::kWaiting) {
        ++waiting;
      } else {
        finish(leaves_[waiting], paths_[waiting]);
        ++known;
        proofs += end == End::kProven ? 1 : 0;
      }
    }
    for (const Path& path : turned_back_) withdraw(path);
    turned_back_.clear();
    if (waiting + known == 0) std::this_thread::yield();  // another thread is about to expand it
    if (waiting == 0) return known;
    evaluator_.evaluate_batch(std::span(leaves_).first(waiting), rng_);
    for (std::size_t i = 0; i < waiting; ++i) finish(leaves_[i], paths_[i]);
    return waiting + known;
  }

  // Goes down to a leaf; each node on the way below the root has one more simulation pending.
  template <class Select>
  End descend(const Select& select, Leaf& leaf, Path& path) {
    leaf.state->assign(tree_.root_state());
    leaf.actions.clear();
    Node* node = &tree_.root();
    path.assign(1, node);
    for (;;) {
      const std::size_t depth = path.size() - 1;
      if (proven(*node) != Proof::kNone) {
        leaf.black_value = black_value_of(node->proven(), mover(depth));
        return End::kKnown;
      }
      // A shared position may have children by a shorter way to it.
      if (!is_within(depth) || (!is_expanded(*node) && !join(*node, *leaf.state))) {
        return arrive(*node, leaf, depth);
      }
      if (proven(*node) != Proof::kNone) continue;
      node = pick(select, *node);
      node->pending.fetch_add(1, std::memory_order_relaxed);
      leaf.state->apply_unchecked(node->action);
      path.push_back(node);
    }
  }

  // Takes over the children that another way to the position has.
  bool join(Node& node, const State& state) {
    if (!tree_.shares() || state.is_terminal()) return false;
    if (!node.begins_to_grow()) return false;
    if (tree_.join(node, state.hash())) return true;
    node.growth.store(Growth::kNone);
    return false;
  }

  End arrive(Node& node, Leaf& leaf, std::size_t depth) {
    if (leaf.state->is_terminal()) {
      if (!leaf.state->is_counted()) return recalled(leaf);
      leaf.black_value = leaf.state->black_value();
      if (leaf.state->is_decided()) settle(node, depth, leaf.black_value);
      return End::kKnown;
    }
    if (!is_within(depth)) return recalled(leaf);
    if (!node.begins_to_grow()) return End::kTaken;
    if (prove_leaf(node, leaf, depth)) return End::kProven;
    leaf.hash = tree_.shares() ? leaf.state->hash() : 0;
    leaf.local_key = tree_.biases().wanted() ? leaf.state->local_key() : 0;
    options_.candidates(evaluator_, *leaf.state, depth, leaf.actions);
    return recalled(leaf);
  }

  End recalled(Leaf& leaf) const { return evaluator_.recall(leaf) ? End::kKnown : End::kWaiting; }

  // Not the root, of which a move is wanted, nor where the prover might think of forbidden moves.
  bool prove_leaf(Node& node, Leaf& leaf, std::size_t depth) {
    if (!proving_.prover || depth == 0 || depth < options_.forbidden.reach()) return false;
    const std::optional<float> known = proving_.prover->prove(*leaf.state, proving_.thread);
    if (!known) return false;
    leaf.black_value = *known;
    settle(node, depth, *known);
    return true;
  }

  // Tells the path what the leaf is worth, and makes the children that it asked for.
  void finish(Leaf& leaf, const Path& path) {
    const float said = leaf.black_value;
    if (!leaf.actions.empty()) correct(leaf, path.size() - 1);
    const std::uint32_t value = fixed_point(leaf.black_value);
    const float square = leaf.black_value * leaf.black_value;
    const Tally squares(1, static_cast<std::uint64_t>(square * Tally::kWin + 0.5f));
    const bool notes_squares = options_.uses_squares();
    for (std::size_t depth = path.size(); depth-- > 0;) {
      credit(path, depth, 1, value);
      if (notes_squares) path[depth]->squares().add(squares);
    }
    if (!leaf.actions.empty()) expand(leaf, said, *path.back(), path.size() - 1);
    withdraw(path);
  }

  float sign(std::size_t depth) const { return mover(depth) == Player::kBlack ? 1.0f : -1.0f; }

  void correct(Leaf& leaf, std::size_t depth) const {
    if (leaf.local_key == 0) return;
    const Biases& biases = tree_.biases();
    const float bias = sign(depth) * biases.of(biases.kind_of(leaf.local_key));
    leaf.black_value = std::clamp(leaf.black_value + options_.bias_correction * bias, -1.0f, 1.0f);
  }

  // Makes the children of `node`, which arrive() has marked as kWhole.
  void expand(const Leaf& leaf, float said, Node& node, std::size_t depth) {
    likely_.clear();
    // Children that are shared may become those of a root unseen.
    const bool all = depth == 0 || tree_.shares() || !options_.leaves_out(leaf.actions.size());
    for (int i = 0; i < leaf.actions.size(); ++i) {
      const float prior = leaf.priors[static_cast<std::size_t>(i)];
      if (all || prior >= SearchOptions::kLeastPrior) likely_.emplace_back(leaf.actions[i], prior);
    }
    const auto count = static_cast<int>(likely_.size());
    Node* first = tree_.allocate(count);
    if (!first) return node.growth.store(Growth::kNone);
    for (int i = 0; i < count; ++i) {
      first[i].init(likely_[static_cast<std::size_t>(i)].first);
      first[i].prior = likely_[static_cast<std::size_t>(i)].second;
    }
    if (tree_.biases().wanted()) {
      new (&tree_.forecast(first)) Forecast{sign(depth) * said, sign(depth) * leaf.black_value,
                                            tree_.biases().kind_of(leaf.local_key), 0.0f, 0.0f};
    }
    if (count < leaf.actions.size()) node.growth.store(Growth::kPart);
    tree_.attach(node, first, count, leaf.hash);
  }

  static void withdraw(const Path& path) {
    for (std::size_t depth = 1; depth < path.size(); ++depth) {
      path[depth]->pending.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  const Evaluator& evaluator_;
  Proving proving_;
  std::vector<Leaf> leaves_;
  std::vector<Path> paths_;
  std::vector<Path> turned_back_;                 // ways that ended at a taken leaf, still pending
  std::vector<std::pair<Action, float>> likely_;  // moves of a leaf that get nodes, with priors
};

}  // namespace gtpbot
