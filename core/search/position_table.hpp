// Where the positions of a tree are, by their hashes, so that all ways to one share what is known.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "block.hpp"
#include "hash.hpp"
#include "search/node.hpp"

namespace gtpbot {

// Open addressing without locks: threads insert and look up at once. What finds no place within a
// few probes is left out, and is then just not shared.
class PositionTable {
 public:
  // Room for about `places` positions, never more; none at all for 0. Throws std::bad_alloc.
  explicit PositionTable(std::size_t places) : size_(std::bit_floor(places)), places_(size_) {}

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(Place); }

  // The first index under `hash` for which `is_it` holds; kNoNode if there is none.
  template <class IsIt>
  NodeIndex find(std::uint64_t hash, const IsIt& is_it) const {
    for (std::size_t i = 0; i < probes(); ++i) {
      const NodeIndex node = at(hash, i).load(std::memory_order_acquire);
      if (node == kNoNode || is_it(node)) return node;
    }
    return kNoNode;
  }

  void insert(std::uint64_t hash, NodeIndex node) {
    for (std::size_t i = 0; i < probes(); ++i) {
      NodeIndex nobody = kNoNode;
      if (at(hash, i).compare_exchange_strong(nobody, node, std::memory_order_release)) return;
    }
  }

  void clear() {
    for (std::size_t i = 0; i < size_; ++i) places_[i].store(kNoNode, std::memory_order_relaxed);
  }

 private:
  using Place = std::atomic<NodeIndex>;
  static constexpr std::size_t kProbes = 16;

  std::size_t probes() const { return size_ < kProbes ? size_ : kProbes; }
  Place& at(std::uint64_t hash, std::size_t probe) const {
    return places_[(place_of(hash, size_) + probe) & (size_ - 1)];
  }

  std::size_t size_;
  Block<Place> places_;
};

}  // namespace gtpbot
