#include "agents/mcp/job_queue.h"

#include <algorithm>
#include <utility>

#include "runtime/base/threads.h"

namespace stile {

JobQueue::~JobQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void JobQueue::Add(const std::string& lane, std::function<void()> job) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (idle_ <= jobs_.size() && threads_.size() < max_threads_) {
    std::thread thread = TryStartThread([this] { Work(); });
    if (thread.joinable()) threads_.push_back(std::move(thread));
  }
  if (threads_.empty()) {
    lock.unlock();
    job();
    return;
  }
  jobs_.push_back({lane, std::move(job)});
  lock.unlock();
  wake_.notify_one();
}

std::deque<JobQueue::Job>::iterator JobQueue::FindReady() {
  return std::find_if(jobs_.begin(), jobs_.end(), [this](const Job& job) {
    return job.lane.empty() || busy_lanes_.count(job.lane) == 0;
  });
}

void JobQueue::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto ready = FindReady();
    if (ready == jobs_.end()) {
      if (is_ending_ && jobs_.empty()) return;
      ++idle_;
      wake_.wait(lock);
      --idle_;
      continue;
    }
    const Job job = std::move(*ready);
    jobs_.erase(ready);
    if (!job.lane.empty()) busy_lanes_.insert(job.lane);
    lock.unlock();
    job.work();
    lock.lock();
    if (!job.lane.empty()) busy_lanes_.erase(job.lane);
    // The lane is free, or all is done: others may have waited for that.
    wake_.notify_all();
  }
}

}  // namespace stile
