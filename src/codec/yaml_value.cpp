#include "codec/yaml_value.h"

#include "codec/positions.h"
#include "codec/utf8.h"
#include "codec/yaml_documents.h"

namespace muster {

Result<Value> read_yaml_value(std::string_view text, const std::string& file) {
  if (const auto bad = find_bad_utf8(text)) return fail(Error("is not UTF-8", locate(text, *bad, file)));
  YamlDocuments documents(text, file);
  auto first = documents.next();
  if (!first) return fail(std::move(first.error()));
  if (!*first) return Value();
  auto second = documents.next();
  if (!second) return fail(std::move(second.error()));
  if (*second && !(*second)->is_null())
    return fail(Error("a second document, where one is expected", Location{file, (*second)->line(), (*second)->column()}));
  return std::move(**first);
}

}  // namespace muster
