#pragma once

// An API server's store of one kind behind a FakeLoop: lists in pages, streamed lists, watches, compaction.

#include <map>
#include <string>
#include <vector>

#include "unit/kube/fake_loop.h"

namespace muster::kube {

class FakeApi {
 public:
  struct Record {
    int version;
    std::string type;
    std::string object;
    bool lost = false;  // no watch tells of it
  };

  explicit FakeApi(FakeLoop& loop) : loop_(loop) {}

  // Creates, changes or deletes an object; deleting and creating again gives another uid.
  void create(const std::string& name) {
    if (uids_.contains(name)) return change(name);
    uids_[name] = "u" + std::to_string(++version_);
    record("ADDED", name);
  }
  void change(const std::string& name) {
    if (!uids_.contains(name)) return;
    ++version_;
    record("MODIFIED", name);
  }
  void remove(const std::string& name) {
    if (!uids_.contains(name)) return;
    ++version_;
    record("DELETED", name);
    uids_.erase(name);
    versions_.erase(name);
  }
  // The next changes are lost: lists show them, watches do not. They are never the last ones, as a bookmark may follow.
  void lose_changes(bool lost) { losing_ = lost; }
  // Forgets the past: watches and pages from before are expired.
  void compact() { floor_ = version_; }

  // What exists: name to "uid@version".
  std::map<std::string, std::string> state() const {
    std::map<std::string, std::string> out;
    for (const auto& [name, uid] : uids_) out[name] = uid + "@" + std::to_string(versions_.at(name));
    return out;
  }

  // Answers a call as far as it can: a page wholly, of a stream at most `most` events.
  void serve(CallId id, std::size_t most) {
    const auto& path = loop_.request(id).path;
    if (path.find("watch=1") == std::string::npos)
      loop_.answer(id, list_status(path), page_of(path));
    else
      serve_stream(id, path, most);
  }
  // Half of the next event, and then nothing more.
  void cut(CallId id) {
    const auto found = cursors_.find(id);
    if (found != cursors_.end())
      if (const auto* next = next_after(found->second)) loop_.body(id, line(next->type, next->object).substr(0, 25));
    if (loop_.calls.contains(id)) loop_.end(id, "cut");
  }
  bool streams_lists = true;

 private:
  std::string text(const std::string& name) const {
    return R"({"metadata":{"name":")" + name + R"(","uid":")" + uids_.at(name) + R"(","resourceVersion":")" +
           std::to_string(version_) + R"("}})";
  }
  void record(const std::string& type, const std::string& name) {
    versions_[name] = version_;
    history_.push_back({version_, type, text(name), losing_});
  }
  static std::string line(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
  }
  static std::string parameter(const std::string& path, const std::string& name) {
    const auto at = path.find(name + "=");
    return at == std::string::npos ? "" : path.substr(at + name.size() + 1, path.find('&', at) - at - name.size() - 1);
  }
  const Record* next_after(int version) const {
    for (const auto& one : history_)
      if (one.version > version && !one.lost) return &one;
    return nullptr;
  }
  // The objects as they were at a version.
  std::map<std::string, std::string> objects_at(int version) const {
    std::map<std::string, std::string> out;
    for (const auto& one : history_) {
      if (one.version > version) break;
      const auto begin = one.object.find("name\":\"") + 7;
      const auto name = one.object.substr(begin, one.object.find('"', begin) - begin);
      if (one.type == "DELETED")
        out.erase(name);
      else
        out[name] = one.object;
    }
    return out;
  }
  // A token is "version.name": where the last page ended; version 0 is how things are now.
  int list_status(const std::string& path) const {
    const auto token = parameter(path, "continue");
    const auto exact = path.find("resourceVersionMatch=Exact") != std::string::npos ? parameter(path, "resourceVersion") : token;
    return !exact.empty() && std::stoi(exact) != 0 && std::stoi(exact) < floor_ ? 410 : 200;
  }
  std::string page_of(const std::string& path) const {
    const auto token = parameter(path, "continue");
    if (list_status(path) != 200)
      return R"({"kind":"Status","code":410,"reason":"Expired","metadata":{"continue":")" +
             (token.empty() ? token : "0" + token.substr(token.find('.'))) + "\"}}";
    const auto limit = parameter(path, "limit");
    const auto exact = path.find("resourceVersionMatch=Exact") != std::string::npos ? parameter(path, "resourceVersion") : token;
    const int version = exact.empty() || std::stoi(exact) == 0 ? version_ : std::stoi(exact);
    const auto after = token.empty() ? std::string() : token.substr(token.find('.') + 1);
    std::string items;
    std::string last;
    std::size_t count = 0;
    bool more = false;
    for (const auto& [name, object] : objects_at(version)) {
      if (name <= after) continue;
      if (!limit.empty() && count == std::stoul(limit)) {
        more = true;
        break;
      }
      ++count;
      items += (items.empty() ? "" : ",") + object;
      last = name;
    }
    const auto next = more ? std::to_string(version) + "." + last : "";
    return R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"(","continue":")" + next + R"("},"items":[)" +
           items + "]}";
  }
  void serve_stream(CallId id, const std::string& path, std::size_t most) {
    if (!cursors_.contains(id) && !open(id, path)) return;
    for (std::size_t i = 0; i < most && loop_.calls.contains(id) && !loop_.calls.at(id).paused; ++i) {
      auto& cursor = cursors_.at(id);
      const auto* next = next_after(cursor);
      if (next == nullptr) {
        loop_.body(id, bookmark(version_, false));
        return;
      }
      cursor = next->version;
      loop_.body(id, line(next->type, next->object));
    }
  }
  bool open(CallId id, const std::string& path) {
    const bool list = path.find("sendInitialEvents") != std::string::npos;
    if (list && !streams_lists) {
      loop_.answer(id, 422, "{}");
      return false;
    }
    loop_.head(id, 200);
    if (!list) {
      cursors_[id] = std::stoi(parameter(path, "resourceVersion"));
      if (cursors_[id] >= floor_) return true;
      loop_.body(id, line("ERROR", R"({"kind":"Status","code":410,"reason":"Expired"})"));
      return false;
    }
    cursors_[id] = version_;
    for (const auto& [name, object] : objects_at(version_))
      if (loop_.calls.contains(id)) loop_.body(id, line("ADDED", object));
    if (loop_.calls.contains(id)) loop_.body(id, bookmark(version_, true));
    return loop_.calls.contains(id);
  }
  static std::string bookmark(int version, bool ends_list) {
    return line("BOOKMARK", R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"(")" +
                                (ends_list ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}");
  }

  FakeLoop& loop_;
  int version_ = 1;
  int floor_ = 0;
  bool losing_ = false;
  std::map<std::string, std::string> uids_;
  std::map<std::string, int> versions_;
  std::vector<Record> history_;
  std::map<CallId, int> cursors_;
};

}  // namespace muster::kube
