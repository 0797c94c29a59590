#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/tape_entries.h"

namespace muster::daemon::tape {

// By which an object is told from all others.
std::string key_of_object(const Object& object);
std::string key_of_gone(const kube::ResourceKind& kind, const kube::Identity& id);
std::string key_of_pod(const kube::Identity& pod);

// What a cycle decided for a pod, which counts before it can be seen in an object.
struct Assumption {
  kube::Identity pod;
  std::string node;                 // empty: none
  std::string order;                // the body of the object that has another process bind it; empty: none
  std::optional<Timestamp> leaves;  // evicted
};
std::vector<Assumption> assumptions_of(const Effects& effects, const Timestamp& now);

// The state that all inputs so far have left, as entries that tell it anew: the objects in the order in which they first came, as
// they are by now or as they were decided to be.
class Mirror {
 public:
  // An entry as it is recorded. Of one about an object, its key.
  void take(std::string_view entry, const std::string& key);
  void assume(const Assumption& assumption);

  void for_each_entry(const std::function<void(std::string_view)>& visit) const;
  // What the opening of the next segment says.
  std::uint64_t cycles() const { return cycles_; }
  const std::string& config() const { return config_; }
  const std::string& config_file() const { return config_file_; }
  void begin(const Opening& opening);
  bool settled() const { return settled_; }

 private:
  void put(const std::string& key, std::string bytes);
  void take_back(const kube::Identity& pod);

  struct Slot {
    std::uint64_t place = 0;
    std::string bytes;
  };
  boost::unordered_flat_map<std::string, Slot> objects_;
  boost::unordered_flat_map<std::string, std::string> orders_;  // of pods, by key: requests that were not seen yet
  std::uint64_t places_ = 0;
  std::string usage_;  // the entry; empty: none
  std::string config_;
  std::string config_file_;
  std::uint64_t cycles_ = 0;
  bool may_evict_ = true;
  bool settled_ = false;
};

}  // namespace muster::daemon::tape
