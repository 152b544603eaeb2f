// A thread of a search that values one leaf after the other, by playouts.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>

#include "evaluator.hpp"
#include "search/walker.hpp"

namespace gtpbot {

// Has all that it needs to run simulations without allocating. Start reading at simulate().
class PlayoutWorker : private Walker {
 public:
  // The most simulations of a batch.
  static constexpr std::uint64_t kMostBatched = 256;

  PlayoutWorker(Tree& tree, const Evaluator& evaluator, const SearchOptions& options,
                const SearchLimits& limits, Rng rng)
      : Walker(tree, options, limits, rng),
        evaluator_(evaluator),
        alone_(options.threads == 1),
        state_(tree.root_state().clone()),
        anchor_state_(alone_ ? nullptr : state_->clone()) {
    path_.reserve(256);
  }

  // Runs up to `most` simulations, or until `idle`; returns how many.
  template <class Select, class Idle>
  std::uint64_t run(const Select& select, std::uint64_t most, const Idle& idle) {
    std::uint64_t done = 0;
    path_.assign(1, &tree_.root());
    if (alone_) {
      for (; done < most && !idle(); ++done) simulate(select, tree_.root_state());
      return done;
    }
    const auto start = Clock::now();
    while (done < most && !idle()) {
      done += run_batch(select, std::min<std::uint64_t>(batch_, most - done), idle);
    }
    const double mean = std::chrono::duration<double>(Clock::now() - start).count() /
                        static_cast<double>(std::max<std::uint64_t>(done, 1));
    batch_ =
        static_cast<std::uint32_t>(std::clamp(kBatchSeconds / mean, 1.0, double{kMostBatched}));
    return done;
  }

 private:
  using Clock = std::chrono::steady_clock;
  // How long a batch should take, and how many visits a node must have for each simulation of a
  // batch below it, so that the batch hardly changes what the rule would choose.
  static constexpr double kBatchSeconds = 20e-6;
  static constexpr std::uint32_t kVisitsPerBatched = 16;

  // Simulations from an anchor: a node that has visits enough to be left alone for a while.
  template <class Select, class Idle>
  std::uint64_t run_batch(const Select& select, std::uint64_t size, const Idle& idle) {
    const auto pending = static_cast<std::uint16_t>(size);
    state_->assign(tree_.root_state());
    path_.assign(1, &tree_.root());
    while (is_expanded(*path_.back())) {
      Node* child = pick(select, *path_.back());
      if (proven(*child) != Proof::kNone || child->visits() < kVisitsPerBatched * size) break;
      state_->apply_unchecked(child->action);
      child->pending.fetch_add(pending, std::memory_order_relaxed);
      path_.push_back(child);
    }
    anchor_state_->assign(*state_);
    const std::size_t anchor = path_.size() - 1;
    batch_black_value_ = 0;
    std::uint64_t done = 0;
    do {
      simulate(select, *anchor_state_);
      ++done;
    } while (done < size && !idle() && path_[anchor]->proven() == Proof::kNone);
    report_batch(anchor, static_cast<std::uint32_t>(done), pending);
    return done;
  }

  // Tells the nodes above the anchor what the batch found, and withdraws its virtual loss.
  void report_batch(std::size_t anchor, std::uint32_t done, std::uint16_t pending) {
    for (std::size_t depth = anchor + 1; depth-- > 0;) {
      if (depth > 0) path_[depth]->pending.fetch_sub(pending, std::memory_order_relaxed);
      if (depth < anchor) credit(path_, depth, done, batch_black_value_);
    }
  }

  // One simulation from the last node of path_, where `start` stands; path_ ends as it began.
  template <class Select>
  void simulate(const Select& select, const State& start) {
    state_->assign(start);
    const std::size_t anchor = path_.size() - 1;
    Node* node = path_.back();
    while (proven(*node) == Proof::kNone && has_children(*node)) {
      node = pick(select, *node);
      state_->apply_unchecked(node->action);
      path_.push_back(node);
    }
    back_up(evaluate(*node), anchor);
    path_.resize(anchor + 1);
  }

  // True if the last node of path_ has children, which are made if it is time.
  bool has_children(Node& node) {
    const std::size_t depth = path_.size() - 1;
    if (is_expanded(node)) return is_within(depth);
    if (depth > 0 && node.visits() < options_.expand_visits) return false;
    if (!is_within(depth) || state_->is_terminal()) return false;
    return expand(node) && proven(node) == Proof::kNone;
  }

  bool expand(Node& node) {
    if (!node.begins_to_grow()) return false;
    const std::uint64_t hash = tree_.shares() ? state_->hash() : 0;
    if (tree_.shares() && tree_.join(node, hash)) return true;
    options_.candidates(evaluator_, *state_, path_.size() - 1, actions_);
    Node* first = tree_.allocate(actions_.size());
    if (!first) {
      node.growth.store(Growth::kNone);
      return false;
    }
    const auto count = static_cast<std::size_t>(actions_.size());
    std::fill_n(priors_.begin(), options_.uses_amaf() ? count : 0, Prior{});
    if (options_.uses_amaf()) evaluator_.prior(*state_, actions_, std::span(priors_).first(count));
    for (int i = 0; i < actions_.size(); ++i) {
      first[i].init(actions_[i]);
      if (!options_.uses_amaf()) continue;
      first[i].amaf().store(tally_of(priors_[static_cast<std::size_t>(i)]));
    }
    tree_.attach(node, first, actions_.size(), hash);
    return true;
  }

  static Tally tally_of(const Prior& prior) {
    const auto visits = static_cast<std::uint32_t>(prior.weight + 0.5f);
    return Tally(
        visits, static_cast<std::uint64_t>(prior.value * Tally::kWin * static_cast<float>(visits)));
  }

  // The value for Black of the leaf, which is where state_ stands.
  float evaluate(Node& leaf) {
    const std::size_t depth = path_.size() - 1;
    const Proof known = leaf.proven();
    playout_happened_ = false;
    if (known != Proof::kNone) return black_value_of(known, mover(depth));
    if (state_->is_terminal() && state_->is_decided()) {
      settle(leaf, depth, state_->black_value());
      return state_->black_value();
    }
    playout_happened_ = true;
    if (!options_.uses_amaf()) return evaluator_.evaluate(*state_, rng_, nullptr);
    plays_.clear();
    return evaluator_.evaluate(*state_, rng_, &plays_);
  }

  // Adds the value to the nodes of the path from `anchor` on; a batch tells those above later.
  void back_up(float black_value, std::size_t anchor) {
    const std::uint32_t value = fixed_point(black_value);
    batch_black_value_ += value;
    const bool amaf = options_.uses_amaf() && playout_happened_;
    const std::size_t last = path_.size() - 1;
    for (std::size_t depth = last + 1; depth-- > (amaf ? 0 : anchor);) {
      if (amaf && depth < last) update_amaf(depth, value);
      if (depth >= anchor) credit(path_, depth, 1, value);
    }
  }

  // Counts the playout for every child of the node at `depth` that its player chose later on.
  void update_amaf(std::size_t depth, std::uint32_t black_value) {
    const Node& node = *path_[depth];
    const Player player = mover(depth + 1);
    const auto who = static_cast<std::uint8_t>(player);
    plays_.player[static_cast<std::size_t>(path_[depth + 1]->action)] = who;
    Node* children = tree_.children(node);
    const Tally once(1, player == Player::kBlack ? black_value : Tally::kWin - black_value);
    for (int i = 0; i < node.num_children; ++i) {
      if (plays_.player[static_cast<std::size_t>(children[i].action)] == who) {
        children[i].amaf().add(once);
      }
    }
  }

  const Evaluator& evaluator_;
  const bool alone_;
  std::unique_ptr<State> state_;
  std::unique_ptr<State> anchor_state_;
  Path path_;
  std::uint32_t batch_ = 1;
  std::uint64_t batch_black_value_ = 0;  // the sum for Black, in fixed point
  ActionList actions_;
  std::array<Prior, kMaxActions> priors_;
  FirstPlays plays_;
  bool playout_happened_ = false;
};

}  // namespace gtpbot
