#include "policy/volcano/devices/mindcluster_npu.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/split.h"
#include "model/json.h"
#include "policy/volcano/devices/npu_chips.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kCores = "huawei.com/npu-core";
constexpr std::string_view kReal = "huawei.com/AscendReal";
constexpr std::string_view kNpuVendor = "huawei.com/";
constexpr std::size_t kNameParts = 2;  // "Ascend310P-0"; names of parts of a chip have more

// The first container that asks for any.
std::int64_t cores_of(const DeviceRequest& request) {
  for (const auto& container : request.containers)
    if (const auto found = container.requests.find(kCores); found != container.requests.end() && found->second.units() != 0)
      return found->second.units();
  return 0;
}

bool high_level(const StringMap& labels) { return labels.get("vnpu-level") == "high"; }

// The label's word, "null" where it is missing.
std::string_view dvpp_word(const StringMap& labels) {
  const auto* word = labels.find("vnpu-dvpp");
  return word == nullptr ? std::string_view("null") : std::string_view(*word);
}

std::string_view template_for(std::int64_t cores, const StringMap& labels) {
  const auto dvpp = dvpp_word(labels);
  if (cores == 1) return "vir01";
  if (cores == 2) return high_level(labels) ? "vir02" : "vir02_1c";
  if (cores != 4) return {};
  if (dvpp == "yes") return "vir04_4c_dvpp";
  if (dvpp == "no") return "vir04_3c_ndvpp";
  return high_level(labels) ? "vir04" : "vir04_3c";
}

// A pod may get along with fewer cpus where those are short.
bool can_do_with_less(const NpuAmount& amount) {
  return (amount.cores == 2 && amount.cpus == 2) || (amount.cores == 4 && amount.cpus == 4 && amount.dvpp != Dvpp::kWith);
}
NpuAmount with_less(NpuAmount amount) {
  if (amount.cores == 2) amount.cpus = 1;
  if (amount.cores == 4) amount.cpus = 3;
  return amount;
}

std::string device_type(const StringMap& devices) {
  for (const auto name : {"Ascend910", "Ascend310P", "Ascend310"})
    for (const auto& [key, value] : devices)
      if (key.find(name) != std::string::npos) return name;
  return "Ascend910";
}

std::vector<std::int64_t> chip_numbers(std::string_view list, const std::string& kind) {
  std::vector<std::int64_t> numbers;
  for (auto name : split(list, ',')) {
    if (name.starts_with(kind + "-")) name.remove_prefix(kind.size() + 1);
    if (const auto number = parse_integer(name)) numbers.push_back(*number);
  }
  return numbers;
}

class MindClusterChips final : public NodeDevices {
 public:
  MindClusterChips(const Books& books, const MindClusterInfo& info, const Node& node, bool own_list)
      : books_(books), info_(info), node_(node), own_list_(own_list) {}

  DeviceAnswer filter(const DeviceAsk& ask, const DeviceCycle& cycle) override;
  std::optional<StringMap> allocate(const DeviceAsk& ask, const DeviceCycle& cycle) override;
  void release(const DeviceAsk& ask, const DeviceCycle&) override { drop(ask); }
  void clear() override;
  void hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle& cycle) override;
  void drop(const DeviceAsk& ask) override;
  void linger(const DeviceAsk& ask) override { present_.push_back(ask.notes.annotations); }
  void complete() override;
  std::vector<CardUse> cards() const override;

  bool did_with_less(std::string_view pod) const { return less_.contains(pod); }
  // Free cores; nothing when the node does not offer any.
  std::optional<std::int64_t> idle() const;

 private:
  StringMap device_lists() const;
  std::optional<std::string> own_free_list(const StringMap& devices) const;
  void make_chips(const StringMap& lists);
  void occupy(const StringMap& annotations);
  NpuChip& chip(std::int64_t id);
  NpuChip* find_chip(std::string_view id);
  std::optional<NpuAmount> amount_for(const DeviceAsk& ask) const;
  bool enough(const NpuAmount& amount) const;
  bool clashes(const NpuAmount& amount) const;
  std::optional<std::string> choose(const NpuAmount& amount) const;
  void grant(const DeviceAsk& ask, const std::string& text);
  bool limits_groups() const { return machine_->kind == kKind310P; }

  const Books& books_;
  const MindClusterInfo& info_;
  const Node node_;
  bool own_list_;

  bool building_ = false;
  std::vector<StringMap> present_;  // annotations of the pods on the node, while the state is made
  std::optional<NpuMachine> machine_;
  std::vector<NpuChip> chips_;  // by id
  std::set<std::int64_t> unhealthy_;
  std::map<std::string, std::set<PodId>, std::less<>> by_template_;  // "" stands for whole chips
  std::map<PodId, std::string> granted_;
  // Names of pods that would get fewer cpus than they want, as far as was found out in this cycle.
  std::set<std::string, std::less<>> less_;
  std::uint64_t less_in_ = 0;
};

// ------------------------------------------------------------------------------------------------ state of the node

void MindClusterChips::clear() {
  building_ = true;
  present_.clear();
  machine_.reset();
  chips_.clear();
  unhealthy_.clear();
  by_template_.clear();
  granted_.clear();
  less_.clear();
}

// What the node's annotations say, overruled by what MindCluster reports.
StringMap MindClusterChips::device_lists() const {
  StringMap lists;
  for (const auto& [key, value] : node_.meta.annotations)
    if (key.starts_with(kNpuVendor)) lists.set(key, value);
  const auto* news = info_.news(node_.meta.name);
  if (news == nullptr) return lists;
  const auto free_key = std::string(kNpuVendor) + device_type(news->devices);
  const bool own = own_list_ && news->devices.contains(free_key);
  const auto free = own ? own_free_list(news->devices) : std::optional(std::string(news->devices.get(free_key)));
  if (!free || (!own && news->updated <= 0)) return lists;
  for (const auto& [key, value] : news->devices) lists.set(key, key == free_key ? *free : value);
  return lists;
}

// All chips of the node but those that a pod has or that are not well.
std::optional<std::string> MindClusterChips::own_free_list(const StringMap& devices) const {
  const auto type = device_type(devices);
  std::set<std::string, std::less<>> free;
  const auto known = read_json(node_.meta.annotations.get("baseDeviceInfos"));
  if (!known || known->kind != Json::Kind::kMap) return std::nullopt;
  for (const auto& [name, value] : known->members)
    if (split(name, '-').size() <= kNameParts) free.insert(name);
  const auto remove = [&](std::string_view list) {
    for (const auto name : split(list, ','))
      if (const auto found = free.find(name); found != free.end()) free.erase(found);
  };
  remove(devices.get(std::string(kNpuVendor) + type + "-Unhealthy"));
  remove(devices.get(std::string(kNpuVendor) + type + "-Recovering"));
  for (const auto& annotations : present_) remove(annotations.get(std::string(kNpuVendor) + type));
  std::string list;
  for (const auto& name : free) list.append(list.empty() ? "" : ",").append(name);
  return list;
}

NpuChip& MindClusterChips::chip(std::int64_t id) {
  const auto at =
      std::lower_bound(chips_.begin(), chips_.end(), id, [](const NpuChip& chip, std::int64_t wanted) { return chip.id < wanted; });
  if (at != chips_.end() && at->id == id) return *at;
  NpuChip fresh;
  fresh.id = id;
  fresh.free = machine_->chip();
  fresh.free.dvpp = Dvpp::kWith;
  return *chips_.insert(at, std::move(fresh));
}

NpuChip* MindClusterChips::find_chip(std::string_view id) {
  const auto found = std::find_if(chips_.begin(), chips_.end(), [&](const NpuChip& chip) { return std::to_string(chip.id) == id; });
  return found == chips_.end() ? nullptr : &*found;
}

void MindClusterChips::make_chips(const StringMap& lists) {
  const auto key = std::string(kNpuVendor) + machine_->kind;
  for (const auto id : chip_numbers(lists.get(key), machine_->kind)) chip(id);
  for (const auto id : chip_numbers(lists.get(key + "-Unhealthy"), machine_->kind)) unhealthy_.insert(id);
}

// A pod that is on the node as the cycle begins.
void MindClusterChips::occupy(const StringMap& annotations) {
  const auto* text = annotations.find(kCores);
  if (text == nullptr) return;
  const auto real = annotations.get(kReal);
  const auto pieces = split(*text, ',');
  const bool whole =
      std::any_of(pieces.begin(), pieces.end(), [](auto piece) { return piece.find('-') == std::string_view::npos; });
  if (whole) {
    std::vector<std::int64_t> ids;
    for (const auto piece : pieces) {
      const auto id = parse_integer(piece);
      if (!id) return;
      ids.push_back(*id);
    }
    for (const auto id : ids) {
      if (unhealthy_.contains(id)) continue;
      auto& on = chip(id);
      on.unstable |= real.empty();
      on.parts.push_back(std::to_string(id));
      on.used.add(machine_->chip());
      on.free.subtract(machine_->chip());
    }
    return;
  }
  const auto grant = parse_npu_grant(*text);
  const auto id = parse_integer(grant.chips.front());
  if (!id || grant.part.empty() || unhealthy_.contains(*id)) return;
  auto& on = chip(*id);
  on.unstable |= real.empty();
  if (!real.empty()) on.parts.emplace_back(real);
  on.segmented = true;
  if (const auto amount = npu_template(grant.part)) on.take(*amount);
}

void MindClusterChips::complete() {
  building_ = false;
  const auto lists = device_lists();
  machine_ = npu_machine_of(node_);
  if (machine_ && !lists.contains(std::string(kNpuVendor) + machine_->kind)) machine_.reset();
  if (machine_) {
    make_chips(lists);
    for (const auto& annotations : present_) occupy(annotations);
  }
  present_.clear();
}

void MindClusterChips::hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle&) {
  const auto* text = notes.annotations.find(kCores);
  if (building_) {
    present_.push_back(notes.annotations);
    if (text != nullptr && ask.request.limits(kCores)) {
      granted_[ask.pod] = *text;
      by_template_[parse_npu_grant(*text).part].insert(ask.pod);
    }
  } else if (text != nullptr && ask.request.limits(kCores)) {
    grant(ask, *text);
  }
}

void MindClusterChips::grant(const DeviceAsk& ask, const std::string& text) {
  granted_[ask.pod] = text;
  const auto given = parse_npu_grant(text);
  by_template_[given.part].insert(ask.pod);
  if (!machine_) return;
  // What is counted is what the pod wants, even where it got fewer cpus.
  const auto amount = amount_for(ask).value_or(NpuAmount{0, 0, Dvpp::kWithout});
  for (const auto& id : given.chips) {
    auto* on = find_chip(id);
    if (on == nullptr) continue;
    on->take(given.part.empty() ? machine_->chip() : amount);
    if (!given.part.empty() && !machine_->is_whole(amount.cores)) on->segmented = true;
  }
}

void MindClusterChips::drop(const DeviceAsk& ask) {
  const auto known = granted_.find(ask.pod);
  const auto* own = ask.notes.annotations.find(kCores);
  if ((own == nullptr && known == granted_.end()) || !ask.request.limits(kCores)) return;
  const auto given = parse_npu_grant(own != nullptr ? *own : known->second);
  if (known == granted_.end()) return;  // was taken back already
  granted_.erase(known);
  if (const auto found = by_template_.find(given.part); found != by_template_.end()) {
    found->second.erase(ask.pod);
    if (found->second.empty()) by_template_.erase(found);
  }
  if (!machine_) return;
  const auto amount = amount_for(ask).value_or(NpuAmount{0, 0, Dvpp::kWithout});
  for (const auto& id : given.chips)
    if (auto* on = find_chip(id)) on->give_back(given.part.empty() ? machine_->chip() : amount);
}

std::vector<CardUse> MindClusterChips::cards() const {
  std::vector<CardUse> all;
  for (const auto& chip : chips_) {
    CardUse use(machine_->kind + "-" + std::to_string(chip.id), std::string(kCores));
    use.share(std::string(kCores), static_cast<double>(chip.used.cores), static_cast<double>(machine_->cores_per_chip));
    for (const auto& [pod, text] : granted_) {
      const auto ids = parse_npu_grant(text).chips;
      if (std::find(ids.begin(), ids.end(), std::to_string(chip.id)) != ids.end()) use.pods.push_back(pod);
    }
    all.push_back(std::move(use));
  }
  return all;
}

// --------------------------------------------------------------------------------------------------- questions

std::optional<std::int64_t> MindClusterChips::idle() const {
  const auto node = books_.find_node(node_.meta.name);
  const auto resource = books_.find_resource(kCores);
  if (!node || !resource || !node_.allocatable.contains(kCores)) return std::nullopt;
  return books_.ledgers().idle[resource.index()][node.index()] / 1000;
}

// What the pod wants here; nothing when its labels make no sense.
std::optional<NpuAmount> MindClusterChips::amount_for(const DeviceAsk& ask) const {
  const auto cores = cores_of(ask.request);
  if (!machine_) return NpuAmount{0, 0, Dvpp::kWithout};
  if (machine_->is_whole(cores)) return NpuAmount{cores, cores * machine_->cpus_per_chip / machine_->cores_per_chip, Dvpp::kAny};
  const auto dvpp = dvpp_word(ask.labels);
  if (dvpp != "yes" && dvpp != "no" && dvpp != "null") return std::nullopt;
  return npu_template(template_for(cores, ask.labels)).value_or(NpuAmount{0, 0, Dvpp::kWithout});
}

bool MindClusterChips::enough(const NpuAmount& amount) const {
  NpuAmount total;
  for (const auto& chip : chips_) total.add(chip.free);
  if (!total.covers(amount)) return false;
  if (machine_->is_whole(amount.cores)) {
    const auto free =
        std::count_if(chips_.begin(), chips_.end(), [](const NpuChip& chip) { return !chip.segmented && chip.free.cores != 0; });
    return amount.cores / machine_->cores_per_chip <= free;
  }
  return std::any_of(chips_.begin(), chips_.end(),
                     [&](const NpuChip& chip) { return chip.meets(amount, limits_groups()) && !chip.unstable; });
}

// A node hosts parts of one template at a time.
bool MindClusterChips::clashes(const NpuAmount& amount) const {
  if (by_template_.empty()) return false;
  const auto name = npu_template_name(amount);
  return name.empty() || by_template_.size() != 1 || !by_template_.contains(name);
}

DeviceAnswer MindClusterChips::filter(const DeviceAsk& ask, const DeviceCycle& cycle) {
  constexpr DeviceAnswer kRefused{FitCode::kError, ""};
  const auto free = idle();
  if (info_.status(node_.meta.name) == "PreSeparate" || !free || *free < cores_of(ask.request))
    return {FitCode::kError, "preCheckNodePredicate failure"};
  auto amount = amount_for(ask);
  if (!amount || !machine_) return kRefused;
  if (std::exchange(less_in_, cycle.number) != cycle.number) less_.clear();
  // Where there is too little even so, the pod is let through: handing out the chips will refuse it.
  if (!enough(*amount) && can_do_with_less(*amount)) {
    less_.emplace(ask.name);
    amount = with_less(*amount);
  }
  return clashes(*amount) ? kRefused : DeviceAnswer{};
}

// The chips with the least left that will do.
std::optional<std::string> MindClusterChips::choose(const NpuAmount& amount) const {
  std::vector<const NpuChip*> order;
  for (const auto& chip : chips_) order.push_back(&chip);
  std::stable_sort(order.begin(), order.end(), [](const auto* l, const auto* r) {
    return std::pair(l->free.cores, l->free.cpus) < std::pair(r->free.cores, r->free.cpus);
  });
  if (!machine_->is_whole(amount.cores)) {
    for (const auto* chip : order)
      if (chip->meets(amount, limits_groups()) && !chip->unstable) return std::to_string(chip->id);
    return std::nullopt;
  }
  const auto count = amount.cores / machine_->cores_per_chip;
  if (count == 0) return std::nullopt;
  const NpuAmount each{amount.cores / count, amount.cpus / count, Dvpp::kAny};
  std::string chosen;
  auto open = count;
  for (const auto* chip : order) {
    if (chip->segmented || !chip->meets(each, limits_groups())) continue;
    chosen.append(chosen.empty() ? "" : ",").append(std::to_string(chip->id));
    if (--open == 0) return chosen;
  }
  return std::nullopt;
}

std::optional<StringMap> MindClusterChips::allocate(const DeviceAsk& ask, const DeviceCycle& cycle) {
  auto amount = amount_for(ask);
  if (!amount || !machine_) return std::nullopt;
  if (less_in_ == cycle.number && less_.contains(ask.name)) amount = with_less(*amount);
  auto chosen = choose(*amount);
  if (!chosen) return std::nullopt;
  StringMap annotations;
  if (!machine_->is_whole(amount->cores)) {
    const auto name = npu_template_name(*amount);
    if (name.empty()) return annotations;  // there is no such part: the pod goes without
    chosen->append("-").append(name);
  }
  grant(ask, *chosen);
  annotations.set("predicate-time", std::to_string(cycle.now.seconds * 1'000'000'000 + cycle.now.nanos));
  annotations.set(std::string(kCores), std::move(*chosen));
  return annotations;
}

// --------------------------------------------------------------------------------------------------------- family

class MindCluster final : public DeviceFamily {
 public:
  MindCluster(const Books& books, const MindClusterInfo& info, bool own_list) : books_(books), info_(info), own_list_(own_list) {}

  bool wants(const DeviceRequest& request) const override { return request.limits(kCores); }
  // Every node is asked; one without chips refuses.
  std::unique_ptr<NodeDevices> on(const Node& node) const override {
    return std::make_unique<MindClusterChips>(books_, info_, node, own_list_);
  }
  std::string_view lock_name(const DeviceRequest&) const override { return {}; }
  bool reads_labels() const override { return true; }
  bool filter_has_history(const DeviceRequest& request, const StringMap& labels) const override {
    const auto amount = npu_template(template_for(cores_of(request), labels));
    return amount && can_do_with_less(*amount);
  }
  bool scores_together() const override { return true; }
  std::vector<double> score_together(const DeviceAsk& ask, std::span<NodeDevices* const> nodes) const override;

 private:
  const Books& books_;
  const MindClusterInfo& info_;
  bool own_list_;
};

// The node with the least left is the best. Nodes where the pod would get fewer cpus are passed on the way to the first other one,
// which is better still.
std::vector<double> MindCluster::score_together(const DeviceAsk& ask, std::span<NodeDevices* const> nodes) const {
  constexpr double kScore = 8;
  std::vector<double> scores(nodes.size(), 0);
  std::vector<std::size_t> order(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto chips = [&](std::size_t i) -> const MindClusterChips& { return static_cast<const MindClusterChips&>(*nodes[i]); };
  std::stable_sort(order.begin(), order.end(), [&](auto l, auto r) {
    const auto left = chips(l).idle(), right = chips(r).idle();
    return left && (!right || *left < *right);
  });
  if (order.empty()) return scores;
  const bool any = std::any_of(order.begin(), order.end(), [&](auto i) { return chips(i).did_with_less(ask.name); });
  if (!any) {
    scores[order.front()] = kScore;
    return scores;
  }
  for (const auto i : order) {
    const bool less = chips(i).did_with_less(ask.name);
    scores[i] = less ? kScore : 2 * kScore;
    if (!less) break;
  }
  return scores;
}

}  // namespace

std::unique_ptr<DeviceFamily> make_mindcluster_npu(const Books& books, const MindClusterInfo& info, bool own_list) {
  return std::make_unique<MindCluster>(books, info, own_list);
}

}  // namespace muster::volcano
