#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/api_writer.h"
#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"

namespace muster::daemon {

struct ClaimWork;

// What a cycle asks of the API server. Nothing in here points into a cluster's books, which go on changing meanwhile.
struct Create {
  kube::ObjectPath collection;
  std::string name;
  std::string body;
  std::uint64_t cycle = 0;  // that decided it, as with all that follow; 0: none
};

struct Bind {
  kube::Identity pod;  // the uid is a precondition
  std::string node;
  std::map<std::string, std::string> annotations = {};  // merged into the pod's
  std::string group = {};                               // "namespace/name" of the gang that it belongs to
  std::optional<Create> order = {};                     // instead: the object that has another process bind it
  std::shared_ptr<const ClaimWork> claims = {};         // what has to be done about its claims before
  std::string rule = {};                                // the action that decided it
  bool comes_again = false;                             // it was sent before, so it goes before what was decided later
  bool of_begun_gang = false;                           // others of its gang have their nodes already
  std::uint64_t cycle = 0;
};

// A change of a claim or a volume that a pod's bind waits for, or that takes such a change back.
struct ClaimStep {
  enum class Kind { kVolume, kNode, kFinalizer, kAllocate, kReserve, kUnreserve };
  Kind kind = Kind::kVolume;
  kube::Identity pod;
  std::string claim;  // the object as assumptions about it are named
  kube::ObjectPath object;
  kube::PatchType type = kube::PatchType::kMerge;
  std::string body;
  std::string otherwise = {};  // what is written when the server does not want the body
  std::string rule = {};       // of the bind
  std::uint64_t cycle = 0;
};

// A change of an object by merging, of which only the latest counts.
struct Patch {
  kube::ObjectPath object;
  kube::PatchType type = kube::PatchType::kMerge;
  std::string body;
  bool can_wait = false;  // it tells what holds at the moment and may soon be over
  std::uint64_t cycle = 0;
};

// An event for people to read, about one object.
struct Event {
  std::string api_version = "v1";
  std::string kind = "Pod";
  kube::Identity about;
  std::string type;  // "Normal", "Warning"
  std::string reason;
  std::string action;
  std::string note;
  bool can_wait = false;           // as a patch
  bool tells_of_eviction = false;  // and is not true without it
  bool is_news = false;            // said once by whoever says it, so sent whatever was said before
  std::map<std::string, std::string> annotations = {};
  std::uint64_t cycle = 0;
};

struct Evict {
  kube::Identity pod;  // the uid is a precondition
  std::string group = {};
  std::optional<Patch> announced = {};  // what is written on the pod before
  std::string node = {};                // that it has to leave
  std::string rule = {};                // the action that decided it
  std::string for_group = {};           // for whom, as above; empty: for nobody in particular
  std::string for_pod = {};             // "namespace/name"
  std::string why = {};                 // in words, where more is known than what the rule means in general
  std::vector<Event> told = {};         // of it, when it has been carried out
  std::uint64_t cycle = 0;
};

struct Delete {
  kube::ObjectPath object;
  std::string uid;  // a precondition
  std::uint64_t cycle = 0;
};

// A gang whose first bind is among the effects, or waits for claims.
struct CompleteGang {
  std::string first_pod;  // uid
  kube::Instant since;    // when the last of its pods was seen
};

struct Effects {
  std::vector<Delete> deletions;  // go before binds that make an object of the same name
  std::vector<ClaimStep> steps;
  std::vector<Bind> binds;
  std::vector<Evict> evictions;
  std::vector<Create> creations;
  std::vector<Patch> patches;
  std::vector<Event> events;
  std::vector<CompleteGang> complete = {};  // to be measured
  std::vector<std::string> gone = {};       // uids of objects that exist no more: what was told of them is over
  std::uint64_t term = 0;                   // in which it was decided: see WriteQueue

  bool empty() const {
    return deletions.empty() && steps.empty() && binds.empty() && evictions.empty() && creations.empty() && patches.empty() &&
           events.empty() && complete.empty() && gone.empty();
  }
  // Whatever has no cycle yet is of this one.
  void note_cycle(std::uint64_t cycle);
  // All writes of another one, behind ours.
  void add(Effects more);
};

}  // namespace muster::daemon
