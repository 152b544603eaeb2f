#include "search/exact.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace gtpbot {
namespace {

constexpr Score kInfinity = 32001;
constexpr Score kWin = 32000;
// Scores beyond this are wins or losses, and certain.
constexpr Score kDecided = kWin - ExactLimits::kMaxDepth;
constexpr Score kMaxHeuristic = 30000;
static_assert(kMaxHeuristic < kDecided);

constexpr int kMaxLog2Pairs = 19;  // of the table: 16 MiB
// How often a run looks at the clock and at stop(), in positions.
constexpr std::uint64_t kPollEvery = 1024;

// `black_value` as a score for the player to move, whose loss or win lies `ply` moves after the
// root.
Score result_score(const State& state, int ply) {
  const float black_value = state.black_value();
  if (black_value == 0.0f) return 0;
  const bool won = (black_value > 0.0f) == (state.current_player() == Player::kBlack);
  return won ? kWin - ply : ply - kWin;
}

Score guess_score(const State& state, float black_value) {
  const float sign = state.current_player() == Player::kBlack ? 1.0f : -1.0f;
  return static_cast<Score>(std::lround(sign * black_value * kMaxHeuristic));
}

float value_of(Score score) {
  if (std::abs(score) >= kDecided) return score > 0 ? 1.0f : -1.0f;
  return static_cast<float>(score) / kMaxHeuristic;
}

// The table counts moves to a win from its position, a search from its root.
Score from_root(Score score, int ply) {
  if (std::abs(score) < kDecided) return score;
  return score > 0 ? score - ply : score + ply;
}
Score from_here(Score score, int ply) {
  if (std::abs(score) < kDecided) return score;
  return score > 0 ? score + ply : score - ply;
}

}  // namespace

ExactReport ExactSearch::run(const State& root, std::span<const Action> actions,
                             const ExactLimits& limits) {
  if (actions.empty()) throw std::invalid_argument("no actions to choose from");
  if (limits.depth < 1 || limits.depth > ExactLimits::kMaxDepth) {
    throw std::invalid_argument("depth " + std::to_string(limits.depth) + ": expected 1 to " +
                                std::to_string(ExactLimits::kMaxDepth));
  }
  begin(root, limits);
  std::vector<Action> order(actions.begin(), actions.end());
  ExactReport report;
  report.best = order;
  for (int depth = 1; depth <= limits.depth && !report.proven; ++depth) {
    line_.emplace_back().state = root.clone();
    ExactReport found = look(order, depth);
    if (stopped_) break;
    report = std::move(found);
    std::stable_partition(order.begin(), order.end(), [&](Action a) {
      return std::find(report.best.begin(), report.best.end(), a) != report.best.end();
    });
  }
  std::sort(report.best.begin(), report.best.end());
  report.nodes = nodes_;
  return report;
}

void ExactSearch::begin(const State& root, const ExactLimits& limits) {
  stop_.store(false, std::memory_order_relaxed);
  limits_ = limits;
  start_ = std::chrono::steady_clock::now();
  nodes_ = 0;
  stopped_ = false;
  history_free_ = root.is_history_free();
  line_.clear();
  line_.emplace_back().state = root.clone();
  for (auto& counts : cutoffs_) counts.fill(0);
  if (method_ == ExactMethod::kAlphaBeta) {
    table_ = std::make_unique<TranspositionTable>(kMaxLog2Pairs);
  }
}

ExactReport ExactSearch::look(std::span<const Action> actions, int depth) {
  ExactReport report;
  report.depth = depth;
  Score best = -kInfinity;
  bool all_proven = true;
  for (const Action a : actions) {
    // Moves as good as the best lie inside the window too, so that all of them are known.
    const Value v = child(0, a, depth, {std::max(best - 1, -kInfinity), kInfinity});
    if (stopped_) return report;
    all_proven = all_proven && v.proven;
    if (v.score > best) report.best.clear();
    if (v.score >= best) report.best.push_back(a);
    best = std::max(best, v.score);
  }
  report.value_to_move = value_of(best);
  report.proven = all_proven || best >= kDecided;
  return report;
}

ExactSearch::Value ExactSearch::child(int ply, Action a, int depth, Window window) {
  State& after = *at(ply + 1).state;
  after.assign(state_at(ply));
  after.apply_unchecked(a);
  return method_ == ExactMethod::kMinimax ? -minimax(ply + 1, depth - 1)
                                          : -alpha_beta(ply + 1, depth - 1, -window);
}

ExactSearch::Value ExactSearch::minimax(int ply, int depth) {
  if (out_of_time()) return {};
  if (const auto leaf = leaf_value(ply, depth)) return *leaf;
  ActionList& actions = at(ply).actions;
  state_at(ply).candidates(actions);
  Score best = -kInfinity;
  bool all_proven = true;
  for (const Action a : actions) {
    const Value v = child(ply, a, depth, {-kInfinity, kInfinity});
    if (stopped_) return {};
    all_proven = all_proven && v.proven;
    best = std::max(best, v.score);
  }
  return {best, all_proven || best >= kDecided};
}

ExactSearch::Value ExactSearch::alpha_beta(int ply, int depth, Window window) {
  if (out_of_time()) return {};
  if (const auto leaf = leaf_value(ply, depth)) return *leaf;
  if (const auto known = known_value(ply, depth, window)) return *known;
  ActionList& actions = at(ply).actions;
  state_at(ply).candidates(actions);
  order(actions, ply);
  Score best = -kInfinity;
  Action best_action{};
  bool all_proven = true;
  for (const Action a : actions) {
    const Value v = child(ply, a, depth, {std::max(window.alpha, best), window.beta});
    if (stopped_) return {};
    all_proven = all_proven && v.proven;
    if (v.score > best) {
      best = v.score;
      best_action = a;
    }
    if (best >= window.beta) break;
  }
  const Value value{best, all_proven || best >= kDecided};
  remember(ply, depth, window, value, best_action);
  return value;
}

std::optional<ExactSearch::Value> ExactSearch::leaf_value(int ply, int depth) const {
  const State& state = state_at(ply);
  if (state.is_terminal() && state.is_decided()) return Value{result_score(state, ply), true};
  if (state.is_terminal()) return Value{guess_score(state, state.black_value()), false};
  if (depth == 0 && !heuristic_) return Value{0, false};
  if (depth == 0) return Value{guess_score(state, state.black_heuristic()), false};
  return std::nullopt;
}

std::optional<ExactSearch::Value> ExactSearch::known_value(int ply, int depth,
                                                           Window window) const {
  if (!history_free_) return std::nullopt;
  const Transposition* entry = table_->find(state_at(ply).hash());
  if (!entry || (entry->depth < depth && !entry->proven)) return std::nullopt;
  const Score score = from_root(entry->score, ply);
  const bool fits = entry->bound == Bound::kExact ||
                    (entry->bound == Bound::kLower && score >= window.beta) ||
                    (entry->bound == Bound::kUpper && score <= window.alpha);
  return fits ? std::optional(Value{score, entry->proven}) : std::nullopt;
}

void ExactSearch::remember(int ply, int depth, Window window, Value value, Action best) {
  const State& state = state_at(ply);
  Bound bound = value.score > window.alpha ? Bound::kExact : Bound::kUpper;
  if (value.score >= window.beta) {
    bound = Bound::kLower;
    auto& count =
        cutoffs_[static_cast<std::size_t>(state.current_player())][static_cast<std::size_t>(best)];
    count += static_cast<std::uint64_t>(depth) * static_cast<std::uint64_t>(depth);
  }
  table_->store({state.hash(), static_cast<std::int16_t>(from_here(value.score, ply)),
                 static_cast<std::int16_t>(depth), best, bound, value.proven});
}

void ExactSearch::order(ActionList& actions, int ply) const {
  const State& state = state_at(ply);
  const auto& cutoffs = cutoffs_[static_cast<std::size_t>(state.current_player())];
  const Transposition* entry = table_->find(state.hash());
  const auto merit = [&](Action a) {
    if (entry && entry->best == a) return std::numeric_limits<std::uint64_t>::max();
    return cutoffs[static_cast<std::size_t>(a)];
  };
  std::sort(actions.begin(), actions.end(),
            [&](Action a, Action b) { return std::pair(merit(b), a) < std::pair(merit(a), b); });
}

bool ExactSearch::out_of_time() {
  ++nodes_;
  if (nodes_ >= limits_.nodes) stopped_ = true;
  if (nodes_ % kPollEvery == 0 && !stopped_) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    stopped_ = stop_.load(std::memory_order_relaxed) || spent.count() >= limits_.seconds;
  }
  return stopped_;
}

}  // namespace gtpbot
