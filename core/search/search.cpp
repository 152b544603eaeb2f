#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "search/batch_worker.hpp"
#include "search/playout_worker.hpp"

namespace gtpbot {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Playouts that a thread takes from the common budget at a time: many enough that threads of a
// fast game seldom meet there.
constexpr std::uint64_t kMostClaimed = PlayoutWorker::kMostBatched;
// So many threads' batches at one node still fit into Node::pending.
constexpr int kMostThreads = 128;
constexpr int kLargestBatch = 256;
// The visits of a root, with room for priors in the AMAF tallies below it.
constexpr std::uint32_t kMostVisits = Tally::kMaxVisits - (1 << 16);
// A tree is compacted if this share of it is garbage, or more: to slide the rest takes as long as
// quick playouts take to fill the room, and much less than slow ones do.
constexpr double kLeastGarbage = 1.0 / 16;
// Twice what it takes to find a node that lives and to slide it, as the rest of the time is to be
// worth it.
constexpr double kSecondsToSlide = 200e-9;

double seconds_since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

// From -1 to 1 for the mover; 0 without visits.
float value_of(Tally tally) { return 2.0f * tally.mean() - 1.0f; }

}  // namespace

Search::Search(const State& root, std::shared_ptr<const Evaluator> evaluator,
               const SearchOptions& options, std::shared_ptr<Prover> prover)
    : tree_(root, options.max_bytes, options.transpositions, options.bias_correction > 0.0f),
      evaluator_(std::move(evaluator)),
      prover_(std::move(prover)),
      options_(options) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    throw std::invalid_argument("threads " + std::to_string(options.threads) + ": expected 1 to " +
                                std::to_string(kMostThreads));
  }
  const int batch = evaluator_->batch_size();
  if (batch > kLargestBatch) {
    throw std::invalid_argument("batches of " + std::to_string(batch) +
                                " leaves: expected at most " + std::to_string(kLargestBatch));
  }
  if (std::holds_alternative<Rave>(options.rule) && (batch > 0 || tree_.shares())) {
    throw std::invalid_argument("RAVE learns from playouts, in a tree without transpositions");
  }
  if (tree_.shares() && !options.forbidden.empty()) {
    throw std::invalid_argument("forbidden moves depend on the way: expected no transpositions");
  }
  if (!(options.bias_correction >= 0.0f && options.bias_correction <= 1.0f)) {
    throw std::invalid_argument("bias_correction beyond 0 to 1");
  }
  if (options.bias_correction > 0.0f && batch == 0) {
    throw std::invalid_argument("bias_correction is of a net's values: expected a net");
  }
  if (options.max_tree_depth < 1) throw std::invalid_argument("max_tree_depth below 1");
  if (prover_ && (batch == 0 || !prover_->serves(root) || prover_->threads() < options.threads)) {
    throw std::invalid_argument(
        "this prover does not serve the search: expected a net, the game that it proves, and as "
        "many threads as it was made for, " +
        std::to_string(prover_->threads()));
  }
}

Search::~Search() { stop(); }

void Search::stop() {
  stop_.store(true, std::memory_order_relaxed);
  wake_.notify_all();
}

// The life of one thread. A state written in Python may throw; then the run ends and throws that.
void Search::work(int thread) {
  std::exception_ptr error;
  try {
    simulate_until_done(thread);
  } catch (...) {
    error = std::current_exception();
    stop_ = true;
  }
  const std::lock_guard lock(mutex_);
  // Only the first: to replace an error of Python's takes the interpreter's lock, whose holder may
  // wait for this one.
  if (!error_) error_ = error;
  --working_;
  wake_.notify_all();
}

void Search::simulate_until_done(int thread) {
  const Rng rng(options_.seed + runs_ * 1000 + static_cast<std::uint64_t>(thread));
  if (evaluator_->batch_size() > 0) {
    Proving proving{prover_.get(), thread};
    simulate_with(BatchWorker(tree_, *evaluator_, proving, options_, limits_, rng));
  } else {
    simulate_with(PlayoutWorker(tree_, *evaluator_, options_, limits_, rng));
  }
}

template <class Worker>
void Search::simulate_with(Worker worker) {
  const bool needs_room = evaluator_->is_constant() || may_compact_;
  const auto idle = [this, needs_room] {
    return stop_.load(std::memory_order_relaxed) || tree_.root().proven() != Proof::kNone ||
           (needs_room && tree_.is_full());
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
}

// Takes some of the playouts left, fewer towards the end so that threads finish together.
std::uint64_t Search::claim() {
  const auto shares = static_cast<std::uint64_t>(options_.threads == 1 ? 1 : 2 * options_.threads);
  std::uint64_t left = unclaimed_.load(std::memory_order_relaxed);
  std::uint64_t taken;
  do {
    taken =
        std::clamp<std::uint64_t>(left / shares, std::min<std::uint64_t>(left, 1), kMostClaimed);
  } while (!unclaimed_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed));
  return taken;
}

// True if the move with most visits would keep them even if all playouts to come, at the pace so
// far, went to the second, and lower bounds speak for no other. Refuted moves are in no race,
// however long they looked good; one that has no rival left has won. Without a limit of time a
// search is to learn what it can, so nothing is settled.
bool Search::settled(double elapsed) const {
  const Node& root = tree_.root();
  const std::uint32_t done = root.visits() - visits_before_;
  const double left = limits_.seconds - elapsed;
  if (done == 0 || root.first_child.load() == kNoNode || std::isinf(left)) return false;
  int open = 0;
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  const Node* children = tree_.children(root);
  const Node* best = children;
  for (int i = 0; i < root.num_children; ++i) {
    if (children[i].proven() == Proof::kLoss) continue;
    ++open;
    const std::uint32_t visits = children[i].visits();
    second = std::max(second, std::min(visits, most));
    if (visits > most) best = &children[i];
    most = std::max(most, visits);
  }
  if (open == 1) return true;
  return most - second > done / (elapsed - paused_) * left && has_greatest_bound(*best);
}

// True if lower bounds do not speak for another move.
bool Search::has_greatest_bound(const Node& most_visited) const {
  if (!options_.lower_bound) return true;
  const auto [least_visits, errors] = *options_.lower_bound;
  const auto bound = [&, errors = errors](const Node& child) {
    return value_of(child.tally.load()) - errors * deviation_of(child);
  };
  const float least = least_visits * static_cast<float>(most_visited.visits());
  const Node* children = tree_.children(tree_.root());
  return std::none_of(children, children + tree_.root().num_children, [&](const Node& child) {
    return child.proven() == Proof::kNone && static_cast<float>(child.visits()) > least &&
           bound(child) > bound(most_visited);
  });
}

SearchReport Search::run(const SearchLimits& limits) {
  start_ = Clock::now();
  stop_.store(false);
  limits_ = limits;
  paused_ = 0.0;
  visits_before_ = tree_.root().visits();
  // Where positions are shared, a node has visits by other ways too, and may have more than the
  // root.
  const std::uint64_t before = tree_.shares() ? counted_ : visits_before_;
  const auto playouts =
      std::min<std::uint64_t>(limits.playouts, before < kMostVisits ? kMostVisits - before : 0);
  finished_ = 0;
  may_compact_ = is_worth_compacting();
  unclaimed_ = playouts;
  run_threads();
  while (misses_room(playouts)) {
    make_room();
    unclaimed_ = playouts - finished_;
    run_threads();
  }
  return {finished_, seconds_since(start_)};
}

// Has all threads search until the run is over or, where one may be compacted, the tree is full.
void Search::run_threads() {
  constexpr double kLook = 0.01;  // seconds between looks at the clock and at the root
  const std::uint64_t finished_before = finished_;
  working_ = options_.threads;
  ++runs_;
  std::vector<std::jthread> threads;
  try {
    for (int i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { work(i); });
  } catch (...) {  // the system has no thread left; those there are would never end
    stop_ = true;
    throw;
  }

  std::unique_lock lock(mutex_);
  while (working_ > 0 && !stop_) {
    const double left = limits_.seconds - seconds_since(start_);
    wake_.wait_for(lock, Seconds(std::clamp(left, 0.0, kLook)));
    if (is_over(seconds_since(start_))) stop_ = true;
  }
  wake_.wait(lock, [this] { return working_ == 0; });  // a batch may take long to come back
  lock.unlock();
  threads.clear();
  lock.lock();
  counted_ += finished_ - finished_before;
  if (error_) {
    clear();  // some nodes still wait for simulations that never returned
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

bool Search::is_over(double elapsed) const {
  return elapsed >= limits_.seconds ||
         (options_.stop_early && elapsed - paused_ > 0.05 && settled(elapsed));
}

// True if threads ended for want of room that there may be.
bool Search::misses_room(std::uint64_t playouts) const {
  return may_compact_ && tree_.is_full() && finished_ < playouts && !stop_ &&
         tree_.root().proven() == Proof::kNone;
}

// A search by a net that is full ends, and one without children at the root has no move: to these
// any room is worth its time.
bool Search::is_worth_compacting() const {
  const auto garbage = static_cast<double>(tree_.garbage());
  if (evaluator_->is_constant() || tree_.root().first_child.load() == kNoNode) return garbage > 0;
  return garbage > kLeastGarbage * static_cast<double>(tree_.max_nodes());
}

// Compacts the tree, once a run, unless more of it lives than there is time for.
void Search::make_room() {
  may_compact_ = false;
  const double began = seconds_since(start_);
  const double most = std::max(0.0, limits_.seconds - began) / kSecondsToSlide;
  // Even to find what lives takes time; the first guess is too low where positions are shared.
  if (static_cast<double>(tree_.num_nodes() - tree_.garbage()) > most) return;
  const std::lock_guard lock(mutex_);
  compact(static_cast<std::size_t>(std::min(most, static_cast<double>(tree_.num_nodes()))));
  paused_ = seconds_since(start_) - began;
}

void Search::compact(std::size_t most) {
  const std::optional<std::uint32_t> most_visits = tree_.compact(most);
  if (most_visits && tree_.shares()) counted_ = *most_visits;
}

void Search::advance(Action action) {
  tree_.advance(action);
  if (!options_.forbidden.empty()) clear();  // other moves are, seen from here
  if (tree_.root().visits() == 0) counted_ = 0;
  if (tree_.shares() && counted_ > kMostVisits / 2) {
    compact();
    if (counted_ > kMostVisits / 2) clear();
  }
  if (tree_.root().growth.load() != Growth::kPart) return;
  try {
    complete_root();
  } catch (...) {
    clear();
    throw;
  }
}

void Search::complete_root() {
  Leaf leaf;
  leaf.state = tree_.root_state().clone();
  options_.candidates(*evaluator_, *leaf.state, 0, leaf.actions);
  Rng rng(options_.seed);
  if (!evaluator_->recall(leaf)) evaluator_->evaluate_batch(std::span(&leaf, 1), rng);
  if (tree_.complete(tree_.root(), leaf.actions, leaf.priors)) return;
  compact();
  if (!tree_.complete(tree_.root(), leaf.actions, leaf.priors)) clear();
}

Node* Search::root_child(Action action) {
  Node& root = tree_.root();
  if (root.first_child.load() == kNoNode) return nullptr;
  Node* const children = tree_.children(root);
  Node* const end = children + root.num_children;
  Node* const child =
      std::find_if(children, end, [&](const Node& c) { return c.action == action; });
  return child == end ? nullptr : child;
}

bool Search::looks_at(Action action) {
  if (tree_.root().first_child.load() != kNoNode) return root_child(action) != nullptr;
  ActionList actions;
  options_.candidates(*evaluator_, tree_.root_state(), 0, actions);
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

bool Search::set_root_prior(Action action, float prior) {
  Node* const child = root_child(action);
  if (child) child->prior = prior;
  return child != nullptr;
}

namespace {

// Better moves have greater ones: proven wins first, then visits, then priors; proven losses last.
auto merit(Proof proof, std::uint32_t visits, float prior) {
  const int rank = proof == Proof::kWin ? 1 : proof == Proof::kLoss ? -1 : 0;
  return std::tuple(rank, visits, prior);
}

auto merit(const ChildReport& child) { return merit(child.proof, child.visits, child.prior); }
auto merit(const Node& node) { return merit(node.proven(), node.visits(), node.prior); }

// The best child of those visited, or won; null if there is none.
const Node* expected(const Tree& tree, const Node& node) {
  if (node.first_child.load() == kNoNode) return nullptr;
  const Node* children = tree.children(node);
  const Node* best = nullptr;
  for (int i = 0; i < node.num_children; ++i) {
    if (children[i].visits() == 0 && children[i].proven() != Proof::kWin) continue;
    if (!best || merit(children[i]) > merit(*best)) best = &children[i];
  }
  return best;
}

}  // namespace

// Where only values are known and not their squares, the bound is that of wins and losses: values
// in between deviate less from their mean.
float Search::deviation_of(const Node& child) const {
  const Tally tally = child.tally.load();
  if (tally.visits() == 0) return 0.0f;
  const float mean = value_of(tally);
  const float spread = options_.uses_squares() ? spread_of(tally, child.squares())
                                               : std::sqrt(std::max(0.0f, 1.0f - mean * mean));
  return spread * kRoots.inverse_root(tally.visits());
}

Proof Search::root_proof() const {
  const std::lock_guard lock(mutex_);
  return for_opponent(tree_.root().proven());
}

std::uint32_t Search::root_visits() const {
  const std::lock_guard lock(mutex_);
  return tree_.root().visits();
}

std::vector<ChildReport> Search::children(int depth) const {
  const std::lock_guard lock(mutex_);
  std::vector<ChildReport> reports;
  const Node& root = tree_.root();
  if (root.first_child.load() == kNoNode) return reports;
  const Node* children = tree_.children(root);
  for (int i = 0; i < root.num_children; ++i) {
    const Node& child = children[i];
    const Tally tally = child.tally.load();
    ChildReport report{child.action,
                       tally.visits(),
                       value_of(tally),
                       deviation_of(child),
                       child.prior,
                       child.proven(),
                       {},
                       {}};
    for (const Node* next = &child; next && static_cast<int>(report.variation.size()) < depth;
         next = expected(tree_, *next)) {
      report.variation.push_back(next->action);
      report.variation_visits.push_back(next->visits());
    }
    reports.push_back(std::move(report));
  }
  std::stable_sort(reports.begin(), reports.end(),
                   [](const ChildReport& a, const ChildReport& b) { return merit(a) > merit(b); });
  return reports;
}

}  // namespace gtpbot
