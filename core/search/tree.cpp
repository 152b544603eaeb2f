#include "search/tree.hpp"

#include <algorithm>
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

}  // namespace

Tree::Tree(const State& root, std::size_t max_bytes, bool transpositions, bool forecasts)
    : table_(table_places(root, max_bytes, transpositions)),
      biases_(forecasts && !shares()),
      max_nodes_(std::min((max_bytes - table_.bytes()) / sizeof(Node), std::size_t{0xffffffff})),
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
      root_ = i;
      if (num_nodes() > max_nodes_ / 2) compact();
      return;
    }
  }
  forget_nodes();
}

// Nodes that lie side by side and move together: children, with the Position before them.
struct Tree::Siblings {
  NodeIndex first;
  NodeIndex size;
  NodeIndex moved_to;
};

// Slides the live blocks of children towards the beginning, in the order in which they lie, so
// that each moves into space that is already free.
std::uint32_t Tree::compact() {
  std::vector<Siblings> blocks{{root_, 1, 0}};
  std::uint32_t most_visits = root().visits();
  std::vector<bool> found(num_nodes());
  const auto add_children_of = [&](const Node& node) {
    const NodeIndex first = node.first_child.load();
    if (first == kNoNode || found[first]) return;
    found[first] = true;
    blocks.push_back({first - ahead(), node.num_children + ahead(), 0});
  };
  add_children_of(root());
  for (std::size_t next = 1; next < blocks.size(); ++next) {
    const Siblings block = blocks[next];
    for (NodeIndex i = ahead(); i < block.size; ++i) {
      const Node& node = nodes_[block.first + i];
      most_visits = std::max(most_visits, node.visits());
      add_children_of(node);
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Siblings& a, const Siblings& b) { return a.first < b.first; });
  NodeIndex end = 1;
  for (Siblings& block : blocks) {
    block.moved_to = end;
    end += block.size;
  }
  move(blocks);
  used_.store(end);
  is_full_.store(false);
  return most_visits;
}

// `blocks` are all that live, in the order in which they lie.
void Tree::move(std::span<const Siblings> blocks) {
  const auto moved = [&](NodeIndex first) {
    const auto block = std::lower_bound(blocks.begin(), blocks.end(), first,
                                        [](const Siblings& b, NodeIndex i) { return b.first < i; });
    return block->moved_to;
  };
  const NodeIndex old_root = root_;
  root_ = moved(root_);
  table_.clear();
  for (const Siblings& block : blocks) {
    const NodeIndex nodes_from = block.first == old_root ? 0 : ahead();
    for (NodeIndex i = nodes_from; i < block.size; ++i) {
      Node& node = nodes_[block.first + i];
      const NodeIndex first = node.first_child.load();
      if (first != kNoNode) node.first_child.store(moved(first - ahead()) + ahead());
    }
    std::memmove(static_cast<void*>(&nodes_[block.moved_to]), &nodes_[block.first],
                 block.size * sizeof(Node));
    if (nodes_from && shares()) {
      table_.insert(position_at(block.moved_to + 1).hash, block.moved_to + 1);
    }
  }
}

}  // namespace gtpbot
