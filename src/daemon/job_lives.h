#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/job_outlook.h"
#include "daemon/timeline_event.h"
#include "kube/event_queue.h"

namespace muster::daemon {

// What became of jobs, as changes of their PodGroups and pods tell it: created, let in, waiting and with which condition, running,
// ended; and for which other reason they waited when somebody looked. A job of which nothing changes costs nothing. Of each job the
// latest events are remembered, of those that are gone the latest jobs. From any thread.
class JobLives {
 public:
  struct Bounds {
    std::size_t events = 24;  // of a job, besides its creation
    std::size_t gone = 2000;  // jobs
  };
  JobLives() : JobLives(Bounds()) {}
  explicit JobLives(Bounds bounds) : bounds_(bounds) {}

  // All objects will be told anew, as those that are there. What is gone meanwhile will not be told. From here, and from the
  // beginning, until all pods and PodGroups are known nothing is made of their numbers.
  void begin_anew();
  void on_change(const kube::Change& change, const Timestamp& now);
  // Somebody looks at the job, for whose state there is a reason of this code.
  void on_seen(const JobOutlook& job, std::string_view code, const Timestamp& now);

  // The latest first.
  std::vector<TimelineEvent> events_of(const std::string& job) const;

 private:
  enum class Stage : std::uint8_t { kBefore, kRunning, kSucceeded, kFailed };
  struct Life {
    std::string name;   // "namespace/name"
    std::string uid;    // of its PodGroup; empty: there is none yet
    std::string queue;  // in which it was created
    Timestamp created;
    std::deque<TimelineEvent> events;  // the latest last
    std::int64_t minimum = 1;
    std::int64_t pods = 0, running = 0, succeeded = 0, failed = 0;
    std::string phase;
    std::string condition;   // the last one that was told, but for its numbers
    std::string code;        // of the reason that was last seen
    Timestamp latest_start;  // of its pods that were running when they were first seen
    bool runs = false;       // its minimum was reached
    bool is_over = false;    // all of its pods have ended
    bool is_told = true;     // since everything is told anew
    bool is_gone = false;    // so is its PodGroup
  };
  using LifePtr = std::shared_ptr<Life>;
  struct PodMark {
    LifePtr life;
    Stage stage = Stage::kBefore;
  };
  // Of a PodGroup of either dialect.
  struct Group {
    const ObjectMeta& meta;
    std::string_view queue;
    std::int64_t minimum = 1;
    std::string_view phase = {};
    std::string_view condition = {};  // why it cannot be scheduled; empty: nothing is said
    Timestamp since = {};             // of the condition
  };

  static Group group_of(const PodGroup& group);
  static Group group_of(const KaiPodGroup& group);
  LifePtr life_of(const std::string& name);
  void take_group(const Group& group, const Timestamp& now);
  void take_pod(const Pod& pod, const Timestamp& now);
  void remove_group(const kube::Identity& id, const Timestamp& now);
  void remove_pod(const std::string& uid, const Timestamp& now);
  void leave_behind_untold(const Timestamp& now);
  void leave_behind(Life& life, const Timestamp& now);
  void note_phase(Life& life, std::string_view phase, const Timestamp& now);
  void note_condition(Life& life, const Group& group, const Timestamp& time);
  void count(Life& life, Stage stage, int change);
  void settle_all(const Timestamp& now);
  // What follows from the numbers of its pods.
  void settle(Life& life, const Timestamp& time);
  void push(Life& life, const Timestamp& time, std::string_view kind, std::string text);

  const Bounds bounds_;
  mutable std::mutex mutex_;
  bool pods_known_ = false;
  bool groups_known_ = false;
  std::unordered_map<std::string, LifePtr> lives_;          // by name
  boost::unordered_flat_map<std::uint64_t, PodMark> pods_;  // by the hash of the uid: there are many, and an error would be small
  std::deque<std::string> gone_;                            // the earliest first; some may have come back
};

}  // namespace muster::daemon
