#include "search/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <span>
#include <vector>

namespace gtpbot {

namespace {

// One place of the table for so many nodes: positions have several children each.
constexpr std::size_t kNodesPerPlace = 4;

std::size_t table_places(const State& root, std::size_t max_bytes, bool transpositions) {
  if (!transpositions || !root.is_history_free()) return 0;
  return max_bytes / sizeof(Node) / kNodesPerPlace;
}

// And this share of the memory at most for what is known of a net's errors.
constexpr std::size_t kShareOfBiases = 8;

}  // namespace

Tree::Tree(const State& root, std::size_t max_bytes, bool transpositions, bool forecasts)
    : table_(table_places(root, max_bytes, transpositions)),
      biases_(forecasts && !shares() ? max_bytes / kShareOfBiases : 0),
      max_nodes_(std::min((max_bytes - table_.bytes() - biases_.bytes()) / sizeof(Node),
                          std::size_t{0xffffffff})),
      nodes_(std::max<std::size_t>(max_nodes_, 2), Fill::kNothing) {
  root_state_ = root.clone();
  forget_nodes();
}

std::size_t Tree::num_nodes() const {
  return std::min(used_.load(std::memory_order_relaxed), max_nodes_);
}

Node* Tree::allocate(int count) {
  const std::size_t size = static_cast<std::size_t>(count) + ahead();
  if (used_.load(std::memory_order_relaxed) + size <= max_nodes_) {
    const std::size_t first = used_.fetch_add(size, std::memory_order_relaxed);
    if (first + size <= max_nodes_) return &nodes_[first + ahead()];
  }
  is_full_.store(true, std::memory_order_relaxed);
  return nullptr;
}

void Tree::attach(Node& node, const Node* first, int count, std::uint64_t hash) {
  const auto first_child = static_cast<NodeIndex>(first - nodes_.get());
  node.num_children = static_cast<std::uint16_t>(count);
  if (shares()) {
    Position* position = new (&position_at(first_child)) Position;
    position->hash = hash;
    position->before = node.tally.load();
    position->proof.store(Proof::kNone, std::memory_order_relaxed);
    position->num_children = node.num_children;
    table_.insert(hash, first_child);
  }
  node.first_child.store(first_child, std::memory_order_release);
}

bool Tree::complete(Node& node, const ActionList& actions, std::span<const float> priors) {
  Node* const all = allocate(actions.size());
  if (!all) return false;
  const std::span<Node> known(children(node), node.num_children);
  for (int i = 0; i < actions.size(); ++i) {
    const auto same = [&](const Node& child) { return child.action == actions[i]; };
    const auto child = std::find_if(known.begin(), known.end(), same);
    if (child != known.end()) {
      std::memcpy(static_cast<void*>(&all[i]), &*child, sizeof(Node));
    } else {
      all[i].init(actions[i]);
      all[i].prior = priors[static_cast<std::size_t>(i)];
    }
  }
  node.growth.store(Growth::kWhole);
  if (biases_.wanted()) {
    std::memcpy(static_cast<void*>(&forecast(all)), &forecast(known.data()), sizeof(Forecast));
  }
  attach(node, all, actions.size(), 0);
  garbage_ += known.size();
  return true;
}

bool Tree::join(Node& node, std::uint64_t hash) {
  const NodeIndex first_child =
      table_.find(hash, [&](NodeIndex i) { return position_at(i).hash == hash; });
  if (first_child == kNoNode) return false;
  node.num_children = position_at(first_child).num_children;
  node.first_child.store(first_child, std::memory_order_release);
  return true;
}

void Tree::reset(const State& root) {
  root_state_ = root.clone();
  clear();
}

void Tree::clear() {
  biases_.clear();
  forget_nodes();
}

// Index 0 means "no node"; the root comes right after it.
void Tree::forget_nodes() {
  if (used_.load() > 2) table_.clear();
  used_.store(2, std::memory_order_relaxed);
  is_full_.store(false, std::memory_order_relaxed);
  garbage_ = 0;
  root_ = 1;
  nodes_[root_].init(Action{});
}

// True for what was proven without a look at its moves, one of which its root is asked for.
bool Tree::shows_no_move(const Node& node) const {
  return node.proven() != Proof::kNone && node.first_child.load() == kNoNode &&
         !root_state_->is_terminal();
}

void Tree::advance(Action action) {
  const Node& old = root();
  const NodeIndex first = old.first_child.load();
  root_state_->apply_unchecked(action);
  if (first != kNoNode) {
    for (NodeIndex i = first; i < first + old.num_children; ++i) {
      if (nodes_[i].action != action || nodes_[i].visits() == 0) continue;
      if (shows_no_move(nodes_[i])) break;
      leave_all_but(nodes_[i], std::span(&nodes_[first], old.num_children));
      root_ = i;
      return;
    }
  }
  forget_nodes();
}

// Takes the garbage for as large a share of the nodes as of the visits: to count it takes nearly as
// long as to be rid of it. The old root and the siblings are surely among it.
void Tree::leave_all_but(const Node& kept, std::span<const Node> children) {
  double visits = 0.0;
  for (const Node& child : children) visits += child.visits();
  const std::size_t live = num_nodes() - garbage_;
  const double left = static_cast<double>(live) * (1.0 - kept.visits() / visits);
  garbage_ += std::min(live, std::max(children.size(), static_cast<std::size_t>(left)));
}

// Which places of the block live, and where they go when they are slid together: behind index 0,
// in the order in which they lie, so that each moves to a place that is already free.
class Tree::LivePlaces {
 public:
  LivePlaces(std::size_t places, bool with_heads)
      : live_(places / 64 + 1), before_(live_.size()), heads_(with_heads ? places : 0) {}

  bool has(NodeIndex i) const { return live_[i / 64] >> i % 64 & 1; }
  void add(NodeIndex first, int count) {
    for (NodeIndex i = first; count > 0; ++i, --count) live_[i / 64] |= std::uint64_t{1} << i % 64;
  }
  // Of the places ahead of children, which are no nodes.
  void add_head(NodeIndex i) {
    heads_[i] = true;
    add(i, 1);
  }
  bool is_head(NodeIndex i) const { return !heads_.empty() && heads_[i]; }

  // To be called once all are added, before what follows; where the last of them ends.
  NodeIndex count() {
    NodeIndex end = 1;
    for (std::size_t word = 0; word < live_.size(); ++word) {
      before_[word] = end;
      end += static_cast<NodeIndex>(std::popcount(live_[word]));
    }
    return end;
  }
  NodeIndex moved(NodeIndex i) const {
    const std::uint64_t before = live_[i / 64] & ((std::uint64_t{1} << i % 64) - 1);
    return before_[i / 64] + static_cast<NodeIndex>(std::popcount(before));
  }
  // In order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t word = 0; word < live_.size(); ++word) {
      for (std::uint64_t left = live_[word]; left != 0; left &= left - 1) {
        visit(static_cast<NodeIndex>(64 * word) + static_cast<NodeIndex>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> live_;
  std::vector<NodeIndex> before_;  // where the first of 64 places goes
  std::vector<bool> heads_;
};

std::optional<std::uint32_t> Tree::compact(std::size_t most) {
  LivePlaces live(num_nodes(), ahead() > 0);
  const std::optional<std::uint32_t> most_visits = find_live(live, most);
  if (!most_visits) return std::nullopt;
  const NodeIndex end = live.count();
  slide(live);
  used_.store(end);
  is_full_.store(false);
  garbage_ = 0;
  return most_visits;
}

// Adds all that can be reached from the root; the most visits that a node of it has. Nothing once
// there are more than `most`.
std::optional<std::uint32_t> Tree::find_live(LivePlaces& live, std::size_t most) const {
  std::uint32_t most_visits = 0;
  std::size_t found = 1;
  std::vector<NodeIndex> parents;  // whose children are still to be added
  const auto look_at = [&](NodeIndex i) {
    most_visits = std::max(most_visits, nodes_[i].visits());
    if (nodes_[i].first_child.load() != kNoNode) parents.push_back(i);
  };
  live.add(root_, 1);
  look_at(root_);
  while (!parents.empty()) {
    const Node& parent = nodes_[parents.back()];
    parents.pop_back();
    const NodeIndex first = parent.first_child.load();
    if (live.has(first - ahead())) continue;  // by another way to the position
    if (ahead() > 0) live.add_head(first - ahead());
    live.add(first, parent.num_children);
    found += parent.num_children;
    if (found > most) return std::nullopt;
    for (NodeIndex i = first; i < first + parent.num_children; ++i) look_at(i);
  }
  return most_visits;
}

void Tree::slide(const LivePlaces& live) {
  root_ = live.moved(root_);
  table_.clear();
  NodeIndex to = 1;
  live.for_each([&](NodeIndex from) {
    if (!live.is_head(from)) {
      const NodeIndex first = nodes_[from].first_child.load();
      if (first != kNoNode) {
        nodes_[from].first_child.store(live.moved(first), std::memory_order_relaxed);
      }
    }
    std::memmove(static_cast<void*>(&nodes_[to]), &nodes_[from], sizeof(Node));
    if (shares() && live.is_head(from)) table_.insert(position_at(to + 1).hash, to + 1);
    ++to;
  });
}

}  // namespace gtpbot
