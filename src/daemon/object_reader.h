#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "codec/kinds.h"
#include "kube/api_status.h"
#include "kube/backoff.h"
#include "kube/loop.h"
#include "kube/resource_kinds.h"
#include "model/objects.h"

namespace muster::daemon {

// Reads single objects from the server, each until there is an answer. While the server gives none, one question is asked again and
// again; when it is answered, all that wait are asked, so many at a time that writes get their turns. A question that is refused is
// asked again less and less often. Callable from any thread; answers come on the loop's thread.
class ObjectReader {
 public:
  using OnRead = std::function<void(std::optional<Object>)>;  // nothing: there is none

  // What is said of refusals, once for each kind of object and of answer.
  using OnProblem = std::function<void(const std::string&)>;
  static constexpr std::size_t kMostAsked = 32;

  ObjectReader(kube::Loop& loop, kube::RandomSource random, OnProblem on_problem = {});
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  void read(kube::ObjectPath path, const KindReader& kind, OnRead on_read);

 private:
  struct Question {
    kube::ObjectPath path;
    const KindReader* kind;
    OnRead on_read;
    int refusals = 0;
  };
  void ask_next();
  void ask(Question question);
  void answered(Question question, const kube::HttpAnswer& answer);
  void wait_for_server(std::optional<kube::Duration> asked);
  void ask_later(Question question);
  std::optional<std::string> take(const Question& question, const kube::HttpAnswer& answer, const kube::Judged& judged);
  void tell_problem(const Question& question, int status, const std::string& problem);

  kube::Loop& loop_;
  kube::Backoff backoff_;
  const OnProblem on_problem_;
  bool is_away_ = false;  // the server; one question is asked, or soon will be
  std::size_t asked_ = 0;
  std::deque<Question> waiting_;
  std::optional<kube::TimerId> timer_;  // while it is away: nothing is asked before
  std::set<std::pair<std::string, int>> told_;
};

}  // namespace muster::daemon
