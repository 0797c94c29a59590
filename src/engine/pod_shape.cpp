#include "engine/pod_shape.h"

#include <charconv>

namespace muster {
namespace {

// Builds texts in which different contents never look alike: every string carries its length.
class KeyWriter {
 public:
  void number(std::int64_t value) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    text_.append(buffer, end).append(1, ',');
  }
  void string(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    text_.append(value);
  }
  void strings(const std::vector<std::string>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const auto& value : values) string(value);
  }
  void amounts(const Amounts& amounts) {
    number(static_cast<std::int64_t>(amounts.size()));
    for (const auto& [resource, amount] : amounts) number(resource.index()), number(amount);
  }
  void requirements(const std::vector<Requirement>& list) {
    number(static_cast<std::int64_t>(list.size()));
    for (const auto& r : list) string(r.key), number(static_cast<int>(r.op)), strings(r.values);
  }
  void term(const NodeSelectorTerm& term) { requirements(term.expressions), requirements(term.fields); }
  void selector(const std::optional<LabelSelector>& selector) {
    number(selector.has_value());
    if (selector) requirements(selector->requirements);
  }
  void pod_term(const PodAffinityTerm& term) {
    selector(term.selector), strings(term.namespaces), selector(term.namespace_selector), string(term.topology_key);
    strings(term.match_label_keys), strings(term.mismatch_label_keys);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string PodShape::key() const {
  KeyWriter key;
  key.amounts(request), key.amounts(limits), key.number(best_effort), key.number(nonzero_milli_cpu), key.number(nonzero_memory);
  key.number(static_cast<std::int64_t>(node_selector.size()));
  for (const auto& [name, value] : node_selector) key.string(name), key.string(value);
  key.number(node_required.has_value());
  if (node_required) {
    key.number(static_cast<std::int64_t>(node_required->terms.size()));
    for (const auto& term : node_required->terms) key.term(term);
  }
  key.number(static_cast<std::int64_t>(node_preferred.size()));
  for (const auto& preferred : node_preferred) key.number(preferred.weight), key.term(preferred.term);
  key.number(static_cast<std::int64_t>(tolerations.size()));
  for (const auto& t : tolerations)
    key.string(t.key), key.number(static_cast<int>(t.op)), key.string(t.value),
        key.number(t.effect ? static_cast<int>(*t.effect) : -1);
  key.number(static_cast<std::int64_t>(host_ports.size()));
  for (const auto& port : host_ports) key.number(port.host_port), key.string(port.host_ip), key.string(port.protocol);
  key.strings(images), key.number(image_containers), key.strings(claims), key.number(restartable_init);
  return key.take();
}

std::string PodTerms::key() const {
  KeyWriter key;
  for (const auto* list : {&affinity, &anti_affinity}) {
    key.number(static_cast<std::int64_t>(list->size()));
    for (const auto& term : *list) key.pod_term(term);
  }
  for (const auto* list : {&preferred, &anti_preferred}) {
    key.number(static_cast<std::int64_t>(list->size()));
    for (const auto& term : *list) key.number(term.weight), key.pod_term(term.term);
  }
  for (const auto& c : spread) {
    key.number(c.max_skew), key.string(c.topology_key), key.number(static_cast<int>(c.action)), key.selector(c.selector);
    key.number(c.min_domains.value_or(-1)), key.number(static_cast<int>(c.node_affinity)),
        key.number(static_cast<int>(c.node_taints));
    key.strings(c.match_label_keys);
  }
  return key.take();
}

}  // namespace muster
