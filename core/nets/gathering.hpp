// A net's function that values the positions of several searches in common batches.
//
// A search of one position has few leaves at a time for a net, and many searches at once would each
// ask for a small batch. Here, as soon as a core is free, whoever comes next takes along all who
// wait. So the more searches there are, the larger are the batches, and nobody waits for nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "nets/net.hpp"

namespace gtpbot {

// Is a Net::Forward around another one; copies share those who wait. Start reading at operator().
class Gathering {
 public:
  // Positions of a batch at most; a caller's own are never parted.
  static constexpr int kLargest = 64;

  // At work on so many cores at a time. Throws std::invalid_argument if there are none.
  Gathering(Net::Forward forward, const NetShape& shape, int cores);

  // Throws what `forward` throws of these positions: if a batch fails, each is tried alone.
  void operator()(std::span<const float> planes, int count, NetOutput& out) const;

 private:
  struct Request {
    std::span<const float> planes;
    int count;
    NetOutput* out;
    std::exception_ptr error = nullptr;
    std::condition_variable wake{};
    bool has_core = false;
    bool is_done = false;
  };
  using Batch = std::vector<Request*>;

  struct Desk {
    std::mutex mutex;
    std::deque<Request*> waiting;  // some of them may have got a core just now
    int free_cores;
  };

  // With the mutex held:
  void hand_over_core() const;
  Batch take_along(Request& own) const;
  // Without it:
  void serve(const Batch& batch) const noexcept;
  bool serve_joined(const Batch& batch) const noexcept;  // false if that failed

  Net::Forward forward_;
  NetShape shape_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace gtpbot
