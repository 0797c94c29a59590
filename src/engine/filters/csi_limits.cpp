#include "engine/filters/csi_limits.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"

namespace muster {
namespace {

template <class T>
void sort_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// How many attachments are a driver's.
template <class Attachments>
std::ptrdiff_t count_of(const Attachments& list, const std::string& driver) {
  return std::count_if(list.begin(), list.end(), [&](const auto& attachment) { return attachment.first == driver; });
}

}  // namespace

CsiLimitsFilter::CsiLimitsFilter(const Books& books, FitTable& fits, const VolumeCatalog& catalog)
    : books_(books),
      fits_(fits),
      catalog_(catalog),
      full_(fits.status(FitCode::kUnschedulable, "node(s) exceed max volume count")) {}

Dependence CsiLimitsFilter::dependence(PodId pod) const {
  return books_.shape_of(pod).claims.empty() ? Dependence::kNothing : Dependence::kOthers;
}

NodeFilter::Prepared CsiLimitsFilter::prepare(PodId pod) {
  prepared_ = pod;
  missing_ = {};
  wanted_.clear();
  const auto& claims = books_.shape_of(pod).claims;
  if (claims.empty()) return {Preparation::kSkip, std::nullopt};
  const auto missing = std::find_if(claims.begin(), claims.end(), [&](const auto& key) { return catalog_.claim(key) == nullptr; });
  if (missing != claims.end()) {
    const auto name = std::string_view(*missing).substr(missing->find('/') + 1);
    missing_ = fits_.status(FitCode::kUnresolvable, "looking up PVC " + *missing + ": " + not_found("persistentvolumeclaim", name));
    return {};
  }
  add_attachments(pod, wanted_);
  sort_unique(wanted_);
  return {};
}

FitStatus CsiLimitsFilter::check(PodId pod, NodeId node) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return {};
  if (!missing_.ok()) return missing_;
  const auto* limits = wanted_.empty() ? nullptr : catalog_.csi_node(books_.node(node).name);
  if (limits == nullptr) return {};
  std::vector<Attachment> attached, fresh;
  for (const auto present : books_.pods_present(node)) add_attachments(present, attached);
  sort_unique(attached);
  std::set_difference(wanted_.begin(), wanted_.end(), attached.begin(), attached.end(), std::back_inserter(fresh));
  for (const auto& [driver, limit] : limits->drivers) {
    const auto added = count_of(fresh, driver);
    if (limit && added > 0 && count_of(attached, driver) + added > *limit) return full_;
  }
  return {};
}

// A claim without a volume counts for the driver that would provision it.
void CsiLimitsFilter::add_attachments(PodId pod, std::vector<Attachment>& to) const {
  for (const auto& key : books_.shape_of(pod).claims) {
    const auto* claim = catalog_.claim(key);
    if (claim == nullptr) continue;
    const auto* volume = claim->volume_name.empty() ? nullptr : catalog_.volume(claim->volume_name);
    if (volume != nullptr) {
      if (!volume->csi_driver.empty()) to.emplace_back(volume->csi_driver, volume->meta.name);
      continue;
    }
    const auto* storage_class = catalog_.storage_class(class_of(*claim));
    if (storage_class != nullptr && !storage_class->provisioner.empty())
      to.emplace_back(storage_class->provisioner, "claim " + key);
  }
}

}  // namespace muster
