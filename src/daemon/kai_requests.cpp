#include "daemon/kai_requests.h"

#include <algorithm>

#include "daemon/held_pods.h"
#include "daemon/kai_bind_request.h"
#include "daemon/object_key.h"
#include "daemon/pod_identity.h"

namespace muster::daemon {
namespace {

std::string pod_of(const BindRequest& request) { return request.meta.ns + "/" + request.pod; }

std::string owner_of(const BindRequest& request) {
  const auto owner = std::ranges::find(request.meta.owners, "Pod", &OwnerReference::kind);
  return owner == request.meta.owners.end() ? std::string() : owner->uid;
}

}  // namespace

KaiRequests::Entry* KaiRequests::find_by_pod(const std::string& pod) {
  const auto name = by_pod_.find(pod);
  if (name == by_pod_.end()) return nullptr;
  const auto entry = entries_.find(name->second);
  return entry == entries_.end() ? nullptr : &entry->second;
}

void KaiRequests::apply(BindRequest request) {
  auto& entry = entries_[key_of(request.meta)];
  if (entry.request.meta.uid != request.meta.uid) {
    hide(entry);
    entry = {};
  }
  by_pod_[pod_of(request)] = key_of(request.meta);
  entry.owner = owner_of(request);
  entry.request = std::move(request);
  settle(entry);
}

void KaiRequests::settle(Entry& entry) {
  if (entry.is_doomed && !entry.request.has_failed()) return hide(entry);  // its pod may have been given another node since
  const auto pod = cluster_.find_pod(pod_of(entry.request));
  const bool foreign = pod && is_foreign(entry, cluster_.books().pod(pod).uid);
  if (!entry.request.has_failed()) return foreign ? hide(entry) : show(entry);
  if (!kai::in_shard(entry.request.meta.labels, cluster_.options())) return hide(entry);  // who made it deletes it
  const bool is_believed = pod && !foreign && !cluster_.task(pod).facts.node && cluster_.task(pod).bind;
  if (is_believed && !entry.is_doomed) return note_failure(entry, pod);
  hide(entry);
  doom(entry);
}

void KaiRequests::note_failure(const Entry& entry, PodId pod) {
  const auto& books = cluster_.books();
  const auto& record = books.pod(pod);
  const auto known = std::ranges::find(failures_, record.uid, [](const FailedBind& failure) { return failure.bind.pod.uid; });
  if (known != failures_.end()) return;
  const auto& reason = entry.request.reason;
  failures_.push_back({{.pod = pod_identity(books, pod), .node = entry.request.node, .group = kai_group_of(cluster_, pod)},
                       "the binder could not bind it" + (reason.empty() ? "" : ": " + reason)});
}

void KaiRequests::show(Entry& entry) {
  end_lingering(pod_of(entry.request));
  cluster_.apply(Object(entry.request));
  entry.is_shown = true;
}

void KaiRequests::hide(Entry& entry) {
  if (!std::exchange(entry.is_shown, false)) return;
  cluster_.remove(Gone<BindRequest>{entry.request.meta.ns, entry.request.meta.name});
}

void KaiRequests::doom(Entry& entry) {
  entry.is_doomed = true;
  if (std::exchange(entry.is_asked, true)) return;
  deletions_.push_back({kai_bind_request_path(entry.request.meta.ns, entry.request.meta.name), entry.request.meta.uid});
}

void KaiRequests::remove(const kube::Identity& id) {
  const auto found = entries_.find(id.ns + "/" + id.name);
  if (found == entries_.end()) return;
  auto& entry = found->second;
  hide(entry);
  const auto pod = pod_of(entry.request);
  std::erase_if(failures_, [&](const FailedBind& one) { return one.bind.pod.ns + "/" + one.bind.pod.name == pod; });
  std::erase_if(deletions_, [&](const Delete& one) { return one.uid == entry.request.meta.uid; });
  if (const auto named = by_pod_.find(pod); named != by_pod_.end() && named->second == found->first) by_pod_.erase(named);
  entries_.erase(found);
}

void KaiRequests::before_pod(const Pod& pod) {
  auto* entry = find_by_pod(key_of(pod.meta));
  if (entry != nullptr && is_foreign(*entry, pod.meta.uid)) hide(*entry);
}

void KaiRequests::after_pod(const Pod& pod) {
  if (auto* entry = find_by_pod(key_of(pod.meta))) {
    const bool is_over = entry->request.has_failed() && !pod.spec.node_name.empty();  // it got its node all the same
    if (!entry->is_shown || is_over) settle(*entry);
  }
  show_lingering(pod);
}

void KaiRequests::take_back(const kube::Identity& pod) {
  auto* entry = find_by_pod(pod.ns + "/" + pod.name);
  if (entry == nullptr || !(entry->request.has_failed() || entry->is_doomed || is_foreign(*entry, pod.uid))) return;
  hide(*entry);
  if (entry->request.has_failed() && !is_foreign(*entry, pod.uid)) linger(entry->request, pod.uid);
  entry->is_asked = false;  // it may have been tried before, in vain
  doom(*entry);
}

void KaiRequests::linger(const BindRequest& request, const std::string& uid) {
  auto& lingering = lingering_[pod_of(request)];
  if (lingering.request.meta.uid == request.meta.uid) return;  // it is on its way
  lingering = {.request = request, .pod = uid};
  lingering.request.phase.clear();
}

void KaiRequests::show_lingering(const Pod& pod) {
  const auto found = lingering_.find(key_of(pod.meta));
  if (found == lingering_.end()) return;
  auto& lingering = found->second;
  if (lingering.pod != pod.meta.uid || !pod.spec.node_name.empty() || !looks_held(pod)) return end_lingering(found->first);
  cluster_.apply(Object(lingering.request));
  lingering.is_shown = true;
}

void KaiRequests::end_lingering(const std::string& pod) {
  const auto found = lingering_.find(pod);
  if (found == lingering_.end()) return;
  const auto& meta = found->second.request.meta;
  if (found->second.is_shown) cluster_.remove(Gone<BindRequest>{meta.ns, meta.name});
  lingering_.erase(found);
}

void KaiRequests::forget_pod(const kube::Identity& pod) { end_lingering(pod.ns + "/" + pod.name); }

void KaiRequests::pass(const Timestamp& now) {
  for (auto at = lingering_.begin(); at != lingering_.end();) {
    auto& [pod, lingering] = *at++;
    if (!lingering.since) lingering.since = now;
    if (std::chrono::nanoseconds(nanos_between(*lingering.since, now)) >= kKaiBinderGoesOn) end_lingering(pod);
  }
}

void KaiRequests::on_not_deleted(const Delete& deletion) {
  const auto found = entries_.find(deletion.object.ns + "/" + deletion.object.name);
  if (found != entries_.end() && found->second.request.meta.uid == deletion.uid) found->second.is_asked = false;
}

bool KaiRequests::stands(const Bind& bind, const BindRequest& request) const {
  const auto owner = owner_of(request);
  if (request.pod != bind.pod.name || request.node != bind.node || (!owner.empty() && owner != bind.pod.uid)) return false;
  if (request.has_failed() || request.meta.deleted) return false;
  const auto known = entries_.find(key_of(request.meta));
  return known == entries_.end() || known->second.request.meta.uid != request.meta.uid || !known->second.is_doomed;
}

void KaiRequests::nodes_went() {
  const auto& books = cluster_.books();
  for (auto& [key, entry] : entries_) {
    if (!entry.is_shown || entry.is_doomed || !kai::in_shard(entry.request.meta.labels, cluster_.options())) continue;
    const auto pod = cluster_.find_pod(pod_of(entry.request));
    if (!pod || cluster_.task(pod).facts.node || cluster_.known(books.find_node(entry.request.node))) continue;
    hide(entry);
    doom(entry);
  }
  std::ranges::sort(deletions_, {}, [](const Delete& one) { return one.object.ns + "/" + one.object.name; });
}

}  // namespace muster::daemon
