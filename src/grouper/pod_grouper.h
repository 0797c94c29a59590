#pragma once

#include <string>

#include "base/result.h"
#include "grouper/api_view.h"
#include "grouping/kai.h"
#include "grouping/volcano.h"

namespace muster::grouper {

enum class GroupedLike { kVolcano, kKai };

enum class Grouped {
  kDone,
  kNothingToDo,  // the pod is gone, or wants no group: nothing changes before it does
};

struct GrouperSettings {
  GroupedLike like = GroupedLike::kVolcano;
  grouping::VolcanoSettings volcano = {};
  grouping::KaiSettings kai = {};
};

// Puts single pods of a cluster into PodGroups: reads what is needed, makes or changes the PodGroup, and notes it on the pod. Two
// of them may do so at the same time: what one has made the other finds.
class PodGrouper {
 public:
  PodGrouper(GrouperSettings settings, const Exchange& exchange)
      : settings_(std::move(settings)), exchange_(exchange), view_(exchange) {}

  // After an error it can be tried again.
  Result<Grouped> group(const std::string& ns, const std::string& name);
  // A Warning about the pod, for `kubectl describe`; nobody minds if it cannot be written.
  void warn(const std::string& ns, const std::string& name, const std::string& uid, const std::string& message);
  // Owners are read anew from now on.
  void forget() { view_.forget(); }

  // The annotation that says that a pod has its group.
  std::string_view group_annotation() const;

 private:
  Result<Grouped> group_for_volcano(const grouping::Object& pod);
  Result<Grouped> group_for_kai(const grouping::Object& pod);
  Result<Grouped> note(const grouping::Object& pod, std::string body);
  Result<void> create(const grouping::ObjectKind& kind, const std::string& ns, std::string body);
  // Gone: also when another object has its name by now.
  enum class Found { kThere, kGone };
  Result<Found> patch(const grouping::ObjectKind& kind, const std::string& ns, const std::string& name, std::string body);

  const GrouperSettings settings_;
  Exchange exchange_;
  ApiView view_;
};

}  // namespace muster::grouper
