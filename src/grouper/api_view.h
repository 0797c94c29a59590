#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "grouper/exchange.h"
#include "grouping/view.h"
#include "kube/resource_kinds.h"

namespace muster::grouper {

// A cluster as groupers see it, by asking its API server for one object after the other. Which kinds there are is asked once for
// each group and version. Objects are remembered until forget(): pods of a gang have the same owners.
class ApiView : public grouping::View {
 public:
  explicit ApiView(Exchange exchange) : exchange_(std::move(exchange)) {}

  tl::expected<grouping::Object, Missing> find(const grouping::ObjectKind& kind, const std::string& ns,
                                               const std::string& name) const override;
  bool has_live_pod(const std::string& ns, const grouping::Texts& labels) const override;

  // Where objects of a kind are.
  tl::expected<kube::ObjectPath, Missing> path_of(const grouping::ObjectKind& kind, const std::string& ns,
                                                  const std::string& name) const;
  // What is remembered of objects may be old.
  void forget() { objects_.clear(); }

 private:
  struct Served {
    std::string plural;
    bool namespaced = true;
  };
  using Kinds = std::map<std::string, Served>;  // by kind
  using Place = std::pair<grouping::ObjectKind, std::pair<std::string, std::string>>;

  tl::expected<std::string, Missing> text_of(const std::string& path) const;
  tl::expected<const Kinds*, Missing> kinds_of(const std::string& api_version) const;

  Exchange exchange_;
  mutable std::map<std::string, Kinds> kinds_;  // by group and version
  mutable std::map<Place, grouping::Object> objects_;
};

}  // namespace muster::grouper
