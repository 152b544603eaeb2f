#include "search/search.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace gtpbot {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Playouts that a thread takes from the common budget at a time: many enough that threads of a
// fast game seldom meet there.
constexpr std::uint64_t kMostClaimed = 256;
// So many threads' batches at one node still fit into Node::pending.
constexpr int kMostThreads = 128;
// The visits of a root, with room for priors in the AMAF tallies below it.
constexpr std::uint32_t kMostVisits = Tally::kMaxVisits - (1 << 16);
// How long a batch should take, and how many visits a node must have for each simulation of a
// batch below it, so that the batch hardly changes what the rule would choose.
constexpr double kBatchSeconds = 20e-6;
constexpr std::uint32_t kVisitsPerBatched = 16;

double seconds_since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

// The value of a tally for its mover, given the value for Black.
std::uint32_t fixed_point(float black_value, Player mover) {
  const float value = mover == Player::kBlack ? black_value : -black_value;
  return static_cast<std::uint32_t>((value + 1.0f) * (0.5f * Tally::kWin) + 0.5f);
}

Proof proof_of(float black_value, Player mover) {
  if (black_value == 0.0f) return Proof::kDraw;
  return (black_value > 0.0f) == (mover == Player::kBlack) ? Proof::kWin : Proof::kLoss;
}

float black_value_of(Proof proof, Player mover) {
  if (proof == Proof::kDraw) return 0.0f;
  return (proof == Proof::kWin) == (mover == Player::kBlack) ? 1.0f : -1.0f;
}

}  // namespace

// One thread of a search, with what it needs to run simulations without allocating.
class Worker {
 public:
  Worker(Search& search, Rng rng)
      : tree_(search.tree_),
        evaluator_(*search.evaluator_),
        options_(search.options_),
        alone_(options_.threads == 1),
        root_player_(tree_.root_state().current_player()),
        rng_(rng),
        state_(tree_.root_state().clone()),
        anchor_state_(alone_ ? nullptr : state_->clone()) {
    path_.reserve(256);
  }

  std::uint32_t deepest() const { return deepest_; }

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
    const double mean =
        seconds_since(start) / static_cast<double>(std::max<std::uint64_t>(done, 1));
    batch_ =
        static_cast<std::uint32_t>(std::clamp(kBatchSeconds / mean, 1.0, double{kMostClaimed}));
    return done;
  }

 private:
  // Simulations from an anchor: a node that has visits enough to be left alone for a while.
  template <class Select, class Idle>
  std::uint64_t run_batch(const Select& select, std::uint64_t size, const Idle& idle) {
    const auto pending = static_cast<std::uint16_t>(size);
    state_->assign(tree_.root_state());
    path_.assign(1, &tree_.root());
    while (path_.back()->first_child.load(std::memory_order_acquire) != kNoNode) {
      Node* child = pick(select, *path_.back());
      if (child->proven() != Proof::kNone || child->visits() < kVisitsPerBatched * size) break;
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
      Node& node = *path_[depth];
      if (depth > 0) node.pending.fetch_sub(pending, std::memory_order_relaxed);
      if (depth == anchor) continue;
      const bool black = mover(depth) == Player::kBlack;
      const std::uint64_t all = std::uint64_t{done} * Tally::kWin;
      node.tally.add(Tally(done, black ? batch_black_value_ : all - batch_black_value_));
      if (path_[depth + 1]->proven() != Proof::kNone) prove(node);
    }
  }

  template <class Select>
  Node* pick(const Select& select, const Node& node) {
    Node* children = tree_.children(node);
    return &children[select(node.tally.load(), children, node.num_children, rng_)];
  }

  // One simulation from the last node of path_, where `start` stands; path_ ends as it began.
  template <class Select>
  void simulate(const Select& select, const State& start) {
    state_->assign(start);
    const std::size_t anchor = path_.size() - 1;
    Node* node = path_.back();
    while (node->proven() == Proof::kNone && has_children(*node)) {
      node = pick(select, *node);
      state_->apply_unchecked(node->action);
      path_.push_back(node);
    }
    deepest_ = std::max(deepest_, static_cast<std::uint32_t>(path_.size() - 1));
    back_up(evaluate(*node), anchor);
    path_.resize(anchor + 1);
  }

  // The player whose move leads to the node at `depth` of the path.
  Player mover(std::size_t depth) const {
    return depth % 2 ? root_player_ : opponent(root_player_);
  }

  // True if the node has children, which are made if it is time.
  bool has_children(Node& node) {
    if (node.first_child.load(std::memory_order_acquire) != kNoNode) return true;
    const bool is_root = path_.size() == 1;
    if (!is_root && node.visits() < options_.expand_visits) return false;
    if (state_->is_terminal()) return false;
    return expand(node);
  }

  bool expand(Node& node) {
    if (!alone_ && node.expanding.exchange(true)) return false;
    state_->candidates(actions_);
    Node* first = tree_.allocate(actions_.size());
    if (!first) {
      node.expanding.store(false);
      return false;
    }
    std::array<Prior, kMaxActions>& priors = priors_;
    const auto count = static_cast<std::size_t>(actions_.size());
    std::fill_n(priors.begin(), uses_amaf() ? count : 0, Prior{});
    if (uses_amaf()) evaluator_.prior(*state_, actions_, std::span(priors).first(count));
    for (int i = 0; i < actions_.size(); ++i) {
      first[i].init(actions_[i]);
      if (uses_amaf()) first[i].amaf.store(tally_of(priors[static_cast<std::size_t>(i)]));
    }
    tree_.attach(node, first, actions_.size());
    return true;
  }

  static Tally tally_of(const Prior& prior) {
    const auto visits = static_cast<std::uint32_t>(prior.weight + 0.5f);
    return Tally(
        visits, static_cast<std::uint64_t>(prior.value * Tally::kWin * static_cast<float>(visits)));
  }

  bool uses_amaf() const { return std::holds_alternative<Rave>(options_.rule); }

  // The value for Black of the leaf, which is where state_ stands.
  float evaluate(Node& leaf) {
    const Player leaf_mover = mover(path_.size() - 1);
    const Proof known = leaf.proven();
    playout_happened_ = false;
    if (known != Proof::kNone) return black_value_of(known, leaf_mover);
    if (state_->is_terminal() && state_->is_decided()) {
      const float black_value = state_->black_value();
      leaf.proof.store(proof_of(black_value, leaf_mover), std::memory_order_relaxed);
      return black_value;
    }
    playout_happened_ = true;
    if (!uses_amaf()) return evaluator_.evaluate(*state_, rng_, nullptr);
    plays_.clear();
    return evaluator_.evaluate(*state_, rng_, &plays_);
  }

  // Adds the value to the nodes of the path from `anchor` on; a batch tells those above later.
  void back_up(float black_value, std::size_t anchor) {
    const std::array<std::uint32_t, 2> value = {fixed_point(black_value, Player::kBlack),
                                                fixed_point(black_value, Player::kWhite)};
    batch_black_value_ += value[0];
    const bool amaf = uses_amaf() && playout_happened_;
    const std::size_t last = path_.size() - 1;
    for (std::size_t depth = last + 1; depth-- > (amaf ? 0 : anchor);) {
      Node& node = *path_[depth];
      if (amaf && depth < last) update_amaf(depth, value);
      if (depth < anchor) continue;
      node.tally.add(Tally(1, value[static_cast<std::size_t>(mover(depth))]));
      if (depth < last && path_[depth + 1]->proven() != Proof::kNone) prove(node);
    }
  }

  // Counts the playout for every child of the node at `depth` that its player chose later on.
  void update_amaf(std::size_t depth, const std::array<std::uint32_t, 2>& value) {
    const Node& node = *path_[depth];
    const auto player = static_cast<std::uint8_t>(mover(depth + 1));
    plays_.player[static_cast<std::size_t>(path_[depth + 1]->action)] = player;
    Node* children = tree_.children(node);
    const Tally once(1, value[player]);
    for (int i = 0; i < node.num_children; ++i) {
      if (plays_.player[static_cast<std::size_t>(children[i].action)] == player) {
        children[i].amaf.add(once);
      }
    }
  }

  // A node is won for the player to move if one child is, and otherwise as good as its best child
  // once all are proven.
  void prove(Node& node) {
    const Node* children = tree_.children(node);
    Proof best = Proof::kLoss;
    bool all = true;
    for (int i = 0; i < node.num_children; ++i) {
      const Proof proof = children[i].proven();
      if (proof == Proof::kWin) {
        node.proof.store(Proof::kLoss, std::memory_order_relaxed);
        return;
      }
      all = all && proof != Proof::kNone;
      if (proof == Proof::kDraw) best = Proof::kDraw;
    }
    if (all) node.proof.store(for_opponent(best), std::memory_order_relaxed);
  }

  Tree& tree_;
  const Evaluator& evaluator_;
  const SearchOptions& options_;
  const bool alone_;
  const Player root_player_;
  Rng rng_;
  std::unique_ptr<State> state_;
  std::unique_ptr<State> anchor_state_;
  std::vector<Node*> path_;
  std::uint32_t batch_ = 1;
  std::uint64_t batch_black_value_ = 0;  // the sum for Black, in fixed point
  ActionList actions_;
  std::array<Prior, kMaxActions> priors_;
  FirstPlays plays_;
  bool playout_happened_ = false;
  std::uint32_t deepest_ = 0;
};

Search::Search(const State& root, std::shared_ptr<const Evaluator> evaluator,
               const SearchOptions& options)
    : tree_(root, options.max_bytes), evaluator_(std::move(evaluator)), options_(options) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    throw std::invalid_argument("threads " + std::to_string(options.threads) + ": expected 1 to " +
                                std::to_string(kMostThreads));
  }
}

Search::~Search() { stop(); }

void Search::stop() {
  stop_.store(true, std::memory_order_relaxed);
  wake_.notify_all();
}

// The life of one thread. A state written in Python may throw; then the run ends and throws that.
void Search::work(int thread) {
  std::uint32_t deepest = 0;
  std::exception_ptr error;
  try {
    deepest = simulate_until_done(thread);
  } catch (...) {
    error = std::current_exception();
    stop_ = true;
  }
  const std::lock_guard lock(mutex_);
  if (error) error_ = error;
  deepest_ = std::max(deepest_, deepest);
  --working_;
  wake_.notify_all();
}

std::uint32_t Search::simulate_until_done(int thread) {
  Worker worker(*this, Rng(options_.seed + runs_ * 1000 + static_cast<std::uint64_t>(thread)));
  const auto idle = [this] {
    return stop_.load(std::memory_order_relaxed) || tree_.root().proven() != Proof::kNone;
  };
  std::visit(
      [&](const auto& rule) {
        while (!idle()) {
          const std::uint64_t claimed = claim();
          if (claimed == 0) break;
          finished_.fetch_add(worker.run(rule, claimed, idle), std::memory_order_relaxed);
        }
      },
      options_.rule);
  return worker.deepest();
}

// Takes some of the playouts left, fewer towards the end so that threads finish together.
std::uint64_t Search::claim() {
  const auto shares = static_cast<std::uint64_t>(2 * options_.threads);
  std::uint64_t left = unclaimed_.load(std::memory_order_relaxed);
  std::uint64_t taken;
  do {
    taken =
        std::clamp<std::uint64_t>(left / shares, std::min<std::uint64_t>(left, 1), kMostClaimed);
  } while (!unclaimed_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed));
  return taken;
}

// True if the move with most visits would keep them even if all playouts to come, at the pace so
// far, went to the second.
bool Search::settled(std::uint32_t visits_before, double elapsed, double seconds) const {
  const Node& root = tree_.root();
  const std::uint32_t done = root.visits() - visits_before;
  if (done == 0 || root.first_child.load() == kNoNode) return false;
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  const Node* children = tree_.children(root);
  for (int i = 0; i < root.num_children; ++i) {
    const std::uint32_t visits = children[i].visits();
    second = std::max(second, std::min(visits, most));
    most = std::max(most, visits);
  }
  return most - second > done / elapsed * (seconds - elapsed);
}

SearchReport Search::run(const SearchLimits& limits) {
  constexpr double kLook = 0.01;  // seconds between looks at the clock and at the root
  const auto start = Clock::now();
  const std::uint32_t visits_before = tree_.root().visits();
  stop_.store(false);
  unclaimed_ = std::min<std::uint64_t>(limits.playouts, kMostVisits - visits_before);
  finished_ = 0;
  deepest_ = 0;
  working_ = options_.threads;
  ++runs_;
  std::vector<std::jthread> threads;
  for (int i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { work(i); });

  std::unique_lock lock(mutex_);
  while (working_ > 0) {
    const double left = limits.seconds - seconds_since(start);
    wake_.wait_for(lock, Seconds(std::clamp(left, 0.0, kLook)));
    const double elapsed = seconds_since(start);
    if (elapsed >= limits.seconds ||
        (elapsed > 0.05 && settled(visits_before, elapsed, limits.seconds))) {
      stop_ = true;
    }
  }
  lock.unlock();
  threads.clear();
  if (error_) {
    tree_.clear();  // some nodes still wait for simulations that never returned
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  return {finished_, seconds_since(start), deepest_};
}

namespace {

// Better first: proven wins, then visits; proven losses last.
bool better(const ChildReport& a, const ChildReport& b) {
  const auto rank = [](Proof p) { return p == Proof::kWin ? 0 : p == Proof::kLoss ? 2 : 1; };
  if (rank(a.proof) != rank(b.proof)) return rank(a.proof) < rank(b.proof);
  return a.visits > b.visits;
}

const Node* most_visited(const Tree& tree, const Node& node) {
  if (node.first_child.load() == kNoNode) return nullptr;
  const Node* children = tree.children(node);
  const Node* best = nullptr;
  for (int i = 0; i < node.num_children; ++i) {
    if (children[i].proven() == Proof::kWin) return &children[i];
    if (children[i].visits() > 0 && (!best || children[i].visits() > best->visits())) {
      best = &children[i];
    }
  }
  return best;
}

}  // namespace

std::vector<ChildReport> Search::children(int depth) const {
  std::vector<ChildReport> reports;
  const Node& root = tree_.root();
  if (root.first_child.load() == kNoNode) return reports;
  const Node* children = tree_.children(root);
  for (int i = 0; i < root.num_children; ++i) {
    const Node& child = children[i];
    const Tally tally = child.tally.load();
    const Tally amaf = child.amaf.load();
    ChildReport report{child.action,  tally.visits(), tally.mean(),   child.prior,
                       amaf.visits(), amaf.mean(),    child.proven(), {}};
    for (const Node* next = &child; next && static_cast<int>(report.variation.size()) < depth;
         next = most_visited(tree_, *next)) {
      report.variation.push_back(next->action);
    }
    reports.push_back(std::move(report));
  }
  std::stable_sort(reports.begin(), reports.end(), better);
  return reports;
}

}  // namespace gtpbot
