#pragma once

// Objects that a test writes down, as groupers see a cluster.

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grouping/view.h"

namespace muster::grouping {

inline Object object(const std::string& api_version, const std::string& kind, std::string text) {
  auto out = Object::read(text, ObjectKind::of(api_version, kind));
  EXPECT_TRUE(out.has_value()) << text;
  return out.value_or(Object());
}

class MadeUpCluster : public View {
 public:
  // The name and namespace are the object's own.
  MadeUpCluster& with(const std::string& api_version, const std::string& kind, std::string text) {
    objects_.push_back(object(api_version, kind, std::move(text)));
    return *this;
  }
  MadeUpCluster& with_class(const std::string& name) {
    return with("scheduling.k8s.io/v1", "PriorityClass", R"({"metadata":{"name":")" + name + R"("}})");
  }
  MadeUpCluster& forbidding(std::string kind) {
    forbidden_.push_back(std::move(kind));
    return *this;
  }

  tl::expected<Object, Missing> find(const ObjectKind& kind, const std::string& ns, const std::string& name) const override {
    for (const auto& one : forbidden_)
      if (one == kind.kind) return tl::unexpected(Missing::kForbidden);
    for (const auto& one : objects_)
      if (one.kind == kind && one.ns == ns && one.name == name) return one;
    return tl::unexpected(Missing::kNotThere);
  }
  bool has_live_pod(const std::string& ns, const Texts& labels) const override {
    for (const auto& one : objects_) {
      bool all = one.kind.kind == "Pod" && one.ns == ns && !one.is_deleting;
      for (const auto& [key, value] : labels) all = all && one.label(key) == value;
      if (all) return true;
    }
    return false;
  }

 private:
  std::vector<Object> objects_;
  std::vector<std::string> forbidden_;
};

// An owner "top" in the namespace "ns", with the uid "u-top".
inline std::string owner_text(const std::string& metadata, const std::string& rest) {
  return R"({"metadata":{"name":"top","namespace":"ns","uid":"u-top")" + metadata + "}" + rest + "}";
}
// A pod "p" in the namespace "ns", with the uid "u-p", owned by "top" of that kind.
inline Object pod_of(const std::string& api_version, const std::string& kind, const std::string& metadata = {},
                     const std::string& spec = {}, const std::string& scheduler = "kai-scheduler") {
  return object("v1", "Pod",
                R"({"metadata":{"name":"p","namespace":"ns","uid":"u-p","ownerReferences":[{"apiVersion":")" + api_version +
                    R"(","kind":")" + kind + R"(","name":"top","uid":"u-top","controller":true}])" + metadata +
                    R"(},"spec":{"schedulerName":")" + scheduler + "\"" + spec + "}}");
}

}  // namespace muster::grouping
