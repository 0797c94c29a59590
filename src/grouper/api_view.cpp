#include "grouper/api_view.h"

#include <algorithm>
#include <fmt/format.h>

namespace muster::grouper {
namespace {

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// As a part of a query.
std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += is_label_character(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

tl::expected<std::string, ApiView::Missing> ApiView::text_of(const std::string& path) const {
  auto answer = exchange_({kube::Method::kGet, path});
  if (answer.failure.empty() && answer.status == 200) return std::move(answer.body);
  if (answer.status == 404) return tl::unexpected(Missing::kNotThere);
  if (answer.status == 403) return tl::unexpected(Missing::kForbidden);
  return tl::unexpected(Missing::kUnanswered);
}

tl::expected<const ApiView::Kinds*, ApiView::Missing> ApiView::kinds_of(const std::string& api_version) const {
  if (const auto known = kinds_.find(api_version); known != kinds_.end()) return &known->second;
  const auto is_core = api_version.find('/') == std::string::npos;
  const auto text = text_of((is_core ? "/api/" : "/apis/") + api_version);
  if (!text) return tl::unexpected(text.error());
  const auto read = read_json(*text);
  const auto* resources = read ? read->find("resources") : nullptr;
  if (resources == nullptr) return tl::unexpected(Missing::kUnanswered);
  Kinds kinds;
  for (const auto& one : resources->items) {
    const auto name = muster::text_at(&one, "name");
    if (name.find('/') != std::string::npos) continue;  // a subresource
    const auto* namespaced = one.find("namespaced");
    kinds[muster::text_at(&one, "kind")] = {name, namespaced != nullptr && namespaced->raw == "true"};
  }
  return &(kinds_[api_version] = std::move(kinds));
}

tl::expected<kube::ObjectPath, ApiView::Missing> ApiView::path_of(const grouping::ObjectKind& kind, const std::string& ns,
                                                                  const std::string& name) const {
  const auto kinds = kinds_of(kind.api_version());
  if (!kinds) return tl::unexpected(kinds.error());
  const auto served = (*kinds)->find(kind.kind);
  if (served == (*kinds)->end()) return tl::unexpected(Missing::kNotThere);
  return kube::ObjectPath{
      .api_version = kind.api_version(), .plural = served->second.plural, .ns = served->second.namespaced ? ns : "", .name = name};
}

tl::expected<grouping::Object, ApiView::Missing> ApiView::find(const grouping::ObjectKind& kind, const std::string& ns,
                                                               const std::string& name) const {
  const Place place{kind, {ns, name}};
  if (const auto known = objects_.find(place); known != objects_.end()) return known->second;
  const auto path = path_of(kind, ns, name);
  if (!path) return tl::unexpected(path.error());
  auto text = text_of(path->text());
  if (!text) return tl::unexpected(text.error());
  auto object = grouping::Object::read(std::move(*text), kind);
  if (!object) return tl::unexpected(Missing::kUnanswered);
  return objects_[place] = std::move(*object);
}

bool ApiView::has_live_pod(const std::string& ns, const grouping::Texts& labels) const {
  std::string selector;
  for (const auto& [key, value] : labels) selector += fmt::format("{}{}={}", selector.empty() ? "" : ",", key, value);
  const auto text = text_of(fmt::format("/api/v1/namespaces/{}/pods?labelSelector={}", ns, encoded(selector)));
  constexpr int kDepth = 64;
  const auto list = text ? read_json(*text, kDepth) : std::nullopt;
  const auto* items = list ? list->find("items") : nullptr;
  return items != nullptr && std::any_of(items->items.begin(), items->items.end(), [](const Json& pod) {
           return grouping::json_at(&pod, "metadata.deletionTimestamp") == nullptr;
         });
}

}  // namespace muster::grouper
