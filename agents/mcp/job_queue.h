// A queue of jobs for a few threads, with lanes that keep an order.
#ifndef STILE_AGENTS_MCP_JOB_QUEUE_H_
#define STILE_AGENTS_MCP_JOB_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace stile {

// Work on a few threads, which are started when they are needed. Jobs of one lane come one after
// the other, in the order in which they were added; those of lane "" come at any time. Thread-safe.
class JobQueue {
 public:
  explicit JobQueue(size_t max_threads) : max_threads_(max_threads) {}
  // Waits for all jobs.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // Runs `job` on the calling thread where the system has no threads.
  void Add(const std::string& lane, std::function<void()> job);

 private:
  struct Job {
    std::string lane;
    std::function<void()> work;
  };

  void Work();
  // The first job whose lane is free; jobs_.end(): none.
  std::deque<Job>::iterator FindReady();

  const size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;  // guarded by mutex_, as all below
  std::set<std::string> busy_lanes_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;  // threads
  bool is_ending_ = false;
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_JOB_QUEUE_H_
