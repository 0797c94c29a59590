#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "codec/kinds.h"
#include "kube/api_status.h"
#include "kube/backoff.h"
#include "kube/loop.h"
#include "kube/resource_kinds.h"
#include "model/objects.h"

namespace muster::daemon {

// Reads single objects from the server, each until there is an answer. While the server gives none, one question is asked again and
// again; when it is answered, all that wait are asked at once, so that nobody waits longer than for the server itself. Callable
// from any thread; answers come on the loop's thread.
class ObjectReader {
 public:
  using OnRead = std::function<void(std::optional<Object>)>;  // nothing: there is none

  ObjectReader(kube::Loop& loop, kube::RandomSource random);
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  void read(kube::ObjectPath path, const KindReader& kind, OnRead on_read);

 private:
  struct Question {
    kube::ObjectPath path;
    const KindReader* kind;
    OnRead on_read;
  };
  void ask(Question question);
  void answered(Question question, const kube::HttpAnswer& answer);
  void wait(Question question, std::optional<kube::Duration> asked);
  void ask_those_that_wait();
  bool take(const Question& question, const kube::HttpAnswer& answer, const kube::Judged& judged);

  kube::Loop& loop_;
  kube::Backoff backoff_;
  bool is_away_ = false;          // the server; one question is asked, or soon will be
  std::deque<Question> waiting_;  // for it to be there
  std::optional<kube::TimerId> timer_;
};

}  // namespace muster::daemon
