#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include "app/input_notes.h"
#include "app/pod_defaults.h"
#include "app/printable_text.h"
#include "app/whatif.h"
#include "app/whatif_group.h"
#include "codec/object_reader.h"
#include "policy/volcano/pod_intake.h"

namespace muster {
namespace {

Error refused(const Object& object, const std::string& field, std::string message) {
  Error error(std::move(message));
  error.object = object_name(object);
  error.field = field;
  return error;
}

// As an object is when it has just been created.
void make_new(Object& object, const Timestamp& now) {
  std::visit(
      [&](auto& known) {
        if (known.meta.created == Timestamp{}) known.meta.created = now;
        if (known.meta.uid.empty()) known.meta.uid = "whatif-" + known.meta.ns + "-" + known.meta.name;
      },
      object);
  if (auto* pod = std::get_if<Pod>(&object)) {
    pod->status = {};
    pod->status.phase = "Pending";
    default_requests(*pod);
  }
  if (auto* group = std::get_if<PodGroup>(&object)) {
    group->phase.clear();
    group->conditions.clear();
    group->running = group->succeeded = group->failed = 0;
  }
  if (auto* group = std::get_if<KaiPodGroup>(&object)) group->conditions.clear();
}

bool is_of_a_job(const Object& object) {
  return std::holds_alternative<Pod>(object) || std::holds_alternative<PodGroup>(object) ||
         std::holds_alternative<KaiPodGroup>(object);
}

Result<void> refuse_what_is_there(const WhatIfCluster& cluster, const std::vector<Object>& objects) {
  boost::unordered_flat_set<std::string> asked;
  for (const auto& object : objects)
    if (is_of_a_job(object) && !asked.insert(object_name(object)).second)
      return fail(refused(object, "", "is there twice in the question"));
  for (const auto& object : cluster.objects())
    if (is_of_a_job(object) && asked.contains(object_name(object)))
      return fail(refused(object, "", "is in the cluster already: ask about it under another name, or have it explained"));
  return {};
}

Result<void> refuse_pods(const WhatIfCluster& cluster, const std::vector<Object>& objects) {
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    if (!pod->spec.node_name.empty())
      return fail(refused(object, "spec.nodeName", "the pod has a node already: a question is about pods that have none"));
    if (auto why = cluster.why_not_ours(*pod); !why.empty()) return fail(refused(object, "", std::move(why)));
  }
  return {};
}

// Every pod gets a PodGroup, as the controllers of both schedulers see to.
void group_single_pods(const WhatIfCluster& cluster, WhatIfQuestion& question) {
  std::vector<Object> made;
  std::vector<std::string> names;
  for (auto& object : question.objects) {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || !group_of(*pod, cluster.dialect()).empty()) continue;
    made.push_back(group_for_pod(*pod, cluster.dialect()));
    names.push_back(pod->meta.ns + "/" + pod->meta.name);
  }
  if (names.empty()) return;
  question.notes.push_back(
      count_of(names.size(), "pod") + (names.size() == 1 ? " names" : " name") +
      " no PodGroup and is asked about by itself, as its controller would have it: " + listed(names, kMostNamed));
  question.objects.insert(question.objects.begin(), made.begin(), made.end());
}

void find_jobs(Dialect dialect, WhatIfQuestion& question) {
  boost::unordered_flat_map<std::string, std::size_t> places;
  const auto job_of = [&](const std::string& name) -> WhatIfJob& {
    const auto [place, is_new] = places.try_emplace(name, question.jobs.size());
    if (is_new) question.jobs.push_back({.name = name, .pods = {}, .role_minimums = {}});
    return question.jobs[place->second];
  };
  for (const auto& object : question.objects) {
    if (const auto* group = std::get_if<PodGroup>(&object); group != nullptr && dialect == Dialect::kVolcano) {
      auto& job = job_of(group->meta.ns + "/" + group->meta.name);
      job.is_new = true;
      job.role_minimums = group->min_task_member;
    }
    if (const auto* group = std::get_if<KaiPodGroup>(&object); group != nullptr && dialect == Dialect::kKai)
      job_of(group->meta.ns + "/" + group->meta.name).is_new = true;
    if (const auto* pod = std::get_if<Pod>(&object))
      job_of(pod->meta.ns + "/" + group_of(*pod, dialect)).pods[pod->meta.ns + "/" + pod->meta.name] = volcano::role_name_of(*pod);
  }
}

ObjectSink collect_in(std::vector<Object>& objects) {
  return [&](Object&& object, const Location&) -> Result<void> {
    objects.push_back(std::move(object));
    return {};
  };
}

// The objects of one or several inputs, and what was read of them.
struct QuestionText {
  std::vector<Object> objects;
  std::vector<UnreadObject> unread;
  ReadStats stats;

  Result<void> take(const Input& input) {
    const auto read = read_objects(input, collect_in(objects));
    if (!read) return fail(read.error());
    stats.add(*read);
    if (read->skipped.empty()) return {};
    auto others = read_unread_kinds(input);
    if (!others) return fail(std::move(others.error()));
    std::ranges::move(*others, std::back_inserter(unread));
    return {};
  }
};

WorkloadScene scene_of(const WhatIfCluster& cluster, const std::vector<Object>& question) {
  auto scene = cluster.scene();
  for (const auto* objects : {&question, &cluster.objects()})
    for (const auto& object : *objects)
      if (const auto* known = std::get_if<PriorityClass>(&object)) scene.priority_classes.push_back(*known);
  return scene;
}

// Takes in what is made of workloads.
Result<void> replace_workloads(const WhatIfCluster& cluster, const MakeOfWorkloads& make, QuestionText& text,
                               std::vector<std::string>& notes, std::vector<std::string>& passed_over,
                               std::map<std::string, FieldPlaces>& places) {
  if (text.unread.empty() || !make) return {};
  auto made = make(text.unread, scene_of(cluster, text.objects));
  if (!made) return fail(std::move(made.error()));
  for (const auto& object : made->objects) {
    const auto read = read_objects_text(object, "question", collect_in(text.objects));
    if (!read) return fail(read.error());
  }
  for (const auto& kind : made->kinds) text.stats.skipped.erase(kind);
  std::ranges::move(made->notes, std::back_inserter(notes));
  std::ranges::move(made->passed_over, std::back_inserter(passed_over));
  places = std::move(made->places);
  return {};
}

// An error tells what was passed over as well, in lines of its own that begin with "note: ": that may be what was meant. What was
// made of workloads it does not tell, because nothing was.
Result<WhatIfQuestion> question_of(const WhatIfCluster& cluster, const MakeOfWorkloads& make, QuestionText text) {
  std::vector<std::string> made;
  std::vector<std::string> passed_over;
  std::map<std::string, FieldPlaces> places;
  if (auto replaced = replace_workloads(cluster, make, text, made, passed_over, places); !replaced)
    return fail(std::move(replaced.error()));
  note_skipped_kinds(text.stats, cluster.dialect() == Dialect::kKai ? Api::kKai : Api::kVolcano, passed_over);
  note_unknown_fields(text.stats, passed_over);
  auto question = what_if_question(cluster, std::move(text.objects));
  if (!question) {
    for (const auto& note : passed_over) question.error().message += "\nnote: " + note;
    return question;
  }
  for (auto& job : question->jobs)
    if (const auto found = places.find(job.name); found != places.end()) job.places = found->second;
  question->notes.insert(question->notes.begin(), passed_over.begin(), passed_over.end());
  question->notes.insert(question->notes.begin(), made.begin(), made.end());
  return question;
}

}  // namespace

Result<WhatIfQuestion> what_if_question(const WhatIfCluster& cluster, std::vector<Object> objects) {
  if (std::ranges::none_of(objects, [](const Object& object) { return std::holds_alternative<Pod>(object); }))
    return fail("the question holds no pod: give a workload, or the PodGroup and the pods that would be made of the job");
  if (auto checked = refuse_what_is_there(cluster, objects); !checked) return fail(std::move(checked.error()));
  if (auto checked = refuse_pods(cluster, objects); !checked) return fail(std::move(checked.error()));
  WhatIfQuestion question;
  question.objects = std::move(objects);
  group_single_pods(cluster, question);
  for (auto& object : question.objects) make_new(object, cluster.now());
  find_jobs(cluster.dialect(), question);
  if (question.jobs.size() > kMostWhatIfJobs)
    return fail(fmt::format("the question has {} jobs: {} at most can be asked about", question.jobs.size(), kMostWhatIfJobs));
  return question;
}

Result<WhatIfQuestion> read_what_if(const WhatIfCluster& cluster, std::string_view text, const std::string& file,
                                    const MakeOfWorkloads& make) {
  const auto input = Input::of_text(text, file);
  if (!input) return fail(input.error());
  QuestionText question;
  if (auto taken = question.take(*input); !taken) return fail(std::move(taken.error()));
  return question_of(cluster, make, std::move(question));
}

Result<WhatIfQuestion> read_what_if_at(const WhatIfCluster& cluster, const std::string& path, const MakeOfWorkloads& make) {
  const auto files = input_files(path);
  if (!files) return fail(files.error());
  QuestionText question;
  for (const auto& file : *files) {
    const auto input = Input::read(file);
    if (!input) return fail(input.error());
    if (auto taken = question.take(*input); !taken) return fail(std::move(taken.error()));
  }
  return question_of(cluster, make, std::move(question));
}

}  // namespace muster
