#include "daemon/claim_binder.h"

#include <algorithm>
#include <set>

#include "daemon/claim_bodies.h"
#include "engine/filters/volume_catalog.h"
#include "model/quoted.h"

namespace muster::daemon {
namespace {

using Kind = ClaimStep::Kind;

constexpr std::size_t kMostLeftOver = 10'000;

// As events and conditions call it.
std::string claim_in_words(const std::string& name) {
  const auto slash = name.find('/');
  const auto plural = name.substr(0, slash);
  const auto kind = plural == "persistentvolumes"        ? "persistentvolume "
                    : plural == "persistentvolumeclaims" ? "persistentvolumeclaim "
                                                         : "resourceclaim ";
  return kind + in_quotes(name.substr(name.rfind('/') + 1));
}

// For sure. Without an answer it may have been done.
bool is_refused(kube::WriteOutcome outcome) {
  return outcome != kube::WriteOutcome::kUnknown && outcome != kube::WriteOutcome::kServerFault;
}

}  // namespace

void ClaimBinder::begin(Effects& effects, kube::Instant now) {
  std::vector<Bind> plain;
  for (auto& bind : effects.binds) {
    if (!bind.claims) {
      plain.push_back(std::move(bind));
      continue;
    }
    const auto uid = bind.pod.uid;
    on_not_bound(uid);  // whatever was under way is over
    forget_left_over(uid);
    auto& waiting = waiting_[uid];
    waiting.bind = std::move(bind);
    waiting.since = now;
    waiting.until = now + work_of(waiting).longest_wait;
    if (const auto why = work_of(waiting).obstacle; !why.empty())
      fail(uid, why);
    else
      begin_volumes(waiting);
  }
  effects.binds = std::move(plain);
}

// False: it has failed, because somebody else is given the object.
bool ClaimBinder::assume(Waiting& waiting, const Object& object, AssumedClaims::What what) {
  const auto name = claim_name_of(object);
  if (!assumed_.hold(object, std::move(what), waiting.bind.pod.uid)) {
    fail(waiting.bind.pod.uid, claim_in_words(name) + " is being changed for another pod");
    return false;
  }
  waiting.assumed.push_back(name);
  objects_.push_back(assumed_.as_assumed(name));
  return true;
}

void ClaimBinder::add_step(Waiting& waiting, Kind kind, std::string claim, kube::ObjectPath object, kube::PatchType type,
                           std::string body) {
  ++waiting.under_way;
  ClaimStep step{kind, waiting.bind.pod, std::move(claim), std::move(object), type, std::move(body)};
  step.rule = waiting.bind.rule;
  step.cycle = waiting.bind.cycle;
  news_.effects.steps.push_back(std::move(step));
}

// Everything is set aside before anything is written, devices, too: volumes may take their time.
void ClaimBinder::begin_volumes(Waiting& waiting) {
  const auto& work = work_of(waiting);
  for (const auto& [volume, claim] : work.bindings)
    if (!assume(waiting, Object(volume), AssumedClaims::Holder{claim.meta.ns, claim.meta.name, claim.meta.uid})) return;
  for (const auto& claim : work.provisions)
    if (!assume(waiting, Object(claim), AssumedClaims::SelectedNode{waiting.bind.node})) return;
  for (const auto& [claim, text] : work.devices)
    if (!assume(waiting, Object(claim), AssumedClaims::Given{*claim.allocation, text})) return;

  const auto begin_once = [&](const std::string& name) {
    if (assumed_.is_under_way(name)) return false;
    assumed_.begin_writing(name);
    return true;
  };
  for (const auto& [volume, claim] : work.bindings) {
    waiting.awaited.push_back(claim_name_of(Object(claim)));
    const auto name = claim_name_of(Object(volume));
    if (begin_once(name))
      add_step(waiting, Kind::kVolume, name, path_of(volume), kube::PatchType::kMerge, volume_body(volume, claim));
  }
  for (const auto& claim : work.provisions) {
    const auto name = claim_name_of(Object(claim));
    waiting.awaited.push_back(name);
    if (begin_once(name))
      add_step(waiting, Kind::kNode, name, path_of(claim), kube::PatchType::kMerge, selected_node_body(claim, waiting.bind.node));
  }
  go_on(waiting);
}

void ClaimBinder::begin_devices(Waiting& waiting) {
  waiting.gives_devices = true;
  for (const auto& devices : work_of(waiting).devices) {
    const auto name = claim_name_of(Object(devices.claim));
    if (assumed_.shows_devices(name))
      reserve(waiting, devices);
    else
      add_step(waiting, Kind::kFinalizer, name, path_of(devices.claim), kube::PatchType::kStrategic, finalizer_body(devices.claim));
  }
}

// Pods that share a claim all write its devices until these can be seen, so that it does not matter who comes first.
void ClaimBinder::reserve(Waiting& waiting, const ClaimWork::Devices& devices) {
  const auto name = claim_name_of(Object(devices.claim));
  const auto* assumed = assumed_.find(name);
  const bool has_devices = assumed_.shows_devices(name);
  const auto& text = assumed != nullptr ? std::get<AssumedClaims::Given>(*assumed).text : devices.allocation;
  waiting.reserved.push_back({devices.claim, has_devices ? Allocation::kStays : Allocation::kGoes});
  add_step(waiting, has_devices ? Kind::kReserve : Kind::kAllocate, name, status_path_of(devices.claim),
           kube::PatchType::kStrategic, reservation_body(devices.claim, waiting.bind.pod, has_devices ? std::string() : text));
}

void ClaimBinder::go_on(Waiting& waiting) {
  if (waiting.is_sent || waiting.under_way > 0 || !waiting.awaited.empty()) return;
  if (!waiting.gives_devices) begin_devices(waiting);
  if (waiting.under_way > 0) return;
  waiting.is_sent = true;
  news_.effects.binds.push_back(waiting.bind);
}

// ------------------------------------------------------------------------------------------------------ what happens

void ClaimBinder::complete(Object& object) {
  if (const auto* claim = std::get_if<PersistentVolumeClaim>(&object)) note_volume_claim(*claim);
  const auto lost = assumed_.complete(object);
  if (lost.empty()) return;
  const auto name = claim_name_of(object);
  fail_all(lost, std::holds_alternative<PersistentVolumeClaim>(object) ? "provisioning failed for " + claim_in_words(name)
                 : std::holds_alternative<PersistentVolume>(object)    ? claim_in_words(name) + " was taken from its claim"
                                                                       : claim_in_words(name) + " has lost its devices");
}

void ClaimBinder::note_volume_claim(const PersistentVolumeClaim& claim) {
  if (waiting_.empty() || !fully_bound(claim)) return;
  const auto name = claim_name_of(Object(claim));
  std::vector<std::string> wrong;
  for (auto& [uid, waiting] : waiting_) {
    if (std::erase(waiting.awaited, name) == 0) continue;
    const auto& bindings = work_of(waiting).bindings;
    const auto meant = std::ranges::find(bindings, claim.meta.name, [](const auto& binding) { return binding.claim.meta.name; });
    if (meant != bindings.end() && meant->volume.meta.name != claim.volume_name)
      wrong.push_back(uid);
    else
      go_on(waiting);
  }
  fail_all(wrong, claim_in_words(name) + " was bound to another volume");
}

void ClaimBinder::forget(const kube::ResourceKind& kind, const kube::Identity& id) {
  if (kind.kind == "Pod") {
    on_not_bound(id.uid);
    return forget_left_over(id.uid);  // whoever looks after claims sees that the pod has gone
  }
  if (kind.kind == "Node") return forget_node(id.name);
  if (kind.kind != "PersistentVolume" && kind.kind != "PersistentVolumeClaim" && kind.kind != "ResourceClaim") return;
  const auto name = claim_name_of(kind.plural, id.ns, id.name);
  std::erase_if(left_over_, [&](const LeftOver& one) { return one.step.claim == name; });
  auto pods = assumed_.forget(name);
  for (const auto& [uid, waiting] : waiting_)
    if (std::ranges::find(waiting.awaited, name) != waiting.awaited.end()) pods.push_back(uid);
  fail_all(pods, claim_in_words(name) + " has gone");
}

void ClaimBinder::forget_node(const std::string& node) {
  std::vector<std::string> pods;
  for (const auto& [uid, waiting] : waiting_)
    if (waiting.bind.node == node && !waiting.is_sent) pods.push_back(uid);
  fail_all(pods, "node " + in_quotes(node) + " has gone");
}

void ClaimBinder::on_step(const ClaimStep& step, const kube::WriteResult& result) {
  const bool is_done = result.outcome == kube::WriteOutcome::kDone;
  if (step.kind == Kind::kUnreserve) {
    const bool is_invalid = result.outcome == kube::WriteOutcome::kInvalid;
    const bool is_gone = result.outcome == kube::WriteOutcome::kGone && !result.is_passing;
    if (is_invalid && !step.otherwise.empty())
      news_.effects.steps.push_back({step.kind, step.pod, step.claim, step.object, step.type, step.otherwise});
    else if (!is_done && !is_invalid && !is_gone && left_over_.size() < kMostLeftOver)
      left_over_.push_back({step});
    return;
  }
  if (is_done && step.kind != Kind::kFinalizer) assumed_.on_written(step.claim, kube::read_meta(result.body).id.resource_version);
  if (!is_done) {
    if (is_refused(result.outcome)) note_refused(step);
    const auto why = "cannot write " + claim_in_words(step.claim) + ": " + result.message;
    const bool is_for_all = step.kind == Kind::kVolume || step.kind == Kind::kNode;  // others wait for it without writing it
    return is_for_all ? fail_all(assumed_.pods_of(step.claim), why) : fail(step.pod.uid, why);
  }
  const auto found = waiting_.find(step.pod.uid);
  if (found == waiting_.end()) return;
  auto& waiting = found->second;
  --waiting.under_way;
  if (step.kind == Kind::kFinalizer)
    for (const auto& devices : work_of(waiting).devices)
      if (claim_name_of(Object(devices.claim)) == step.claim) reserve(waiting, devices);
  go_on(waiting);
}

// What was not written need not be taken back, and may be somebody else's by now.
void ClaimBinder::note_refused(const ClaimStep& step) {
  const auto found = waiting_.find(step.pod.uid);
  if (found == waiting_.end()) return;
  std::erase_if(found->second.reserved, [&](const auto& one) { return claim_name_of(Object(one.claim)) == step.claim; });
}

void ClaimBinder::on_bound(const std::string& pod) {
  forget_left_over(pod);  // it uses the claim after all
  const auto found = waiting_.find(pod);
  if (found == waiting_.end()) return;
  let_go(found->second, AssumedClaims::End::kBound);
  waiting_.erase(found);
}

void ClaimBinder::on_not_bound(const std::string& pod) {
  const auto found = waiting_.find(pod);
  if (found == waiting_.end()) return;
  unreserve(found->second);
  let_go(found->second, AssumedClaims::End::kNotBound);
  waiting_.erase(found);
}

std::vector<kube::Identity> ClaimBinder::stand_back() {
  std::vector<kube::Identity> pods;
  for (const auto& bind : std::exchange(news_.effects.binds, {}))
    if (const auto found = waiting_.find(bind.pod.uid); found != waiting_.end()) found->second.is_sent = false;
  for (const auto& [uid, waiting] : waiting_)
    if (!waiting.is_sent) pods.push_back(waiting.bind.pod);  // how the others ended is told
  for (const auto& pod : pods) on_not_bound(pod.uid);
  std::erase_if(news_.effects.steps, [](const ClaimStep& step) { return step.kind != Kind::kUnreserve; });
  return pods;
}

std::vector<Bind> ClaimBinder::give_back(const std::function<bool(const Bind&)>& wanted) {
  std::erase_if(news_.effects.binds, [&](const Bind& bind) {
    if (!wanted(bind)) return false;
    if (const auto found = waiting_.find(bind.pod.uid); found != waiting_.end()) found->second.is_sent = false;
    return true;
  });
  std::vector<Bind> binds;
  for (const auto& [uid, waiting] : waiting_)
    if (!waiting.is_sent && wanted(waiting.bind)) binds.push_back(waiting.bind);
  std::set<std::string> given_back;
  for (const auto& bind : binds) given_back.insert(bind.pod.uid);
  std::set<std::pair<std::string, std::string>> unwritten;  // pods, and device claims that do not name them yet
  for (const auto& step : news_.effects.steps)
    if (given_back.contains(step.pod.uid) && (step.kind == Kind::kReserve || step.kind == Kind::kAllocate))
      unwritten.emplace(step.pod.uid, step.claim);
  const auto before = news_.effects.steps.size();
  for (const auto& uid : given_back) on_not_bound(uid);
  const auto follows = news_.effects.steps.begin() + static_cast<std::ptrdiff_t>(before);
  const auto is_vain = [&](const ClaimStep& step) { return unwritten.contains({step.pod.uid, step.claim}); };
  news_.effects.steps.erase(std::remove_if(follows, news_.effects.steps.end(), is_vain), news_.effects.steps.end());
  std::erase_if(news_.effects.steps, [&](const ClaimStep& step) {
    if (!given_back.contains(step.pod.uid) || step.kind == Kind::kUnreserve) return false;
    const bool is_of_all = step.kind == Kind::kVolume || step.kind == Kind::kNode;  // others may wait for it without writing it
    return !is_of_all || assumed_.pods_of(step.claim).empty();
  });
  return binds;
}

// --------------------------------------------------------------------------------------------------------- failures

void ClaimBinder::fail(const std::string& pod, const std::string& why) {
  const auto found = waiting_.find(pod);
  if (found == waiting_.end()) return;
  news_.failed.push_back({found->second.bind, why});
  on_not_bound(pod);
}

void ClaimBinder::fail_all(const std::vector<std::string>& pods, const std::string& why) {
  for (const auto& pod : pods) fail(pod, why);
}

// Devices that were given for this pod go back, unless others use the claim by now, which the server knows best.
void ClaimBinder::unreserve(const Waiting& waiting) {
  for (const auto& [claim, devices] : waiting.reserved) {
    const auto& pod = waiting.bind.pod;
    ClaimStep step{Kind::kUnreserve,
                   pod,
                   claim_name_of(Object(claim)),
                   status_path_of(claim),
                   kube::PatchType::kStrategic,
                   unreserve_body(claim, pod, devices)};
    step.rule = waiting.bind.rule;
    step.cycle = waiting.bind.cycle;
    if (devices == Allocation::kGoes) step.otherwise = unreserve_body(claim, pod, Allocation::kStays);
    news_.effects.steps.push_back(std::move(step));
  }
}

void ClaimBinder::let_go(const Waiting& waiting, AssumedClaims::End end) {
  for (const auto& name : waiting.assumed)
    if (auto real = assumed_.let_go(name, waiting.bind.pod.uid, end)) objects_.push_back(std::move(*real));
}

void ClaimBinder::forget_left_over(const std::string& pod) {
  std::erase_if(left_over_, [&](const LeftOver& one) { return one.step.pod.uid == pod; });
}

void ClaimBinder::take_back_again(kube::Instant now) {
  std::erase_if(left_over_, [&](LeftOver& one) {
    if (!one.again) one.again = now + again_;
    if (now < *one.again) return false;
    news_.effects.steps.push_back(std::move(one.step));
    return true;
  });
}

std::vector<ClaimStep> ClaimBinder::leave() {
  for (const auto& [uid, waiting] : waiting_) unreserve(waiting);
  std::vector<ClaimStep> steps;
  for (auto& step : take_news().effects.steps)
    if (step.kind == Kind::kUnreserve) steps.push_back(std::move(step));
  for (auto& one : std::exchange(left_over_, {})) steps.push_back(std::move(one.step));
  return steps;
}

void ClaimBinder::inherit(std::vector<ClaimStep> steps) {
  for (auto& step : steps)
    if (left_over_.size() < kMostLeftOver) left_over_.push_back({std::move(step)});
}

void ClaimBinder::fail_late(kube::Instant now) {
  std::vector<std::pair<std::string, std::string>> late;
  for (const auto& [uid, waiting] : waiting_)
    if (!waiting.awaited.empty() && now >= waiting.until)
      late.emplace_back(uid, "timed out waiting for " + claim_in_words(waiting.awaited.front()) + " to be bound");
  for (const auto& [uid, why] : late) fail(uid, why);
}

kube::Duration ClaimBinder::took(const Bind& bind, kube::Instant now) const {
  const auto found = waiting_.find(bind.pod.uid);
  return found == waiting_.end() ? kube::Duration(0) : now - found->second.since;
}

std::optional<kube::Instant> ClaimBinder::next() const {
  std::optional<kube::Instant> first;
  for (const auto& [uid, waiting] : waiting_)
    if (!waiting.awaited.empty() && (!first || waiting.until < *first)) first = waiting.until;
  return first;
}

}  // namespace muster::daemon
