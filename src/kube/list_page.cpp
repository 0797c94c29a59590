#include "kube/list_page.h"

#include "codec/input.h"
#include "codec/utf8.h"

namespace muster::kube {

Result<ListPage> read_list_page(std::string& text) {
  text.reserve(text.size() + Input::kPadding);
  if (find_bad_utf8(text)) return fail("a list is not UTF-8");
  ListPage out;
  bool has_items = false;
  const auto end = each_member(text, 0, [&](std::string_view key, JsonSpan value) -> Result<void> {
    if (key == "metadata") {
      const auto meta = read_meta_fields(value.in(text));
      out.resource_version = meta.id.resource_version;
      out.next_page = meta.next_page;
    }
    if (key != "items") return {};
    has_items = true;
    if (value.in(text) == "null") return {};
    const auto items = each_item(text, value.begin, [&](JsonSpan item) -> Result<void> {
      out.items.push_back(item);
      return {};
    });
    return items ? Result<void>{} : fail(items.error());
  });
  if (!end) return fail("a list is no JSON: " + end.error().message);
  if (!has_items || out.resource_version.empty()) return fail("the answer to a list is none");
  return out;
}

}  // namespace muster::kube
