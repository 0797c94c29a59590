#include "policy/volcano/plugins/resourcequota.h"

#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

void add_amount(ResourceList& list, const std::string& name, const Quantity& amount) {
  const auto [at, added] = list.try_emplace(name, amount);
  if (!added) at->second = at->second + amount;
}

// A quantity as the original prints it: the fields of its struct. It carries the text it was read from if that was canonical,
// judged by its last digits only.
std::string struct_text(const Quantity& quantity) {
  const bool binary = quantity.format() == Quantity::Format::kBinarySi;
  const int exponent = quantity.written_exponent();
  std::int64_t digits = quantity.units();
  int scale = 0;
  bool canonical = false;
  if (binary) {
    canonical = exponent % 10 == 0 && ((digits >> exponent) & 7) != 0;
  } else {
    scale = exponent;
    digits = exponent < 0 ? quantity.milli() : digits;
    for (int e = exponent < 0 ? -3 : 0; e < exponent; ++e) digits /= 10;
    canonical = scale % 3 == 0 && (digits % 1000 != 0 || quantity.is_zero());
  }
  std::string text = "{{" + std::to_string(digits) + " " + std::to_string(scale) + "} {<nil>} ";
  if (canonical) text += quantity.text();
  return text + (binary ? " BinarySI}" : " DecimalSI}");
}

std::string amounts_text(const Session& session, const std::vector<std::string>& names, const ResourceList& list) {
  const bool raw = session.behaviour().keeps(Quirk::kGoStructInEvent);
  std::string text = raw ? "map[" : "";
  std::string_view separator;
  for (const auto& name : names) {
    const auto found = list.find(name);
    if (found == list.end()) continue;
    text.append(separator).append(name).append(raw ? ":" : " ");
    text.append(raw ? struct_text(found->second) : found->second.text());
    separator = raw ? " " : ", ";
  }
  return raw ? text + "]" : text;
}

}  // namespace

Vote ResourceQuotas::job_enqueueable(const Job& job) {
  if (!job.min_resource_list) return Vote::kPermit;
  const auto& quotas = session().cluster().quotas();
  const auto found = quotas.find(job.ns);
  if (found == quotas.end()) return Vote::kPermit;
  for (const auto& [name, quota] : found->second) {
    std::vector<std::string> exceeded;
    for (const auto& [resource, requested] : *job.min_resource_list) {
      const auto hard = quota.hard.find(resource);
      if (hard == quota.hard.end()) continue;
      auto usage = requested;
      if (const auto used = quota.used.find(resource); used != quota.used.end()) usage = usage + used->second;
      if (const auto pending = pending_[job.ns].find(resource); pending != pending_[job.ns].end()) usage = usage + pending->second;
      if (usage > hard->second) exceeded.push_back(resource);
    }
    if (exceeded.empty()) continue;
    session().record_event(job, "Normal", "Unschedulable",
                           std::make_shared<const std::string>("resource quota insufficient, requested: " +
                                                               amounts_text(session(), exceeded, *job.min_resource_list) +
                                                               ", used: " + amounts_text(session(), exceeded, quota.used) +
                                                               ", limited: " + amounts_text(session(), exceeded, quota.hard)));
    return Vote::kReject;
  }
  return Vote::kPermit;
}

void ResourceQuotas::job_enqueued(const Job& job) {
  if (!job.min_resource_list || session().cluster().quotas().find(job.ns) == session().cluster().quotas().end()) return;
  for (const auto& [resource, amount] : *job.min_resource_list) add_amount(pending_[job.ns], resource, amount);
}

}  // namespace muster::volcano
