// Callers of one net on several threads, who are answered in common batches, each with its own.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "nets/gathering.hpp"

namespace gtpbot {
namespace {

constexpr NetShape kShape{{1, 2, 1}, 2, true, true};

// Counts its batches, says of each position its own two numbers, and dislikes negative ones.
class Echo {
 public:
  Net::Forward forward() {
    return [this](std::span<const float> planes, int count, NetOutput& out) {
      CHECK(++working_ <= most_);
      CHECK_EQ(planes.size(), 2 * static_cast<std::size_t>(count));
      CHECK_EQ(out.value.size(), static_cast<std::size_t>(count));
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // so that others wait
      ++batches;
      if (count > largest) largest = count;
      bool is_bad = false;
      for (std::size_t i = 0; i < out.value.size(); ++i) {
        is_bad = is_bad || planes[2 * i] < 0;
        out.policy[2 * i] = planes[2 * i];
        out.policy[2 * i + 1] = planes[2 * i + 1];
        out.value[i] = planes[2 * i] + planes[2 * i + 1];
      }
      --working_;
      if (is_bad) throw std::domain_error("negative");
    };
  }
  explicit Echo(int most) : most_(most) {}

  std::atomic<int> batches = 0;
  std::atomic<int> largest = 0;

 private:
  std::atomic<int> working_ = 0;
  int most_;
};

// Asks about `count` positions that nobody else has; true if the answers were theirs.
bool asks(const Gathering& net, int caller, int turn, int count) {
  std::vector<float> planes;
  for (int i = 0; i < count; ++i) {
    planes.push_back(static_cast<float>(caller));
    planes.push_back(static_cast<float>(turn + i));
  }
  NetOutput out;
  out.resize(kShape, static_cast<std::size_t>(count));
  net(planes, count, out);
  for (std::size_t i = 0; i < out.value.size(); ++i) {
    if (out.policy[2 * i + 1] != planes[2 * i + 1]) return false;
    if (out.value[i] != planes[2 * i] + planes[2 * i + 1]) return false;
  }
  return out.policy == planes;
}

template <class Work>
void in_threads(int threads, const Work& work) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : running) thread.join();
}

void each_is_told_of_its_own_positions() {
  for (const int cores : {1, 2}) {
    Echo echo(cores);
    const Gathering net(echo.forward(), kShape, cores);
    in_threads(12, [&](int caller) {
      for (int turn = 0; turn < 50; ++turn) CHECK(asks(net, caller, turn, 1 + turn % 5));
    });
    CHECK(echo.batches < 12 * 50);
    CHECK(echo.largest > 5);
    CHECK(echo.largest <= Gathering::kLargest);
  }
}

void a_callers_own_positions_are_never_parted() {
  Echo echo(1);
  const Gathering net(echo.forward(), kShape, 1);
  in_threads(4, [&](int caller) {
    for (int turn = 0; turn < 5; ++turn) CHECK(asks(net, caller, turn, Gathering::kLargest + 1));
  });
  CHECK_EQ(echo.batches.load(), 20);
}

void an_error_reaches_those_alone_whose_positions_cause_it() {
  Echo echo(2);
  const Gathering net(echo.forward(), kShape, 2);
  std::atomic<int> errors = 0;
  in_threads(8, [&](int caller) {
    for (int turn = 0; turn < 20; ++turn) {
      try {
        CHECK(asks(net, caller == 3 ? -1 : caller, turn, 2));
        CHECK(caller != 3);
      } catch (const std::domain_error&) {
        CHECK_EQ(caller, 3);
        ++errors;
      }
    }
  });
  CHECK_EQ(errors.load(), 20);
}

void a_net_needs_a_core() {
  Echo echo(1);
  CHECK_THROWS(Gathering(echo.forward(), kShape, 0), std::invalid_argument, "without a core");
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::each_is_told_of_its_own_positions();
  gtpbot::a_callers_own_positions_are_never_parted();
  gtpbot::an_error_reaches_those_alone_whose_positions_cause_it();
  gtpbot::a_net_needs_a_core();
  return gtpbot::check::status();
}
