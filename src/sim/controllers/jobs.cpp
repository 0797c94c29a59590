#include "sim/controllers/jobs.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"
#include "sim/conditions.h"
#include "sim/fields.h"
#include "sim/finalizers.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kFirstBackoffSeconds = 10;
constexpr std::int64_t kLongestBackoffSeconds = 600;
constexpr std::int64_t kWriteAgainSeconds = 1;
constexpr std::string_view kNoted = "status.uncountedTerminatedPods";

const Kind& batch_jobs() {
  static const Kind& kind = kind_named("batch", "jobs");
  return kind;
}

// The text is looked at first: a Job may have thousands of pods, and each of them changes several times.
bool is_tracked(const Object& pod) {
  return pod.text.find(kJobTracking) != std::string::npos && has_finalizer(pod.tree(), kJobTracking);
}

// The uids that are noted under "succeeded" or "failed".
std::set<std::string> noted_in(const Tree& job, std::string_view how) {
  std::set<std::string> out;
  const auto* uids = job.at(fmt::format("{}.{}", kNoted, how));
  if (uids == nullptr || !uids->is_list()) return out;
  for (const auto& uid : *uids->as_list()) out.insert(uid.scalar_text());
  return out;
}

Tree noted_tree(const std::set<std::string>& succeeded, const std::set<std::string>& failed) {
  Tree out = Tree::map();
  for (const auto& [how, uids] : {std::pair("succeeded", &succeeded), std::pair("failed", &failed)})
    for (const auto& uid : *uids) out[how].push_back(Tree(uid));
  return out;
}

bool is_finished(const Tree& job) { return has_true_condition(job, "Complete") || has_true_condition(job, "Failed"); }

std::int64_t restarts_in(const Object& object) {
  std::int64_t out = 0;
  const auto pod = object.tree();
  for (const std::string_view list : {"status.initContainerStatuses", "status.containerStatuses"})
    if (const auto* statuses = pod.at(list); statuses != nullptr && statuses->is_list())
      for (const auto& one : *statuses->as_list()) out += bounded_at(one, "restartCount").value_or(0);
  return out;
}

}  // namespace

// What there is of a Job: what its status becomes, with all that is noted counted.
struct Jobs::Count {
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t terminating = 0;
  std::int64_t restarts = 0;
  std::set<std::int64_t> completed;  // indexes
  std::set<std::int64_t> running;
  std::vector<ObjectPtr> active;
  std::vector<ObjectPtr> ended;  // and not let go yet
  std::set<std::string> noted_succeeded;
  std::set<std::string> noted_failed;
  bool has_new = false;  // somebody in `ended` was not noted before
  std::int64_t new_failures = 0;
  Tree status;  // conditions and times
};

std::string indexes_text(const std::set<std::int64_t>& indexes) {
  std::string out;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const auto first = *at;
    auto last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    out += fmt::format("{}{}", out.empty() ? "" : ",", first);
    if (last > first) out += fmt::format("{}{}", last == first + 1 ? "," : "-", last);
  }
  return out;
}

std::set<std::int64_t> parse_indexes(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  std::set<std::int64_t> out;
  if (text.empty()) return out;
  for (const auto piece : split(text, ',')) {
    const auto dash = piece.find('-');
    const auto first = parse_integer(piece.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(piece.substr(dash + 1));
    if (!first || !last || *first < 0 || *last > kMost) continue;
    for (auto i = *first; i <= *last; ++i) out.insert(i);
  }
  return out;
}

void Jobs::reconcile(const Object& job) {
  const auto tree = job.tree();
  if (job.is_deleting) {
    for (const auto& pod : bench_.owned(job.uid, pod_kind())) static_cast<void>(release(*pod));
    return;
  }
  if (is_finished(tree)) return keep_finished(job, tree);
  auto counted = count(job, tree);
  if (!settle_ended(job, counted)) return bench_.look_again(batch_jobs(), job.key, bench_.now() + kWriteAgainSeconds);
  if (counted.new_failures > 0) note_failures(job, counted.new_failures);
  run_job(job, tree, counted);
  write_status(job, counted);
}

void Jobs::release_orphan(const Object& pod) {
  if (pod.owners.empty() || pod.text.find(kJobTracking) == std::string::npos) return;
  if (std::none_of(pod.owners.begin(), pod.owners.end(), [&](const auto& owner) { return bench_.is_alive(owner); }))
    static_cast<void>(release(pod));
}

void Jobs::keep_finished(const Object& job, const Tree& tree) {
  backoffs_.erase(job.key);
  for (const auto& pod : bench_.owned(job.uid, pod_kind())) static_cast<void>(release(*pod));
  const auto keep = bounded_at(tree, "spec.ttlSecondsAfterFinished");
  const auto* condition = status_condition(tree, has_true_condition(tree, "Complete") ? "Complete" : "Failed");
  const auto finished = time_at(*condition, "lastTransitionTime");
  if (!keep || !finished) return;
  if (*finished + *keep <= bench_.now())
    static_cast<void>(bench_.registry().remove(batch_jobs(), job.key, {.uid = job.uid}));
  else
    bench_.look_again(batch_jobs(), job.key, *finished + *keep);
}

Jobs::Count Jobs::count(const Object& job, const Tree& tree) {
  Count out;
  out.status = tree.find("status") == nullptr ? Tree::map() : *tree.find("status");
  out.completed = parse_indexes(tree.text_at("status.completedIndexes"));
  out.noted_succeeded = noted_in(tree, "succeeded");
  out.noted_failed = noted_in(tree, "failed");
  const bool restarts_count = tree.text_at("spec.template.spec.restartPolicy") == "OnFailure";
  for (const auto& pod : bench_.owned(job.uid, pod_kind())) {
    const auto index = parse_integer(pod->labels.get(kCompletionIndex));
    if (pod->is_deleting && !has_ended(*pod)) ++out.terminating;
    if (is_active(*pod)) {
      out.active.push_back(pod);
      if (restarts_count) out.restarts += restarts_in(*pod);
      if (index) out.running.insert(*index);
      continue;
    }
    if (!is_tracked(*pod)) continue;
    out.ended.push_back(pod);
    if (phase_of(*pod) != "Succeeded") {
      if (!out.noted_failed.insert(pod->uid).second) continue;
      ++out.new_failures;
    } else {
      backoffs_.erase(job.key);
      // An index is complete or not, however often it is said.
      if (is_indexed(tree) ? !index || !out.completed.insert(*index).second : !out.noted_succeeded.insert(pod->uid).second)
        continue;
    }
    out.has_new = true;
  }
  const auto size = [](const auto& set) { return static_cast<std::int64_t>(set.size()); };
  out.succeeded =
      is_indexed(tree) ? size(out.completed) : bounded_at(tree, "status.succeeded").value_or(0) + size(out.noted_succeeded);
  out.failed = bounded_at(tree, "status.failed").value_or(0) + size(out.noted_failed);
  return out;
}

void Jobs::note_failures(const Object& job, std::int64_t failures) {
  auto& backoff = backoffs_[job.key];
  if (backoff.uid != job.uid) backoff = {job.uid};
  backoff.failures += failures;
  backoff.since = bench_.now();
}

bool Jobs::settle_ended(const Object& job, const Count& counted) {
  if (counted.has_new) {
    const auto noted = bench_.registry().change(batch_jobs(), job.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
      now.make(kNoted) = noted_tree(counted.noted_succeeded, counted.noted_failed);
      if (!is_indexed(now)) return now;
      now["status"]["completedIndexes"] = Tree(indexes_text(counted.completed));
      now["status"]["succeeded"] = Tree(counted.succeeded);
      return now;
    });
    if (!noted) return false;
  }
  return std::count_if(counted.ended.begin(), counted.ended.end(), [&](const auto& pod) { return !release(*pod); }) == 0;
}

void Jobs::run_job(const Object& job, const Tree& tree, Count& counted) {
  if (tree.true_at("spec.suspend")) return suspend(counted);
  if (has_true_condition(tree, "Suspended")) {
    Tree resumed = Tree::map();
    resumed["status"] = counted.status;
    put_condition(resumed, "Suspended", "False", "JobResumed", "Job resumed", bench_.time_text());
    counted.status = resumed["status"];
  }
  if (auto& started = counted.status["startTime"]; started.is_null()) started = Tree(bench_.time_text());
  if (fail_if_due(job, tree, counted) || complete_if_done(tree, counted)) return;
  make_pods(job, tree, counted);
}

void Jobs::suspend(Count& counted) {
  dismiss(counted.active, counted.active.size());
  counted.status.erase("startTime");
  Tree job = Tree::map();
  job["status"] = counted.status;
  put_condition(job, "Suspended", "True", "JobSuspended", "Job suspended", bench_.time_text());
  counted.status = job["status"];
}

bool Jobs::fail_if_due(const Object& job, const Tree& tree, Count& counted) {
  std::string_view reason;
  std::string_view message;
  const auto limit = bounded_at(tree, "spec.backoffLimit").value_or(6);
  const bool restarts_count = tree.text_at("spec.template.spec.restartPolicy") == "OnFailure";
  if (counted.failed > limit || (restarts_count && (limit == 0 ? counted.restarts > 0 : counted.restarts >= limit))) {
    reason = "BackoffLimitExceeded";
    message = "Job has reached the specified backoff limit";
  } else if (const auto deadline = bounded_at(tree, "spec.activeDeadlineSeconds")) {
    Tree status = Tree::map();
    status["status"] = counted.status;
    const auto end = time_at(status, "status.startTime").value_or(bench_.now()) + *deadline;
    if (end > bench_.now()) {
      bench_.look_again(batch_jobs(), job.key, end);
      return false;
    }
    reason = "DeadlineExceeded";
    message = "Job was active longer than specified deadline";
  } else {
    return false;
  }
  counted.failed += static_cast<std::int64_t>(counted.active.size());
  dismiss(counted.active, counted.active.size());
  Tree out = Tree::map();
  out["status"] = counted.status;
  put_condition(out, "FailureTarget", "True", reason, message, bench_.time_text());
  put_condition(out, "Failed", "True", reason, message, bench_.time_text());
  counted.status = out["status"];
  return true;
}

bool Jobs::complete_if_done(const Tree& tree, Count& counted) {
  const auto completions = bounded_at(tree, "spec.completions");
  // Without a number, the first success says that the work is done, and the others are waited for.
  const bool done =
      completions ? counted.succeeded >= *completions : counted.succeeded > 0 && counted.active.empty() && counted.terminating == 0;
  if (!done) return false;
  dismiss(counted.active, counted.active.size());
  Tree out = Tree::map();
  out["status"] = counted.status;
  const auto now = bench_.time_text();
  put_condition(out, "SuccessCriteriaMet", "True", "CompletionsReached", "Reached expected number of succeeded pods", now);
  put_condition(out, "Complete", "True", "CompletionsReached", "Reached expected number of succeeded pods", now);
  out["status"]["completionTime"] = Tree(now);
  counted.status = out["status"];
  return true;
}

std::int64_t Jobs::backoff_until(const Object& job) const {
  const auto found = backoffs_.find(job.key);
  if (found == backoffs_.end() || found->second.uid != job.uid) return 0;
  constexpr std::int64_t kDoublings = 6;
  const auto doublings = std::min(found->second.failures - 1, kDoublings);
  return found->second.since + std::min(kFirstBackoffSeconds << doublings, kLongestBackoffSeconds);
}

void Jobs::make_pods(const Object& job, const Tree& tree, Count& counted) {
  const auto parallelism = bounded_at(tree, "spec.parallelism").value_or(1);
  const auto completions = bounded_at(tree, "spec.completions");
  const auto running = static_cast<std::int64_t>(counted.active.size());
  auto wanted = completions ? std::min(parallelism, *completions - counted.succeeded) : parallelism;
  if (!completions && counted.succeeded > 0) wanted = std::min(wanted, running);
  if (running > wanted) return dismiss(counted.active, static_cast<std::size_t>(running - std::max<std::int64_t>(wanted, 0)));
  auto missing = wanted - running;
  if (tree.text_at("spec.podReplacementPolicy") == "Failed") missing -= counted.terminating;
  if (missing <= 0) return;
  if (const auto until = backoff_until(job); until > bench_.now()) return bench_.look_again(batch_jobs(), job.key, until);
  std::int64_t index = 0;
  for (; missing > 0; --missing, ++index) {
    if (is_indexed(tree)) {
      while (counted.completed.contains(index) || counted.running.contains(index)) ++index;
      if (index >= completions.value_or(0)) return;
    }
    auto pod = job_pod(tree, is_indexed(tree) ? std::optional(index) : std::nullopt);
    auto made = create_pod(bench_, batch_jobs(), job, std::move(pod));
    if (!made) return;
    counted.active.push_back(std::move(made));
  }
}

void Jobs::dismiss(std::vector<ObjectPtr>& pods, std::size_t how_many) {
  order_for_deletion(pods);
  for (std::size_t i = 0; i < how_many; ++i) {
    static_cast<void>(release(*pods[i]));
    delete_pod(bench_, *pods[i]);
  }
  pods.erase(pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(how_many));
}

bool Jobs::release(const Object& pod) {
  if (pod.text.find(kJobTracking) == std::string::npos) return true;
  const auto now = bench_.store().find(pod_kind(), pod.key);
  if (!now || now->uid != pod.uid) return true;
  const auto done = bench_.registry().change(pod_kind(), pod.key, Part::kServer, [](Tree tree) -> Answered<Tree> {
    remove_finalizer(tree, kJobTracking);
    return tree;
  });
  return done.has_value();
}

void Jobs::write_status(const Object& job, const Count& counted) {
  const auto ready =
      std::count_if(counted.active.begin(), counted.active.end(), [](const auto& pod) { return is_ready_pod(*pod); });
  const auto done = bench_.registry().change(batch_jobs(), job.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    auto& status = now["status"];
    status = counted.status;
    const auto put = [&](std::string_view field, std::int64_t value) {
      if (value == 0)
        status.erase(field);
      else
        status[field] = Tree(value);
    };
    put("active", static_cast<std::int64_t>(counted.active.size()));
    put("succeeded", counted.succeeded);
    put("failed", counted.failed);
    status["ready"] = Tree(static_cast<std::int64_t>(ready));
    status["terminating"] = Tree(counted.terminating);
    status["uncountedTerminatedPods"] = Tree::map();
    if (is_indexed(now)) status["completedIndexes"] = Tree(indexes_text(counted.completed));
    return now;
  });
  if (!done) bench_.look_again(batch_jobs(), job.key, bench_.now() + kWriteAgainSeconds);
}

}  // namespace muster::sim
