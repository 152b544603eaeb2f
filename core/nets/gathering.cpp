#include "nets/gathering.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gtpbot {

Gathering::Gathering(Net::Forward forward, const NetShape& shape, int cores)
    : forward_(std::move(forward)), shape_(shape), desk_(std::make_shared<Desk>()) {
  if (cores < 1) throw std::invalid_argument("a net without a core to work on");
  desk_->free_cores = cores;
}

void Gathering::operator()(std::span<const float> planes, int count, NetOutput& out) const {
  Request own{planes, count, &out};
  std::unique_lock lock(desk_->mutex);
  desk_->waiting.push_back(&own);
  if (desk_->free_cores > 0) {
    --desk_->free_cores;
    own.has_core = true;
  }
  own.wake.wait(lock, [&own] { return own.has_core || own.is_done; });
  if (own.has_core) {
    const Batch batch = take_along(own);
    lock.unlock();
    serve(batch);
    lock.lock();
    for (Request* each : batch) {
      each->is_done = true;
      each->wake.notify_one();  // its owner cannot go away before the mutex is free
    }
    hand_over_core();
  }
  lock.unlock();
  if (own.error) std::rethrow_exception(own.error);
}

void Gathering::hand_over_core() const {
  const auto next = std::find_if(desk_->waiting.begin(), desk_->waiting.end(),
                                 [](const Request* each) { return !each->has_core; });
  if (next == desk_->waiting.end()) {
    ++desk_->free_cores;
    return;
  }
  (*next)->has_core = true;
  (*next)->wake.notify_one();
}

Gathering::Batch Gathering::take_along(Request& own) const {
  Batch batch{&own};
  int count = own.count;
  std::erase_if(desk_->waiting, [&](Request* each) {
    if (each == &own) return true;
    if (each->has_core || count + each->count > kLargest) return false;
    count += each->count;
    batch.push_back(each);
    return true;
  });
  return batch;
}

void Gathering::serve(const Batch& batch) const noexcept {
  if (batch.size() > 1 && serve_joined(batch)) return;
  for (Request* each : batch) {
    try {
      forward_(each->planes, each->count, *each->out);
    } catch (...) {
      each->error = std::current_exception();
    }
  }
}

bool Gathering::serve_joined(const Batch& batch) const noexcept try {
  std::vector<float> planes;
  int count = 0;
  for (const Request* each : batch) {
    planes.insert(planes.end(), each->planes.begin(), each->planes.end());
    count += each->count;
  }
  NetOutput joined;
  joined.resize(shape_, static_cast<std::size_t>(count));
  forward_(planes, count, joined);
  const float* policy = joined.policy.data();
  const float* value = joined.value.data();
  for (const Request* each : batch) {
    std::copy_n(policy, each->out->policy.size(), each->out->policy.data());
    std::copy_n(value, each->out->value.size(), each->out->value.data());
    policy += each->out->policy.size();
    value += each->out->value.size();
  }
  return true;
} catch (...) {
  return false;
}

}  // namespace gtpbot
