#include "policy/volcano/plugins/extender.h"

#include <algorithm>
#include <array>

#include "model/time.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kLongestTimeout = 60 * kNanosPerSecond;
constexpr int kMostUnreached = 3;  // in a row, in one cycle

// In the order of the topics.
constexpr std::array<std::string_view, 12> kVerbs = {
    "extender.onSessionOpenVerb", "extender.onSessionCloseVerb", "extender.predicateVerb",     "extender.prioritizeVerb",
    "extender.preemptableVerb",   "extender.reclaimableVerb",    "extender.queueOverusedVerb", "extender.jobEnqueueableVerb",
    "extender.jobEnqueuedVerb",   "extender.jobReadyVerb",       "extender.allocateFuncVerb",  "extender.deallocateFuncVerb",
};

std::int64_t timeout_of(const Arguments& arguments) {
  const auto given = parse_go_duration(arguments.get_string("extender.httpTimeout", ""));
  return given && *given > 0 ? std::min(*given, kLongestTimeout) : kNanosPerSecond;
}

std::set<std::string> managed_resources(const Arguments& arguments) {
  std::set<std::string> names;
  const auto* given = arguments.find("extender.managedResources");
  if (given == nullptr || given->as_list() == nullptr) return names;
  for (const auto& item : *given->as_list())
    if (const auto name = decoded_string(item)) names.insert(*name);
  return names;
}

// Codes as the original numbers them. A message without a code is an error, and so is a code that means nothing.
FitCode code_of(std::int64_t code) {
  constexpr std::array kCodes = {FitCode::kError,        FitCode::kError, FitCode::kUnschedulable,
                                 FitCode::kUnresolvable, FitCode::kWait,  FitCode::kSkip};
  return code >= 0 && code < static_cast<std::int64_t>(kCodes.size()) ? kCodes[static_cast<std::size_t>(code)] : FitCode::kError;
}

Vote extender_vote(std::int64_t number) { return number == 0 ? Vote::kAbstain : number > 0 ? Vote::kPermit : Vote::kReject; }

}  // namespace

Extender::Extender(Session& session, const PluginOption& option)
    : Plugin(session),
      url_prefix_(option.arguments.get_string("extender.urlPrefix", "")),
      timeout_nanos_(timeout_of(option.arguments)),
      ignorable_(option.arguments.get_bool("extender.ignorable", false)),
      managed_(managed_resources(option.arguments)) {
  static_assert(kVerbs.size() == kTopics);
  while (url_prefix_.ends_with('/')) url_prefix_.pop_back();
  for (std::size_t i = 0; i < kTopics; ++i) verbs_[i] = option.arguments.get_string(kVerbs[i], "");
}

Points Extender::points() const {
  Points points;
  const auto answers = [&](ExtenderTopic topic, Point point) {
    if (!verb(topic).empty()) points.add(point);
  };
  answers(ExtenderTopic::kPredicate, Point::kPredicate);
  answers(ExtenderTopic::kPrioritize, Point::kBatchNodeOrder);
  answers(ExtenderTopic::kPreemptable, Point::kPreemptable);
  answers(ExtenderTopic::kReclaimable, Point::kReclaimable);
  answers(ExtenderTopic::kQueueOverused, Point::kOverused);
  answers(ExtenderTopic::kJobEnqueueable, Point::kJobEnqueueable);
  answers(ExtenderTopic::kJobEnqueued, Point::kJobEnqueued);
  answers(ExtenderTopic::kJobReady, Point::kJobReady);
  return points;
}

// A service that does not answer now is left out of the whole cycle, unless it may be ignored: then it is asked all the same.
void Extender::open() {
  if (!asks(ExtenderTopic::kSessionOpen)) return;
  const auto answer = ask({.topic = ExtenderTopic::kSessionOpen});
  disabled_ = !answer && !ignorable_;
}

// Told even when it has not been asked anything.
void Extender::close() {
  if (!verb(ExtenderTopic::kSessionClose).empty()) (void)ask({.topic = ExtenderTopic::kSessionClose});
}

// ---------------------------------------------------------------------------------------------------------- jobs, queues

// As in the original, where it may be ignored a job of which it says nothing is not ready.
bool Extender::job_ready(const Job& job) {
  if (!asks(ExtenderTopic::kJobReady)) return true;
  const auto answer = ask_about(ExtenderTopic::kJobReady, job);
  return answer ? answer->flag : !ignorable_;
}

Vote Extender::job_enqueueable(const Job& job) {
  if (!asks(ExtenderTopic::kJobEnqueueable)) return Vote::kAbstain;
  const auto answer = ask_about(ExtenderTopic::kJobEnqueueable, job);
  if (!answer) return ignorable_ ? Vote::kPermit : Vote::kReject;
  return extender_vote(answer->vote);
}

void Extender::job_enqueued(const Job& job) {
  if (asks(ExtenderTopic::kJobEnqueued)) (void)ask_about(ExtenderTopic::kJobEnqueued, job);
}

bool Extender::overused(QueueId queue) {
  if (!asks(ExtenderTopic::kQueueOverused)) return false;
  const auto answer = ask({.topic = ExtenderTopic::kQueueOverused, .queue = queue});
  return answer ? answer->flag : !ignorable_;
}

// ---------------------------------------------------------------------------------------------------------------- nodes

Dependence Extender::predicate_dependence(PodId pod) const {
  return asks(ExtenderTopic::kPredicate) && is_interested(pod) ? Dependence::kOthers : Dependence::kNothing;
}

void Extender::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  if (up_to < Dependence::kOthers || predicate_dependence(pod) == Dependence::kNothing) return;
  const NodeId nodes[] = {node};
  const auto answer = ask({.topic = ExtenderTopic::kPredicate, .pod = pod, .nodes = nodes});
  auto& fits = session().cluster().fits();
  if (!answer) {
    if (!ignorable_) verdict.push_back(fits.status(FitCode::kError, answer.error().message));
  } else if (!answer->message.empty()) {
    verdict.push_back(fits.status(code_of(answer->code), answer->message));
  }
}

Dependence Extender::order_dependence(PodId pod) const {
  return asks(ExtenderTopic::kPrioritize) && is_interested(pod) ? Dependence::kOthers : Dependence::kNothing;
}

void Extender::add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  order_failed_ = false;
  if (order_dependence(pod) == Dependence::kNothing) return;
  const auto answer = ask({.topic = ExtenderTopic::kPrioritize, .pod = pod, .nodes = nodes});
  if (!answer) {
    order_failed_ = !ignorable_;
    return;
  }
  if (!answer->message.empty() || !answer->has_scores) {
    order_failed_ = true;
    return;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto score = answer->scores.find(session().books().node(nodes[i]).name); score != answer->scores.end())
      totals[i] += score->second;
}

// ------------------------------------------------------------------------------------------------------------- eviction

Ballot Extender::preemptable(PodId pod, std::span<const PodId> candidates) {
  return ballot(ExtenderTopic::kPreemptable, pod, candidates);
}

Ballot Extender::reclaimable(PodId pod, std::span<const PodId> candidates) {
  return ballot(ExtenderTopic::kReclaimable, pod, candidates);
}

Ballot Extender::ballot(ExtenderTopic topic, PodId pod, std::span<const PodId> candidates) {
  if (!asks(topic) || !pod || !is_interested(pod)) return {};
  const auto answer = ask({.topic = topic, .pod = pod, .candidates = candidates});
  if (!answer) return {ignorable_ ? Vote::kPermit : Vote::kReject, {}};
  Ballot ballot{extender_vote(answer->vote), {}};
  const std::set<std::string_view> named(answer->victims.begin(), answer->victims.end());
  for (const auto candidate : candidates)
    if (named.contains(session().books().pod(candidate).uid)) ballot.victims.push_back(candidate);
  return ballot;
}

// --------------------------------------------------------------------------------------------------------------- events

bool Extender::on_allocate(PodId pod) {
  if (!asks(ExtenderTopic::kAllocate) || !is_interested(pod)) return true;
  const auto answer = ask_about(ExtenderTopic::kAllocate, pod);
  return answer ? answer->message.empty() : ignorable_;
}

void Extender::on_deallocate(PodId pod) {
  if (asks(ExtenderTopic::kDeallocate) && is_interested(pod)) (void)ask_about(ExtenderTopic::kDeallocate, pod);
}

bool Extender::undoes_cleanly() const { return !asks(ExtenderTopic::kAllocate) && !asks(ExtenderTopic::kDeallocate); }

// --------------------------------------------------------------------------------------------------------------- asking

bool Extender::is_interested(PodId pod) const {
  if (managed_.empty()) return true;
  const auto& books = session().books();
  const auto& shape = books.shape_of(pod);
  return std::any_of(managed_.begin(), managed_.end(), [&](const std::string& name) {
    const auto resource = books.find_resource(name);
    return resource && (shape.request.has(resource) || shape.limits.has(resource));
  });
}

Extender::Answer Extender::ask_about(ExtenderTopic topic, PodId pod) const { return ask({.topic = topic, .pod = pod}); }
Extender::Answer Extender::ask_about(ExtenderTopic topic, const Job& job) const { return ask({.topic = topic, .job = job.id}); }

Extender::Answer Extender::ask(ExtenderQuestion question) const {
  auto* client = session().memory().extender.get();
  if (client == nullptr) return tl::unexpected(ExtenderFailure{"there is no way to the extender", true});
  if (unreached_ >= kMostUnreached) return tl::unexpected(last_failure_);
  question.url = url_prefix_ + "/" + verb(question.topic);
  question.timeout_nanos = timeout_nanos_;
  auto answer = client->ask(session(), question);
  if (answer) {
    unreached_ = 0;
    return answer;
  }
  session().warn("the extender failed: " + answer.error().message);
  unreached_ = answer.error().unreachable ? unreached_ + 1 : 0;
  last_failure_ = answer.error();
  if (unreached_ == kMostUnreached)
    session().warn("the extender at " + url_prefix_ + " cannot be reached and is not asked any more in this cycle: what it would " +
                   "have said is left to extender.ignorable");
  return answer;
}

}  // namespace muster::volcano
