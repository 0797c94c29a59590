#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/list_page.h"
#include "kube/loop.h"
#include "kube/resource_kinds.h"

namespace muster::daemon {

// All objects of a kind as the API server has them.
struct ObjectList {
  const kube::ResourceKind* kind = nullptr;
  std::vector<std::string> items = {};  // JSON
  std::string problem = {};             // why they could not be listed, where the server refuses it
};

// Lists the objects of some kinds, one kind after the other, in pages. A kind that is not installed has none; one that the server
// does not let us see is told with its problem. An error: the server does not answer, or there is more than can be held.
//
// Lives on a loop, and goes with it; the answer comes on its thread.
class ObjectLists : public std::enable_shared_from_this<ObjectLists> {
 public:
  using OnDone = std::function<void(Result<std::vector<ObjectList>>)>;
  static void collect(kube::Loop& loop, const std::vector<const kube::ResourceKind*>& kinds, OnDone on_done);

  ObjectLists(kube::Loop& loop, OnDone on_done) : loop_(loop), on_done_(std::move(on_done)) {}

 private:
  void ask();
  void on_answer(kube::HttpAnswer answer);
  void take(std::string text);
  void next_kind();
  void begin_again(std::size_t limit);
  void fail_with(std::string problem);

  kube::Loop& loop_;
  const OnDone on_done_;
  std::vector<ObjectList> lists_;
  std::size_t at_ = 0;
  std::size_t version_ = 0;  // of the kind's
  std::string next_page_;
  std::size_t limit_ = kPage;
  std::size_t bytes_ = 0;

  static constexpr std::size_t kPage = 500;
};

}  // namespace muster::daemon
