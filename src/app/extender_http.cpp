#include "app/extender_http.h"

#include <fmt/format.h>
#include <map>

#include "app/extender_objects.h"
#include "codec/json_syntax.h"
#include "model/json.h"

namespace muster {
namespace {

using volcano::ExtenderAnswer;
using volcano::ExtenderFailure;
using volcano::ExtenderQuestion;
using volcano::ExtenderTopic;
using volcano::Session;

constexpr std::size_t kLargestAnswer = 10u << 20;
constexpr int kDeepest = 64;

// ---- questions

template <class Id, class F>
void write_by_name(JsonWriter& json, std::string_view key, const std::map<std::string, Id>& items, F write) {
  json.key(key).begin_object();
  for (const auto& [name, id] : items) {
    json.key(name);
    write(id);
  }
  json.end_object();
}

void write_session(JsonWriter& json, const Session& session) {
  const auto& cluster = session.cluster();
  const auto& books = session.books();
  std::map<std::string, GroupId> jobs;
  for (const auto id : IdRange<GroupId>(cluster.job_count()))
    if (cluster.job(id).schedulable()) jobs.emplace(books.group(id).name, id);
  std::map<std::string, NodeId> nodes, revocable;
  for (const auto id : IdRange<NodeId>(books.node_count()))
    if (books.node(id).known) {
      nodes.emplace(books.node(id).name, id);
      if (books.node(id).labels.contains("volcano.sh/revocable-zone")) revocable.emplace(books.node(id).name, id);
    }
  std::map<std::string, QueueId> queues;
  for (const auto id : IdRange<QueueId>(cluster.queue_count()))
    if (cluster.queue(id).known) queues.emplace(cluster.queue(id).name, id);
  write_by_name(json, "Jobs", jobs, [&](GroupId id) { write_job(json, session, id); });
  write_by_name(json, "Nodes", nodes, [&](NodeId id) { write_node(json, session, id); });
  write_by_name(json, "Queues", queues, [&](QueueId id) { write_queue(json, session, id); });
  json.key("NamespaceInfo").begin_object();
  for (const auto& [ns, quotas] : cluster.quotas()) json.key(ns).begin_object().member("Name", ns).end_object();
  json.end_object();
  write_by_name(json, "RevocableNodes", revocable, [&](NodeId id) { write_node(json, session, id); });
  json.key("NodeList").null();
}

void write_pod(JsonWriter& json, std::string_view key, const Session& session, PodId pod) {
  json.key(key);
  write_task(json, session, pod);
}

// ---- answers. The original's decoder does not care about the case of keys, and an absent or null field is at its default.

const Json* field(const Json& root, std::string_view key) {
  const auto same = [](std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](char l, char r) { return lower(l) == lower(r); });
  };
  const Json* found = nullptr;
  for (const auto& member : root.members)
    if (same(member.key, key)) found = &member.value;
  return found != nullptr && found->kind == Json::Kind::kNull ? nullptr : found;
}

bool read(const Json& root, std::string_view key, std::string& out) {
  const auto* found = field(root, key);
  if (found == nullptr) return true;
  if (found->kind != Json::Kind::kString) return false;
  out = found->text;
  return true;
}

bool read(const Json& root, std::string_view key, std::int64_t& out) {
  const auto* found = field(root, key);
  if (found == nullptr) return true;
  const auto number = found->kind == Json::Kind::kNumber ? found->as_int() : std::nullopt;
  if (number) out = *number;
  return number.has_value();
}

bool read(const Json& root, std::string_view key, bool& out) {
  const auto* found = field(root, key);
  if (found == nullptr) return true;
  out = found->raw == "true";
  return found->kind == Json::Kind::kBool;
}

bool read_scores(const Json& root, ExtenderAnswer& answer) {
  const auto* scores = field(root, "nodeScore");
  if (scores == nullptr) return true;
  if (scores->kind != Json::Kind::kMap) return false;
  answer.has_scores = true;
  for (const auto& member : scores->members) {
    const auto number = member.value.as_double();
    if (!number) return false;
    answer.scores[member.key] = *number;
  }
  return true;
}

bool read_victims(const Json& root, ExtenderAnswer& answer) {
  const auto* victims = field(root, "victims");
  if (victims == nullptr) return true;
  if (victims->kind != Json::Kind::kList) return false;
  for (const auto& victim : victims->items) {
    std::string uid;
    if (victim.kind != Json::Kind::kMap || !read(victim, "UID", uid)) return false;
    answer.victims.push_back(std::move(uid));
  }
  return true;
}

bool read_answer(ExtenderTopic topic, const Json& root, ExtenderAnswer& answer) {
  switch (topic) {
    case ExtenderTopic::kPredicate: return read(root, "status", answer.message) && read(root, "code", answer.code);
    case ExtenderTopic::kPrioritize: return read_scores(root, answer) && read(root, "errorMessage", answer.message);
    case ExtenderTopic::kPreemptable:
    case ExtenderTopic::kReclaimable: return read(root, "status", answer.vote) && read_victims(root, answer);
    case ExtenderTopic::kJobEnqueueable: return read(root, "status", answer.vote);
    case ExtenderTopic::kQueueOverused: return read(root, "overused", answer.flag);
    case ExtenderTopic::kJobReady: return read(root, "status", answer.flag);
    case ExtenderTopic::kAllocate:
    case ExtenderTopic::kDeallocate: return read(root, "errorMessage", answer.message);
    case ExtenderTopic::kJobEnqueued:
    case ExtenderTopic::kSessionOpen:
    case ExtenderTopic::kSessionClose: return true;
  }
  return false;
}

}  // namespace

bool asks_extender(const volcano::Config& config) {
  for (const auto& tier : config.tiers)
    for (const auto& plugin : tier.plugins)
      if (plugin.name == "extender") return true;
  return false;
}

std::string extender_body(const Session& session, const ExtenderQuestion& question) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  switch (question.topic) {
    case ExtenderTopic::kSessionOpen: write_session(json, session); break;
    case ExtenderTopic::kSessionClose: break;
    case ExtenderTopic::kPredicate:
      write_pod(json, "task", session, question.pod);
      json.key("node");
      write_node(json, session, question.nodes.front());
      break;
    case ExtenderTopic::kPrioritize:
      write_pod(json, "task", session, question.pod);
      json.key("nodes").begin_array();
      for (const auto node : question.nodes) write_node(json, session, node);
      json.end_array();
      break;
    case ExtenderTopic::kPreemptable:
    case ExtenderTopic::kReclaimable:
      write_pod(json, "evictor", session, question.pod);
      json.key("evictees").begin_array();
      for (const auto pod : question.candidates) write_task(json, session, pod);
      json.end_array();
      break;
    case ExtenderTopic::kQueueOverused:
      json.key("queue");
      write_queue(json, session, question.queue);
      break;
    case ExtenderTopic::kJobEnqueueable:
    case ExtenderTopic::kJobEnqueued:
    case ExtenderTopic::kJobReady:
      json.key("job");
      write_job(json, session, question.job);
      break;
    case ExtenderTopic::kAllocate:
    case ExtenderTopic::kDeallocate: write_pod(json, "task", session, question.pod); break;
  }
  json.end_object();
  return body;
}

tl::expected<ExtenderAnswer, ExtenderFailure> extender_answer(ExtenderTopic topic, std::string_view body) {
  ExtenderAnswer answer;
  if (topic == ExtenderTopic::kSessionOpen || topic == ExtenderTopic::kSessionClose) return answer;  // nobody reads it
  const auto begin = skip_json_space(body, 0);
  const auto end = json_value_end(body, begin, kDeepest);
  if (!end) return tl::unexpected(ExtenderFailure{"the answer is no JSON: " + end.error().message, false});
  const auto root = read_json(body.substr(begin, *end - begin));
  if (!root || (root->kind != Json::Kind::kMap && root->kind != Json::Kind::kNull))
    return tl::unexpected(ExtenderFailure{"the answer is no JSON object", false});
  if (!read_answer(topic, *root, answer)) return tl::unexpected(ExtenderFailure{"a field of the answer has the wrong type", false});
  return answer;
}

tl::expected<ExtenderAnswer, ExtenderFailure> HttpExtender::ask(const Session& session, const ExtenderQuestion& question) {
  HttpRequest request;
  request.method = HttpRequest::Method::kPost;
  request.url = question.url;
  request.body = extender_body(session, question);
  request.content_type = "application/json";
  request.timeout_nanos = question.timeout_nanos;
  request.largest_answer = kLargestAnswer;
  const auto response = http_.send(request);
  const auto failed = [&](const std::string& why, bool unreachable) {
    return tl::unexpected(ExtenderFailure{fmt::format("Post \"{}\": {}", question.url, why), unreachable});
  };
  if (!response) return failed(response.error().message, response.error().unreachable);
  if (response->status != 200) {
    const auto verb = question.url.substr(question.url.rfind('/') + 1);
    return tl::unexpected(
        ExtenderFailure{fmt::format("failed {} with extender at URL {}, code {}", verb, question.url, response->status), false});
  }
  auto answer = extender_answer(question.topic, response->body);
  if (!answer) return failed(answer.error().message, false);
  return answer;
}

}  // namespace muster
