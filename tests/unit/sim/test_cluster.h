#pragma once

// An embedded cluster without sockets, on a clock that stands still, and a client of it.

#include <gtest/gtest.h>
#include <string>
#include <variant>
#include <vector>

#include "sim/cluster.h"

namespace muster::sim {

inline Tree json(std::string_view text) {
  auto out = Tree::parse(text);
  EXPECT_TRUE(out.has_value()) << text << ": " << (out ? "" : out.error());
  return out ? std::move(*out) : Tree();
}

struct TestReply {
  int status = 0;
  Tree body;
  std::vector<std::string> warnings = {};

  std::string text_at(std::string_view path) const { return std::string(body.text_at(path)); }
  std::string message() const { return text_at("message"); }
  std::string reason() const { return text_at("reason"); }
};

class TestCluster {
 public:
  explicit TestCluster(ClusterSettings settings = {}, bool has_kubelets = false)
      : has_kubelets_(has_kubelets), cluster_(with_outside(std::move(settings))) {
    const auto opened = cluster_.open();
    EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().text());
  }

  TestReply get(std::string target, std::string accept = "application/json") {
    return ask(server::Method::kGet, std::move(target), {}, {}, std::move(accept));
  }
  TestReply post(std::string target, std::string body) { return ask(server::Method::kPost, std::move(target), std::move(body)); }
  TestReply put(std::string target, std::string body) { return ask(server::Method::kPut, std::move(target), std::move(body)); }
  TestReply remove(std::string target, std::string body = {}) {
    return ask(server::Method::kDelete, std::move(target), std::move(body));
  }
  TestReply merge(std::string target, std::string body) { return patch("merge-patch+json", std::move(target), std::move(body)); }
  TestReply patch(const std::string& type, std::string target, std::string body) {
    return ask(server::Method::kPatch, std::move(target), std::move(body), "application/" + type);
  }

  TestReply ask(server::Method method, std::string target, std::string body, std::string type = "application/json",
                std::string accept = "application/json") {
    const auto answer = cluster_.answer(request(method, std::move(target), std::move(body), std::move(type), std::move(accept)));
    if (const auto* response = std::get_if<server::Response>(&answer)) {
      TestReply out{response->status, json(response->body)};
      for (const auto& [name, value] : response->headers)
        if (name == "Warning") out.warnings.push_back(value);
      return out;
    }
    ADD_FAILURE() << "a stream";
    return {};
  }
  // The lines of a watch come with take().
  std::shared_ptr<server::Stream> watch(std::string target) {
    const auto answer = cluster_.answer(request(server::Method::kGet, std::move(target), {}, {}, "application/json"));
    if (const auto* stream = std::get_if<std::shared_ptr<server::Stream>>(&answer)) return *stream;
    ADD_FAILURE() << std::get<server::Response>(answer).body;
    return nullptr;
  }

  Cluster& operator*() { return cluster_; }
  Cluster* operator->() { return &cluster_; }
  void pass(std::int64_t seconds) {
    *now_ += seconds;
    cluster_.tick();
  }

 private:
  ClusterSettings with_outside(ClusterSettings settings) {
    settings.kubelets = has_kubelets_;
    settings.outside.now = [now = now_] { return Timestamp{*now, 0}; };
    settings.outside.random = [count = std::make_shared<std::uint64_t>(0)] { return ++*count * 0x9E3779B97F4A7C15ULL; };
    return settings;
  }

  static server::Request request(server::Method method, std::string target, std::string body, std::string type,
                                 std::string accept) {
    server::Request out;
    out.method = method;
    const auto mark = target.find('?');
    out.path = target.substr(0, mark);
    std::string_view query = mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
    while (!query.empty()) {
      const auto one = query.substr(0, query.find('&'));
      out.query.emplace_back(one.substr(0, one.find('=')),
                             one.find('=') == std::string_view::npos ? "" : one.substr(one.find('=') + 1));
      query.remove_prefix(std::min(one.size() + 1, query.size()));
    }
    if (!type.empty()) out.headers.add("Content-Type", std::move(type));
    out.headers.add("Accept", std::move(accept));
    out.headers.add("User-Agent", "test/1");
    out.body = std::move(body);
    return out;
  }

  bool has_kubelets_;
  std::shared_ptr<std::int64_t> now_ = std::make_shared<std::int64_t>(1'700'000'000);
  Cluster cluster_;
};

inline std::string pod_text(const std::string& name, const std::string& more = {}) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"("},"spec":{"containers":[{"name":"c","image":"i"}])" + more + "}}";
}
inline std::string config_text(const std::string& name, const std::string& more = {}) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"" + more + R"(},"data":{"a":"1"}})";
}
inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kConfigs = "/api/v1/namespaces/default/configmaps";

}  // namespace muster::sim
