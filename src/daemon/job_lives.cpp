#include "daemon/job_lives.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/printable_text.h"
#include "base/wording.h"
#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kLongestText = 300;  // bytes

// Cut where a character ends.
std::string cut_short(std::string text) {
  if (text.size() <= kLongestText) return text;
  auto end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// The name that the pod's annotation has for its PodGroup, in either dialect.
std::string_view group_named_by(const Pod& pod) {
  for (const auto* key : {"scheduling.k8s.io/group-name", "pod-group-name"})
    if (const auto* name = pod.meta.annotations.find(key)) return *name;
  return {};
}

bool waits(JobState state) { return state == JobState::kWaiting || state == JobState::kPartial || state == JobState::kPipelined; }

std::uint64_t hash_of(const std::string& uid) { return std::hash<std::string>()(uid); }

}  // namespace

void JobLives::begin_anew() {
  const std::lock_guard lock(mutex_);
  pods_.clear();
  pods_known_ = groups_known_ = false;
  for (auto& [_, life] : lives_) {
    life->pods = life->running = life->succeeded = life->failed = 0;
    life->latest_start = {};
    life->is_told = false;
  }
}

void JobLives::on_change(const kube::Change& change, const Timestamp& now) {
  const std::lock_guard lock(mutex_);
  switch (change.type) {
    case kube::ChangeType::kAdded:
    case kube::ChangeType::kModified:
      if (const auto* pod = std::get_if<Pod>(&*change.object)) return take_pod(*pod, now);
      if (const auto* group = std::get_if<PodGroup>(&*change.object)) return take_group(group_of(*group), now);
      if (const auto* group = std::get_if<KaiPodGroup>(&*change.object)) return take_group(group_of(*group), now);
      return;
    case kube::ChangeType::kDeleted:
      if (change.kind->kind == "Pod") return remove_pod(change.id.uid, now);
      if (change.kind->kind == "PodGroup") return remove_group(change.id, now);
      return;
    case kube::ChangeType::kSynced:
      if (change.kind->kind == "PodGroup") leave_behind_untold(now);
      if (change.kind->kind == "PodGroup") groups_known_ = true;
      if (change.kind->kind == "Pod") pods_known_ = true;
      return settle_all(now);
    case kube::ChangeType::kUnchanged: return;
  }
}

JobLives::Group JobLives::group_of(const PodGroup& group) {
  Group out{.meta = group.meta, .queue = group.queue, .minimum = group.min_member, .phase = group.phase};
  for (const auto& condition : group.conditions)
    if (condition.type == "Unschedulable" && condition.status == "True") {
      out.condition = condition.message;
      out.since = condition.last_transition;
    }
  return out;
}

JobLives::Group JobLives::group_of(const KaiPodGroup& group) {
  Group out{.meta = group.meta, .queue = group.queue, .minimum = group.min_member.value_or(0)};
  if (!group.min_member)
    for (const auto& part : group.sub_groups) out.minimum += part.min_member.value_or(0);
  for (const auto& condition : group.conditions)
    if (condition.type == "UnschedulableOnNodePool" && condition.status == "True") {
      out.condition = condition.message;
      out.since = condition.last_transition.value_or(Timestamp());
    }
  return out;
}

JobLives::LifePtr JobLives::life_of(const std::string& name) {
  auto& life = lives_[name];
  if (!life) {
    life = std::make_shared<Life>();
    life->name = name;
  }
  return life;
}

void JobLives::take_group(const Group& group, const Timestamp& now) {
  const auto life = life_of(key_of(group.meta));
  const bool is_new = life->uid != group.meta.uid;
  if (is_new) {
    life->events.clear();
    life->condition.clear();
    life->code.clear();
    life->uid = group.meta.uid;
    life->created = group.meta.created;
    life->queue = group.queue;
    life->phase = group.phase;  // since when it has it, nobody says
    life->is_over = life->runs = false;
  }
  life->is_told = true;
  life->is_gone = false;
  life->minimum = std::max<std::int64_t>(1, group.minimum);
  note_phase(*life, group.phase, now);
  note_condition(*life, group, is_new && group.since.seconds != 0 ? group.since : now);
  settle(*life, is_new && life->latest_start.seconds != 0 ? life->latest_start : now);
}

void JobLives::note_phase(Life& life, std::string_view phase, const Timestamp& now) {
  if (life.phase == phase) return;
  life.phase = phase;
  if (phase == "Pending") push(life, now, "waiting", "waits to be let in");
  if (phase == "Inqueue") push(life, now, "let-in", "let in: it may be given nodes");
}

void JobLives::note_condition(Life& life, const Group& group, const Timestamp& time) {
  if (group.condition.empty() || life.runs || life.is_over) return;  // it may have been left there
  auto condition = without_numbers(group.condition);
  if (condition == life.condition) return;
  life.condition = std::move(condition);
  push(life, time, "waiting", "waits: " + std::string(group.condition));
}

void JobLives::take_pod(const Pod& pod, const Timestamp& now) {
  const auto key = hash_of(pod.meta.uid);
  auto mark = pods_.find(key);
  const bool is_new = mark == pods_.end();
  if (is_new) {
    const auto name = group_named_by(pod);
    if (name.empty()) return;
    mark = pods_.emplace(key, PodMark{.life = life_of(pod.meta.ns + "/" + std::string(name))}).first;
    ++mark->second.life->pods;
  }
  auto& life = *mark->second.life;
  auto stage = Stage::kBefore;
  if (pod.status.phase == "Succeeded") stage = Stage::kSucceeded;
  if (pod.status.phase == "Failed") stage = Stage::kFailed;
  if (pod.status.phase == "Running" && !pod.meta.deleted) stage = Stage::kRunning;
  const auto before = std::exchange(mark->second.stage, stage);
  if (before == stage) return;
  count(life, before, -1);
  count(life, stage, +1);
  auto time = now;
  if (is_new && pod.status.start_time) time = life.latest_start = std::max(life.latest_start, *pod.status.start_time);
  settle(life, time);
}

void JobLives::count(Life& life, Stage stage, int change) {
  switch (stage) {
    case Stage::kBefore: return;
    case Stage::kRunning: life.running += change; return;
    case Stage::kSucceeded: life.succeeded += change; return;
    case Stage::kFailed: life.failed += change; return;
  }
}

// What runs has been running since the last of its pods began.
void JobLives::settle_all(const Timestamp& now) {
  for (auto& [_, life] : lives_) settle(*life, life->latest_start.seconds != 0 ? life->latest_start : now);
}

void JobLives::settle(Life& life, const Timestamp& time) {
  if (life.uid.empty() || life.is_gone || !pods_known_ || !groups_known_) return;
  const bool is_over = life.pods > 0 && life.succeeded + life.failed == life.pods;
  if (is_over && !life.is_over) {
    auto text = "all pods have ended: " + std::to_string(life.succeeded) + " succeeded";
    if (life.failed > 0) text += ", " + std::to_string(life.failed) + " failed";
    push(life, time, "ended", std::move(text));
    life.runs = false;
  }
  // The pods of one that is over are taken away.
  life.is_over = is_over || (life.is_over && life.pods == 0);
  const bool has_minimum = life.running + life.succeeded >= life.minimum;
  if (life.running > 0 && has_minimum && !life.runs) {
    push(life, time, "running",
         count_of(static_cast<std::size_t>(life.running), "pod") + (life.running == 1 ? " runs" : " run") +
             (life.minimum > 1 ? fmt::format(", and at least {} have to", life.minimum) : ""));
    life.runs = true;
    life.code.clear();
    life.condition.clear();  // waiting again is news
  } else if (life.runs && !has_minimum) {
    push(life, time, "stopped", fmt::format("fewer pods run than the {} that have to", life.minimum));
    life.runs = false;
  }
}

void JobLives::remove_pod(const std::string& uid, const Timestamp& now) {
  const auto mark = pods_.find(hash_of(uid));
  if (mark == pods_.end()) return;
  const auto life = mark->second.life;
  count(*life, mark->second.stage, -1);
  --life->pods;
  pods_.erase(mark);
  settle(*life, now);
  if (life->pods == 0 && life->uid.empty()) lives_.erase(life->name);
}

void JobLives::remove_group(const kube::Identity& id, const Timestamp& now) {
  const auto life = lives_.find(key_of(id));
  if (life != lives_.end() && !life->second->is_gone) leave_behind(*life->second, now);
}

void JobLives::leave_behind_untold(const Timestamp& now) {
  std::vector<LifePtr> untold;
  for (const auto& [_, life] : lives_)
    if (!life->is_told && !life->is_gone) untold.push_back(life);
  std::ranges::sort(untold, {}, [](const LifePtr& life) { return life->name; });
  for (const auto& life : untold) leave_behind(*life, now);
}

void JobLives::leave_behind(Life& life, const Timestamp& now) {
  push(life, now, "deleted", "deleted");
  life.is_gone = true;
  life.runs = false;
  gone_.push_back(life.name);
  if (gone_.size() <= bounds_.gone) return;
  const auto earliest = lives_.find(gone_.front());
  gone_.pop_front();
  if (earliest != lives_.end() && earliest->second->is_gone) lives_.erase(earliest);
}

void JobLives::on_seen(const JobOutlook& job, std::string_view code, const Timestamp& now) {
  const std::lock_guard lock(mutex_);
  const auto found = lives_.find(job.name);
  if (found == lives_.end()) return;
  auto& life = *found->second;
  if (!waits(job.state) || job.sentence.empty()) return life.code.clear();
  if (life.code == code) return;
  life.code = code;
  push(life, now, "reason", "waits: " + job.sentence);
}

void JobLives::push(Life& life, const Timestamp& time, std::string_view kind, std::string text) {
  if (life.events.size() == bounds_.events) life.events.pop_front();
  life.events.push_back({time, std::string(kind), cut_short(std::move(text))});
}

std::vector<TimelineEvent> JobLives::events_of(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  const auto found = lives_.find(job);
  if (found == lives_.end() || found->second->uid.empty()) return {};
  const auto& life = *found->second;
  std::vector<TimelineEvent> out(life.events.rbegin(), life.events.rend());
  if (life.created.seconds != 0)
    out.push_back({life.created, "created", life.queue.empty() ? "created" : "created, in queue " + life.queue});
  return out;
}

}  // namespace muster::daemon
