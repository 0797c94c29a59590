#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/objects.h"

namespace muster::daemon {

// What is being written on volumes, volume claims and device claims for pods that are to be bound, and cannot be seen in the
// objects yet. As long as it is under way, objects that arrive are completed by it, so that nobody else is given the same.
//
// Objects are named by claim_name_of().
class AssumedClaims {
 public:
  // A volume's.
  struct Holder {
    std::string ns, name, uid;
  };
  // A volume claim's.
  struct SelectedNode {
    std::string node;
  };
  // A device claim's.
  struct Given {
    DeviceAllocation devices;
    std::string text;  // the same as it is written
  };
  using What = std::variant<Holder, SelectedNode, Given>;

  // A pod's bind rests on it. What others rest on already stays as it is; false: that is something else.
  bool hold(const Object& object, What what, const std::string& pod);
  // Whether it can be seen, or somebody is writing it.
  bool is_under_way(const std::string& object) const;
  // Somebody writes it.
  void begin_writing(const std::string& object);
  // It was written, and the server's object has this version.
  void on_written(const std::string& object, const std::string& version);
  const What* find(const std::string& object) const;
  // Whose binds rest on it.
  std::vector<std::string> pods_of(const std::string& object) const;

  // The object as it is to be seen from now on.
  Object as_assumed(const std::string& object) const;
  // The object as it will be. Says which pods rested on what is not so any more.
  std::vector<std::string> complete(Object& object);
  // The object has gone.
  std::vector<std::string> forget(const std::string& object);

  // A pod's bind does not rest on it any more. Where nothing was written and nobody else rests on it: the object as it is.
  enum class End { kBound, kNotBound };
  std::optional<Object> let_go(const std::string& object, const std::string& pod, End end);

  // Whether the server's object of a device claim has devices.
  bool shows_devices(const std::string& object) const { return with_devices_.contains(object); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Object real;  // as the server showed it last
    What what;
    std::vector<std::string> pods;  // whose binds rest on it
    bool is_begun = false;
    bool is_shown = false;      // by the server
    std::uint64_t written = 0;  // the version of the object that has it; 0: not known
  };
  Object completed(const Entry& entry) const;

  boost::unordered_flat_map<std::string, Entry> entries_;
  boost::unordered_flat_set<std::string> with_devices_;  // device claims
};

// "plural/namespace/name" of a volume, a volume claim or a device claim; empty for others.
std::string claim_name_of(const Object& object);
std::string claim_name_of(std::string_view plural, const std::string& ns, const std::string& name);

}  // namespace muster::daemon
