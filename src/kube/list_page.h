#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/json_span.h"
#include "kube/object_decoder.h"

namespace muster::kube {

// One answer to a list: where its objects stand, and what its metadata says.
struct ListPage {
  std::vector<JsonSpan> items;
  std::string resource_version;
  std::string next_page;  // the token; empty on the last one
};

// Reads the frame of a list; its items are checked, but not decoded. The text is made ready for that: padding is added behind it,
// which is not part of it.
Result<ListPage> read_list_page(std::string& text);

}  // namespace muster::kube
