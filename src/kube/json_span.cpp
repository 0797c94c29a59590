#include "kube/json_span.h"

#include "codec/input.h"
#include "codec/json_syntax.h"

namespace muster::kube {
namespace {

Error wrong_at(std::size_t offset, const std::string& message) { return Error(message + " at byte " + std::to_string(offset)); }

Result<JsonSpan> value_at(std::string_view text, std::size_t offset) {
  const auto begin = skip_json_space(text, offset);
  const auto end = json_value_end(text, begin, kMaxDepth);
  if (!end) return fail(wrong_at(end.error().offset, end.error().message));
  return JsonSpan{begin, *end};
}

char at(std::string_view text, std::size_t offset) { return offset < text.size() ? text[offset] : '\0'; }

// Walks from one bracket to the other, with one_element(offset) for what stands between the commas.
Result<std::size_t> walk(std::string_view text, std::size_t offset, char open, char close,
                         const std::function<Result<std::size_t>(std::size_t)>& one_element) {
  auto here = skip_json_space(text, offset);
  if (at(text, here) != open) return fail(wrong_at(here, std::string("no ") + open));
  here = skip_json_space(text, here + 1);
  if (at(text, here) == close) return here + 1;
  for (;;) {
    const auto after = one_element(here);
    if (!after) return fail(after.error());
    here = skip_json_space(text, *after);
    if (at(text, here) == close) return here + 1;
    if (at(text, here) != ',') return fail(wrong_at(here, std::string("neither a comma nor ") + close));
    here = skip_json_space(text, here + 1);
  }
}

}  // namespace

Result<std::size_t> each_member(std::string_view text, std::size_t offset,
                                const std::function<Result<void>(std::string_view, JsonSpan)>& on_member) {
  return walk(text, offset, '{', '}', [&](std::size_t here) -> Result<std::size_t> {
    if (at(text, here) != '"') return fail(wrong_at(here, "no key"));
    const auto key = value_at(text, here);
    if (!key) return fail(key.error());
    const auto colon = skip_json_space(text, key->end);
    if (at(text, colon) != ':') return fail(wrong_at(colon, "no colon"));
    const auto value = value_at(text, colon + 1);
    if (!value) return fail(value.error());
    const auto taken = on_member(text.substr(key->begin + 1, key->end - key->begin - 2), *value);
    if (!taken) return fail(taken.error());
    return value->end;
  });
}

Result<std::size_t> each_item(std::string_view text, std::size_t offset, const std::function<Result<void>(JsonSpan)>& on_item) {
  return walk(text, offset, '[', ']', [&](std::size_t here) -> Result<std::size_t> {
    const auto value = value_at(text, here);
    if (!value) return fail(value.error());
    const auto taken = on_item(*value);
    if (!taken) return fail(taken.error());
    return value->end;
  });
}

}  // namespace muster::kube
