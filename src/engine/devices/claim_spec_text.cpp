#include "engine/devices/claim_spec_text.h"

namespace muster {
namespace {

// Every string carries its length, so that different contents never look alike.
class SpecWriter {
 public:
  void number(std::int64_t value) { text_.append(std::to_string(value)).append(1, ','); }
  void string(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    text_.append(value);
  }
  template <class T, class F>
  void list(const T& items, F each) {
    number(static_cast<std::int64_t>(items.size()));
    for (const auto& item : items) each(item);
  }
  void strings(const std::vector<std::string>& items) {
    list(items, [&](const std::string& item) { string(item); });
  }
  void optional(const std::optional<std::string>& value) {
    number(value.has_value());
    if (value) string(*value);
  }
  void wish(const DeviceRequest& request) {
    string(request.name), string(request.device_class), strings(request.selectors);
    string(request.mode_text), number(request.count), number(request.admin_access), number(request.exact);
    list(request.tolerations, [&](const DeviceToleration& t) { string(t.key), string(t.op), string(t.value), string(t.effect); });
    list(request.capacity, [&](const auto& entry) { string(entry.first), string(entry.second.text()); });
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string spec_text(const ResourceClaim& claim) {
  SpecWriter writer;
  writer.list(claim.requests, [&](const DeviceRequest& request) {
    writer.wish(request);
    writer.number(request.has_alternatives);
    writer.list(request.alternatives, [&](const DeviceRequest& alternative) { writer.wish(alternative); });
  });
  writer.list(claim.constraints, [&](const DeviceConstraint& constraint) {
    writer.strings(constraint.requests), writer.optional(constraint.match_attribute),
        writer.optional(constraint.distinct_attribute);
  });
  return writer.take();
}

}  // namespace muster
