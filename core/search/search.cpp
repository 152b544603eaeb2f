#include "search/search.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace gtpbot {
namespace {

using Clock = std::chrono::steady_clock;

// Playouts that a thread takes from the common budget at a time: few enough to share well, many
// enough that threads of a fast game seldom meet there.
constexpr std::uint64_t kClaim = 64;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
        state_(tree_.root_state().clone()) {
    path_.reserve(256);
  }

  std::uint32_t deepest() const { return deepest_; }

  template <class Select>
  void simulate(const Select& select) {
    state_->assign(tree_.root_state());
    path_.clear();
    Node* node = &tree_.root();
    enter(node);
    while (node->proven() == Proof::kNone && has_children(*node)) {
      Node* children = tree_.children(*node);
      node = &children[select(node->tally.load(), children, node->num_children, rng_)];
      state_->apply_unchecked(node->action);
      enter(node);
    }
    deepest_ = std::max(deepest_, static_cast<std::uint32_t>(path_.size() - 1));
    back_up(evaluate(*node));
  }

 private:
  // The player whose move leads to the node at `depth` of the path.
  Player mover(std::size_t depth) const {
    return depth % 2 ? root_player_ : opponent(root_player_);
  }

  void enter(Node* node) {
    path_.push_back(node);
    if (options_.virtual_loss && !alone_) node->tally.add(Tally(1, 0), false);
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
    return Tally(visits, static_cast<std::uint64_t>(prior.value * Tally::kWin *
                                                    static_cast<float>(visits)));
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

  void back_up(float black_value) {
    const std::array<std::uint32_t, 2> value = {fixed_point(black_value, Player::kBlack),
                                                fixed_point(black_value, Player::kWhite)};
    const std::uint32_t visit = options_.virtual_loss && !alone_ ? 0 : 1;
    for (std::size_t depth = path_.size(); depth-- > 0;) {
      Node& node = *path_[depth];
      node.tally.add(Tally(visit, value[static_cast<std::size_t>(mover(depth))]), alone_);
      if (depth + 1 < path_.size()) {
        if (uses_amaf() && playout_happened_) update_amaf(depth, value);
        if (path_[depth + 1]->proven() != Proof::kNone) prove(node);
      }
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
        children[i].amaf.add(once, alone_);
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
  std::vector<Node*> path_;
  ActionList actions_;
  std::array<Prior, kMaxActions> priors_;
  FirstPlays plays_;
  bool playout_happened_ = false;
  std::uint32_t deepest_ = 0;
};

Search::Search(const State& root, std::shared_ptr<const Evaluator> evaluator,
               const SearchOptions& options)
    : tree_(root, options.max_bytes), evaluator_(std::move(evaluator)), options_(options) {
  if (options.threads < 1 || options.threads > 256) {
    throw std::invalid_argument("threads " + std::to_string(options.threads) +
                                ": expected 1 to 256");
  }
}

Search::~Search() { stop(); }

void Search::stop() {
  stop_.store(true, std::memory_order_relaxed);
  wake_.notify_all();
}

// The life of one thread. A state written in Python may throw; then the run ends and throws that.
void Search::work(int thread, const SearchLimits& limits) {
  std::uint32_t deepest = 0;
  std::exception_ptr error;
  try {
    deepest = simulate_until_done(thread, limits);
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

std::uint32_t Search::simulate_until_done(int thread, const SearchLimits& limits) {
  Worker worker(*this, Rng(options_.seed + runs_ * 1000 + static_cast<std::uint64_t>(thread)));
  const auto idle = [this] {
    return stop_.load(std::memory_order_relaxed) || tree_.root().proven() != Proof::kNone;
  };
  std::visit(
      [&](const auto& rule) {
        while (!idle()) {
          const std::uint64_t from = claimed_.fetch_add(kClaim, std::memory_order_relaxed);
          if (from >= limits.playouts) break;
          const std::uint64_t claim = std::min(kClaim, limits.playouts - from);
          std::uint64_t done = 0;
          while (done < claim && !idle()) {
            worker.simulate(rule);
            ++done;
          }
          finished_.fetch_add(done, std::memory_order_relaxed);
        }
      },
      options_.rule);
  return worker.deepest();
}

// True if the move with most visits would keep them even if all playouts to come went to the
// second.
bool Search::settled(const SearchLimits& limits, double elapsed) const {
  const Node& root = tree_.root();
  if (root.first_child.load() == kNoNode) return false;
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  const Node* children = tree_.children(root);
  for (int i = 0; i < root.num_children; ++i) {
    const std::uint32_t visits = children[i].visits();
    second = std::max(second, std::min(visits, most));
    most = std::max(most, visits);
  }
  const auto done = static_cast<double>(finished_.load());
  const double left = done / elapsed * (limits.seconds - elapsed);
  return static_cast<double>(most - second) > left;
}

SearchReport Search::run(const SearchLimits& limits) {
  constexpr auto kLook = std::chrono::milliseconds(10);
  const auto start = Clock::now();
  stop_.store(false);
  claimed_ = finished_ = 0;
  deepest_ = 0;
  working_ = options_.threads;
  ++runs_;
  std::vector<std::jthread> threads;
  for (int i = 0; i < options_.threads; ++i) threads.emplace_back([&, i] { work(i, limits); });

  std::unique_lock lock(mutex_);
  while (working_ > 0) {
    wake_.wait_for(lock, kLook);
    if (limits.seconds <= 0) continue;
    const double elapsed = seconds_since(start);
    if (elapsed >= limits.seconds || (elapsed > 0.05 && settled(limits, elapsed))) stop_ = true;
  }
  lock.unlock();
  threads.clear();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
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
