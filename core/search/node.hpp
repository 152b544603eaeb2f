// A node of the tree: 32 bytes, written by all threads at once without locks.
//
// Of two threads that add to one tally in the same nanoseconds, one addition may be lost; if one of
// them is put to sleep amid it, so is what the other adds meanwhile. Visits and values stay
// together all the same, and a search is faster without locked additions than exact with them
// (Enzenberger and Mueller, A lock-free multithreaded Monte-Carlo tree search algorithm, 2009).
//
// Every value in a node is from the view of its mover: the player whose move leads to it, so that
// the player who chooses among children takes the greatest.
#pragma once

#include <atomic>
#include <cstdint>

#include "state.hpp"

namespace gtpbot {

// Visits and the sum of their values in one word, so that they always belong together.
class Tally {
 public:
  static constexpr int kVisitBits = 27;
  static constexpr std::uint32_t kMaxVisits = (1u << kVisitBits) - 1;
  // A value of 1, a win, in fixed point.
  static constexpr std::uint32_t kWin = 1024;

  constexpr Tally() = default;
  // Precondition: 0 <= value_sum <= visits * kWin.
  constexpr Tally(std::uint32_t visits, std::uint64_t value_sum)
      : bits_(visits | value_sum << kVisitBits) {}

  constexpr std::uint32_t visits() const { return bits_ & kMaxVisits; }
  constexpr std::uint64_t value_sum() const { return bits_ >> kVisitBits; }
  // The sum in wins.
  float wins() const { return static_cast<float>(value_sum()) * (1.0f / kWin); }
  // From 0 to 1; one half without visits.
  float mean() const { return visits() ? wins() / static_cast<float>(visits()) : 0.5f; }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr Tally operator+(Tally other) const { return Tally(bits_ + other.bits_); }
  // The same from the view of the other player.
  constexpr Tally for_opponent() const {
    return Tally(visits(), std::uint64_t{visits()} * kWin - value_sum());
  }

 private:
  friend class SharedTally;
  explicit constexpr Tally(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

// A Tally that threads add to; see above for what that means.
class SharedTally {
 public:
  Tally load() const { return Tally(bits_.load(std::memory_order_relaxed)); }
  void store(Tally t) { bits_.store(t.bits(), std::memory_order_relaxed); }
  void add(Tally t) {
    bits_.store(bits_.load(std::memory_order_relaxed) + t.bits(), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> bits_;
};

// What is known for certain, for the mover (MCTS-Solver; Winands, Bjornsson and Saito, 2008).
enum class Proof : std::uint8_t { kNone, kWin, kDraw, kLoss };

constexpr Proof for_opponent(Proof p) {
  if (p == Proof::kWin) return Proof::kLoss;
  return p == Proof::kLoss ? Proof::kWin : p;
}

// Which children a node has, or will soon have, as some thread is making them: those of all moves
// that are looked at, or only of likely ones.
//
// A node begins as kNone. The thread that is to make its children marks it kWhole, which keeps the
// others away, and sets first_child last; until then whoever comes here takes the node for a leaf.
// If unlikely moves get no nodes, it becomes kPart just before, and kWhole when it is the root and
// those are added (Tree::complete). If there is no memory for children, or no other way to the
// position has some to share, it is kNone again, to be tried anew. A leaf that a prover settles
// stays kWhole without children: its proof is all that is asked of it from then on.
enum class Growth : std::uint8_t { kNone, kWhole, kPart };

using NodeIndex = std::uint32_t;
constexpr NodeIndex kNoNode = 0;

struct Node {
  SharedTally tally;                   // of the playouts through here
  SharedTally other;                   // amaf() or squares(), as the selection rule has it
  std::atomic<NodeIndex> first_child;  // kNoNode until expanded
  float prior;                         // probability, from nets; 0 without
  Action action;                       // the move that leads here
  std::uint16_t num_children;          // valid once first_child is set
  std::atomic<std::uint16_t> pending;  // simulations of other threads under way below here
  std::atomic<Proof> proof;
  std::atomic<Growth> growth;

  // Nodes live in raw memory; this makes one of it.
  void init(Action move) {
    tally.store(Tally());
    other.store(Tally());
    first_child.store(kNoNode, std::memory_order_relaxed);
    prior = 0.0f;
    action = move;
    num_children = 0;
    pending.store(0, std::memory_order_relaxed);
    proof.store(Proof::kNone, std::memory_order_relaxed);
    growth.store(Growth::kNone, std::memory_order_relaxed);
  }
  // With Rave: of the playouts in which the mover made this move later.
  SharedTally& amaf() { return other; }
  Tally amaf() const { return other.load(); }
  // With Puct: of the playouts through here, the squares of their values from -1 to 1.
  SharedTally& squares() { return other; }
  Tally squares() const { return other.load(); }
  // True for the thread that is to make the children; false if another is, or has.
  bool begins_to_grow() {
    Growth none = Growth::kNone;  // and no other, lest one that is kPart be taken for whole
    return growth.compare_exchange_strong(none, Growth::kWhole);
  }
  bool has_all_children() const { return growth.load(std::memory_order_relaxed) == Growth::kWhole; }
  Proof proven() const { return proof.load(std::memory_order_relaxed); }
  std::uint32_t visits() const { return tally.load().visits(); }
  // Visits with those under way, which count as losses until they return (virtual loss).
  std::uint32_t visits_with_pending(Tally t) const {
    return t.visits() + pending.load(std::memory_order_relaxed);
  }
};
static_assert(sizeof(Node) == 32);

// What all ways to one position share. In a tree with transpositions it takes the place before the
// first of the position's children, and every node that leads there points to those.
struct Position {
  std::uint64_t hash;        // State::hash()
  Tally before;              // of the playouts that ended here, before there were children
  std::atomic<Proof> proof;  // for the mover, who is the same player on all ways
  std::uint16_t num_children;
};
static_assert(sizeof(Position) <= sizeof(Node));

}  // namespace gtpbot
