#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "sim/controllers/volcano_job_status.h"

namespace muster::sim {

// Keeps Volcano Jobs: their PodGroup, their pods once the scheduler has let that in, and their phases, by what happens to the pods
// and by the policies for it. It learns of that from the store, and works in run(), which its owner calls.
class VolcanoJobs {
 public:
  VolcanoJobs(Workbench& bench, Store& store);

  // Whether there was something to do.
  bool run();
  // What is due by now.
  void tick();
  // A Job that has ended and is not to be kept.
  void remove_if_old(const Object& job);

 private:
  struct Request {
    Key job;
    VolcanoEvent event = {};  // without a name: the action says what to do
    std::string action = {};
    std::string partition = {};
    std::string command = {};  // the Command that asks for it
  };
  using Rule = std::function<bool(VolcanoJobStatus&)>;
  enum class Retain { kNothing, kEnded };

  void on_pod(const Change& change);
  void on_job(const Change& change);
  void on_group(const Change& change);
  void on_command(const Object& command);

  void execute(const Request& request);
  void act(const Object& object, const VolcanoJob& job, const std::string& action, const Request& request);
  void act_on_living(const Object& object, const VolcanoJob& job, const std::string& action, const Request& request);
  bool counts(const VolcanoJob& job, const VolcanoEvent& event) const;
  void kill(const Object& object, const VolcanoJob& job, Retain retain, const Rule& rule);
  void kill_some(const Object& object, const VolcanoJob& job, const Request& request, const std::string& action, const Rule& rule);
  void sync(const Object& object, const VolcanoJob& job, const Rule& rule);
  void sync_pods(const Object& object, const VolcanoJob& job, VolcanoJobStatus& status);
  bool may_start(const Object& object, const VolcanoJob& job, const VolcanoTask& task) const;
  ObjectPtr keep_group(const Object& object, const VolcanoJob& job);
  void end_pod_of(const Object& pod);
  void write(const Object& object, const VolcanoJobStatus& status);

  Workbench& bench_;
  std::deque<Request> requests_;
  std::set<Key> unsynced_;
  std::map<Key, std::int64_t> again_;  // when to look at Jobs of which a pod could not be made
};

}  // namespace muster::sim
